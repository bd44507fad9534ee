# SPDX-License-Identifier: Apache-2.0
"""The cache of catalogue files: right or absent, never wrong."""

from pathlib import Path
from typing import Any

import pytest

from rackloom.catalog.load import load_bundled, read_yaml
from rackloom.catalog.yaml_cache import read_cached

TEXT = "parts:\n- {id: a, n: 1.5, yes_no: yes, list: [1, null]}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RACKLOOM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def counted(reads: list[str]) -> Any:
    def read(text: str) -> Any:
        reads.append(text)
        return read_yaml(text, "x.yaml")

    return read


def test_a_text_is_read_once_and_means_the_same_the_second_time(folder: Path) -> None:
    reads: list[str] = []
    first = read_cached(TEXT, counted(reads))
    second = read_cached(TEXT, counted(reads))
    assert first == second == read_yaml(TEXT, "x.yaml")
    assert len(reads) == 1


def test_a_changed_text_is_read_anew(folder: Path) -> None:
    read_cached(TEXT, counted([]))
    other = TEXT.replace("1.5", "2.5")
    assert read_cached(other, counted([]))["parts"][0]["n"] == 2.5


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"digest": "x", "document": 1}', b"\xff"])
def test_a_damaged_cache_is_as_good_as_none(folder: Path, damage: bytes) -> None:
    read_cached(TEXT, counted([]))
    (file,) = folder.iterdir()
    file.write_bytes(damage)
    assert read_cached(TEXT, counted([])) == read_yaml(TEXT, "x.yaml")
    assert file.read_bytes() != damage, "and it is mended"


def test_a_cache_that_cannot_be_written_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RACKLOOM_CACHE_DIR", str(tmp_path / "file"))
    assert read_cached(TEXT, counted([])) == read_yaml(TEXT, "x.yaml")


def test_the_bundled_catalogue_is_the_same_from_the_cache(folder: Path) -> None:
    plain = load_bundled.__wrapped__()
    assert list(folder.iterdir())
    cached = load_bundled.__wrapped__()
    assert dict(plain) == dict(cached)
    assert plain.sources == cached.sources
    assert plain.feeds == cached.feeds


def test_what_json_cannot_say_is_not_cached(folder: Path) -> None:
    """A key ``on`` is the boolean true in YAML, and would come back as a text."""
    text = "parts: [{on: 1}]\n"
    assert read_cached(text, counted([])) == {"parts": [{True: 1}]}
    assert read_cached(text, counted([])) == {"parts": [{True: 1}]}
