# SPDX-License-Identifier: Apache-2.0
"""A great file read piece by piece is the same design, and no worse file gets through so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.builders import big_design

from rackloom.files import FileError, load, save
from rackloom.files import batches as batches_module
from rackloom.files.batches import batches
from rackloom.files.schema import parse


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A file of some thousand lines, to be cut into pieces of 100."""
    monkeypatch.setattr(batches_module, "FROM_BYTES", 1000)
    monkeypatch.setattr(batches_module, "LINES", 100)
    save(tmp_path / "big.rackloom", big_design(64))
    return (tmp_path / "big.rackloom").read_bytes()


def test_a_file_in_pieces_is_the_same_design(data: bytes) -> None:
    pieces = list(batches(data) or ())
    assert len(pieces) >= 10
    assert max(piece.count(b"\n") for piece in pieces) <= 105
    design, extras = parse(data)
    assert design == big_design(64)
    assert not extras


def _comma_lost(data: bytes) -> bytes:
    at = data.index(b"},\n{", len(data) // 2)
    return data[: at + 1] + data[at + 2 :]


def _comma_more(data: bytes) -> bytes:
    at = data.index(b"}\n],")
    return data[: at + 1] + b"," + data[at + 1 :]


def _cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def _twice(data: bytes) -> bytes:
    at = data.index(b'"cables": [\n') + len(b'"cables": [\n')
    line = data[at : data.index(b"\n", at) + 1]
    return data[:at] + line + data[at:]


def _table_twice(data: bytes) -> bytes:
    at = data.index(b'"rows": [')
    end = data.index(b"],\n", at) + 3
    return data[:end] + data[at:end] + data[end:]


def _field_unknown_in_the_head(data: bytes) -> bytes:
    return data.replace(b'"format_version": 1,', b'"format_version": 99,', 1)


@pytest.mark.parametrize(
    "damage", [_comma_lost, _comma_more, _cut, _twice, _table_twice, _field_unknown_in_the_head]
)
def test_damage_is_refused_with_the_same_words_as_in_one_piece(
    data: bytes, damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = damage(data)
    with pytest.raises(FileError) as in_pieces:
        parse(damaged)
    monkeypatch.setattr(batches_module, "FROM_BYTES", 10**9)
    with pytest.raises(FileError) as in_one:
        parse(damaged)
    assert str(in_pieces.value) == str(in_one.value)


def test_other_layouts_and_unknown_fields_are_read_in_one_piece(
    data: bytes, tmp_path: Path
) -> None:
    assert batches(data.replace(b"\n", b"\r\n")) is None
    assert batches(data.replace(b'"rows": [', b'"rows":[', 1)) is None
    later = data.replace(b'"rows": [', b'"weather": {"sun":true},\n"rows": [', 1)
    assert batches(later) is None
    path = tmp_path / "later.rackloom"
    path.write_bytes(later)
    assert load(path).extras.top == {"weather": {"sun": True}}
    assert load(path).design == big_design(64)
