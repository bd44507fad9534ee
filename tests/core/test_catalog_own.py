# SPDX-License-Identifier: Apache-2.0
"""The user's own parts: where they lie, what happens to broken files."""

from __future__ import annotations

import errno
import os
from importlib.resources import files
from pathlib import Path

import pytest

from rackloom.catalog import CatalogError, RackPart, load_bundled, load_catalog, own_folder
from rackloom.catalog.load import parse_part
from rackloom.catalog.user_parts import read_own, remove_own, store_parts

RACK = """
sources: {{MFR: the page of the maker}}
parts:
  - id: {id}
    kind: rack
    manufacturer: Acme
    model: Box
    rack_units: {units}
    width_mm: 600
    depth_mm: 1200
    sources: [MFR]
"""


def put(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_the_folder_follows_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACKLOOM_DATA_DIR", str(tmp_path))
    assert own_folder() == tmp_path / "catalog"
    put(tmp_path / "catalog", "a.yaml", RACK.format(id="acme-42", units=42))
    assert load_catalog().require("acme-42").model == "Box"
    monkeypatch.setenv("RACKLOOM_DATA_DIR", "")
    assert own_folder().name == "catalog"
    assert "rackloom" in str(own_folder())


def test_without_own_parts_it_is_the_bundled_catalogue(tmp_path: Path) -> None:
    assert load_catalog(tmp_path / "none") is load_bundled()


def test_own_parts_stand_beside_the_bundled_ones(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", RACK.format(id="acme-42", units=42))
    put(tmp_path, "b.yml", RACK.format(id="generic-48u-800", units=50))
    put(tmp_path, "notes.txt", "not a catalogue")
    catalog = load_catalog(tmp_path)
    assert len(catalog) == len(load_bundled()) + 1
    assert catalog.own == {"acme-42", "generic-48u-800"}
    rack = catalog.require("generic-48u-800")
    assert isinstance(rack, RackPart)
    assert rack.rack_units == 50
    assert catalog.sources["MFR"] == "the page of the maker"
    assert catalog.feeds == load_bundled().feeds
    assert catalog.problems == ()


def test_a_broken_file_is_said_and_the_others_are_there(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "parts: [")
    put(tmp_path, "b.yaml", RACK.format(id="acme-42", units="many"))
    put(tmp_path, "c.yaml", RACK.format(id="acme-48", units=48))
    (tmp_path / "d.yaml").write_bytes(b"\xff\xfe\x00parts")
    put(tmp_path, "e.yaml", RACK.format(id="acme-48", units=50))
    catalog = load_catalog(tmp_path)
    assert catalog.own == {"acme-48"}
    texts = "\n".join(catalog.problems)
    assert len(catalog.problems) == 4
    for words in ("a.yaml", "rack_units", "not UTF-8", "already in c.yaml"):
        assert words in texts
    rack = catalog.require("acme-48")
    assert isinstance(rack, RackPart)
    assert rack.rack_units == 48


def test_storing_replaces_wherever_the_part_was(tmp_path: Path) -> None:
    two = (
        RACK.format(id="acme-42", units=42)
        + RACK.format(id="acme-48", units=48).partition("parts:")[2]
    )
    put(tmp_path, "mine.yaml", two)
    changed = load_catalog(tmp_path).require("acme-42").model_copy(update={"model": "New"})
    (path,) = store_parts([changed], {"MFR": "another page"}, tmp_path)
    assert path == tmp_path / "acme-42.yaml"
    own = read_own(tmp_path)
    assert own.problems == ()
    assert {part.id: part.model for part in own.parts} == {"acme-42": "New", "acme-48": "Box"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["acme-42.yaml", "mine.yaml"]
    assert remove_own("acme-48", tmp_path)
    assert not remove_own("acme-48", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["acme-42.yaml"]


def test_a_file_with_other_parts_is_not_written_over(tmp_path: Path) -> None:
    two = (
        RACK.format(id="acme", units=42)
        + RACK.format(id="acme-48", units=48).partition("parts:")[2]
    )
    put(tmp_path, "acme.yaml", two)
    put(tmp_path, "b-1.yaml", "parts: [by hand, not done yet")
    changed = load_catalog(tmp_path).require("acme").model_copy(update={"model": "New"})
    other = changed.model_copy(update={"id": "b-1"})
    store_parts([changed, other], {}, tmp_path)
    own = read_own(tmp_path)
    assert {part.id: part.model for part in own.parts} == {
        "acme": "New",
        "acme-48": "Box",
        "b-1": "New",
    }
    assert (tmp_path / "b-1.yaml").read_text(encoding="utf-8").startswith("parts: [by hand")
    store_parts([changed], {}, tmp_path)  # the second time into the file it has
    assert len(list(tmp_path.iterdir())) == 4


def test_on_a_full_disk_all_of_a_files_parts_stay_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "acme.yaml", RACK.format(id="acme", units=42))
    parts = [load_catalog(tmp_path).require(i) for i in ("acme", "blank-1u", "blank-2u")]
    synced: list[int] = []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CatalogError, match="No space left"):
        store_parts([p.model_copy(update={"model": "New"}) for p in parts], {}, tmp_path)
    assert [part.model for part in read_own(tmp_path).parts] == ["Box"]
    assert [path.name for path in tmp_path.iterdir()] == ["acme.yaml"]


def test_taking_out_says_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "acme.yaml", RACK.format(id="acme", units=42))

    def refused(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(CatalogError, match="cannot be written: Permission denied"):
        remove_own("acme", tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(CatalogError, match="cannot be written"):
            store_parts([load_bundled().require("blank-1u")], {}, tmp_path / "own")
    finally:
        tmp_path.chmod(0o700)


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("x")
    with pytest.raises(CatalogError, match="cannot be written"):
        store_parts([load_bundled().require("blank-1u")], {}, tmp_path / "own")
    assert "cannot be read" in load_catalog(tmp_path / "own").problems[0]


def test_the_example_of_the_help_is_a_catalogue_file(tmp_path: Path) -> None:
    text = (files("rackloom_resources") / "help" / "own-parts.md").read_text(encoding="utf-8")
    put(tmp_path, "a.yaml", text.partition("```yaml\n")[2].partition("```")[0])
    own = read_own(tmp_path)
    assert own.problems == ()
    assert [part.id for part in own.parts] == ["acme-42u"]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("depth_mm", "1e9", "depth_mm: 1e9 is more than the 100000 allowed"),
        ("rack_units", "101", "rack_units: 101 is more than the 100 allowed"),
        ("weight_kg", "1e18", "weight_kg: the number is not one a design can hold"),
        ("weight_kg", "'1e18'", "weight_kg: the number is not one a design can hold"),
    ],
)
def test_figures_that_no_project_file_may_hold_are_refused(
    tmp_path: Path, field: str, value: str, words: str
) -> None:
    """Else the part could be placed and saved, and the project never be opened again."""
    text = RACK.format(id="acme-42", units=42).rstrip() + f"\n    weight_kg: 100\n    {field}: XX\n"
    lines = [line for line in text.splitlines() if f" {field}:" not in line or "XX" in line]
    put(tmp_path, "a.yaml", "\n".join(lines).replace("XX", value))
    own = read_own(tmp_path)
    assert own.parts == ()
    assert words in own.problems[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": "My Rack"}, "'My Rack' is no id: it is written in lower-case letters"),
        ({"widht_mm": 800}, "widht_mm: there is no such field here"),
        ({"width_mm": None}, "width_mm: it is missing"),
    ],
)
def test_a_file_is_refused_in_words_not_patterns(change: dict[str, object], words: str) -> None:
    entry = {
        "kind": "rack", "id": "x", "manufacturer": "A", "model": "B", "rack_units": 42,
        "width_mm": 800, "depth_mm": 1200, **change,
    }  # fmt: skip
    if change.get("width_mm", 1) is None:
        del entry["width_mm"]
    with pytest.raises(CatalogError, match=words) as refused:
        parse_part(entry, "mine.yaml")
    assert "pattern" not in str(refused.value)
