# SPDX-License-Identifier: Apache-2.0
"""Project files: what is saved comes back, what is broken is refused in one sentence."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import big_design, catalog, small_design

from rackloom.catalog.words import Side
from rackloom.design import (
    AcceptedFinding,
    Cable,
    CableEnd,
    Cord,
    Design,
    Device,
    Draft,
    Feed,
    ListPrice,
    Module,
    Note,
    Rack,
    Row,
    SeverityOverride,
    SiteSettings,
    SpareShare,
    edits,
)
from rackloom.files import FileError, load, migrations, save, schema
from rackloom.files.text import file_chunks

DATA = Path(__file__).parent.parent / "data" / "files"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A saved small design."""
    path = tmp_path / "small.rackloom"
    save(path, small_design())
    return path


def refusal(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        load(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(str(path)), sentence
    return sentence


def altered(path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


# Round trips

NAMES = st.text(max_size=12)
NUMBERS = st.floats(-1e5, 1e5, allow_nan=False)
OPTIONAL = st.none() | NAMES
CURRENCIES = st.text(alphabet=st.characters(categories=["Lu", "Ll"]), min_size=1, max_size=8)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Sound designs: any names and figures, references that lead somewhere."""
    base = small_design()
    devices = [base.devices[key] for key in sorted(base.devices)]
    server = next(d for d in devices if d.name == "gpu-01")
    cages = st.sampled_from([f"N{n}" for n in range(1, 9)])
    ends = st.builds(CableEnd, st.integers(0, 2), st.just(server.id), cages, st.integers(0, 3))
    rack = base.devices[server.id].rack

    def some(kind: type, *fields: Any) -> list[Any]:
        return draw(st.lists(st.builds(kind, *fields), max_size=1))

    lengths = (NUMBERS, NUMBERS, st.booleans(), st.lists(NUMBERS, max_size=3).map(tuple), NUMBERS)
    trays = (st.none() | NUMBERS,) * 4
    settings_fields = (st.just("site"), *[NAMES] * 4, *lengths, *trays, NAMES, NAMES)
    words = st.lists(NAMES, max_size=2).map(tuple)
    modes = st.lists(st.tuples(NAMES, NAMES), max_size=2).map(tuple)
    cards = st.sampled_from([(), (("slot1", "cx7-osfp-400"),)])
    place = (st.none() | st.integers(-5, 99), st.sampled_from(Side), *[OPTIONAL] * 4)
    plugged = st.lists(ends, max_size=3).map(tuple)
    at_server, part = st.just(server.id), st.just("generic-48u-600")
    made: dict[str, list[Any]] = {
        "settings": [draw(st.builds(SiteSettings, *settings_fields))],
        "rows": some(Row, st.just("row90"), NAMES, NUMBERS, NUMBERS),
        "racks": some(Rack, st.just("r91"), NAMES, part, st.just("row1"), NUMBERS),
        "devices": some(
            Device, st.just("d92"), NAMES, st.just(server.part), st.just(rack), *place, cards, modes
        ),
        "modules": some(Module, st.just("m93"), st.just("mma4z00-ns400"), at_server, cages),
        "cables": some(
            Cable,
            *(st.just("c94"), st.just("mcp7y00-n"), plugged, NUMBERS, st.booleans(), NAMES),
            *(OPTIONAL, OPTIONAL),
        ),
        "feeds": some(Feed, st.just("f95"), NAMES, NAMES, NUMBERS, NUMBERS, st.integers(1, 3)),
        "cords": some(Cord, st.just("p96"), at_server, st.integers(1, 6), st.just("f17"), NAMES),
        "notes": some(Note, st.just("n97"), NAMES, NUMBERS, NUMBERS, OPTIONAL),
        "accepted": some(AcceptedFinding, st.just("a98"), NAMES, words, NAMES, NAMES, NAMES, NAMES),
        "severities": some(SeverityOverride, st.text(min_size=1, max_size=9), NAMES),
        "spares": some(SpareShare, st.text(min_size=1, max_size=9), st.floats(0, 1000)),
        "prices": some(
            ListPrice, st.text(min_size=1, max_size=120), st.floats(0, 1e12), CURRENCIES
        ),
    }
    tables = {name: dict(base.table(name)) for name in (*made, "parts")}
    for name, entities in made.items():
        tables[name].update({entity.id: entity for entity in entities})
    return Design(tables)


@given(designs())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_design_comes_back_equal(design: Design) -> None:
    back, extras = schema.parse(b"".join(file_chunks(design)))
    assert back == design
    assert not extras
    assert back.table("settings") == design.table("settings")


def test_every_bundled_part_comes_back_equal() -> None:
    parts = dict(catalog())
    design = Design({"parts": parts})  # type: ignore[dict-item]
    back, _ = schema.parse(b"".join(file_chunks(design)))
    assert back.parts == parts


def test_a_saved_project_opens_as_it_was(small: Path) -> None:
    project = load(small)
    assert project.design == small_design()
    assert project.name == "small"
    assert not project.changed_on_disk()
    small.write_bytes(small.read_bytes() + b"\n")
    assert project.changed_on_disk()


def test_equal_designs_make_equal_files_whatever_their_history() -> None:
    design = small_design()
    draft = Draft(design)
    device = design.devices[next(iter(design.devices))]
    draft.remove("notes", next(iter(design.notes)))
    gone, _ = draft.close("Remove the note")
    again = Draft(gone)
    again.put(next(iter(design.notes.values())))
    back, _ = again.close("Put it back")
    assert back == design
    assert b"".join(file_chunks(back)) == b"".join(file_chunks(design))
    # and one change is one line
    moved = Draft(design)
    edits.rename(moved, device.id, "other")
    renamed, _ = moved.close("Rename")
    before = b"".join(file_chunks(design)).splitlines()
    after = b"".join(file_chunks(renamed)).splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_one_entity_a_line_with_sorted_fields(small: Path) -> None:
    lines = [line.rstrip(",") for line in small.read_text().splitlines() if '"id":' in line]
    design = small_design()
    assert len(lines) == sum(len(design.table(t)) for t in schema.FILE_TABLES)
    for line in lines:
        fields = list(json.loads(line))
        assert fields == sorted(fields)


def test_cages_taken_twice_and_collisions_in_u_still_open(small: Path) -> None:
    design = small_design()
    tables = {name: dict(design.table(name)) for name in schema.FILE_TABLES}
    first, second = (d for d in design.devices.values() if d.name.startswith("gpu"))
    tables["devices"][second.id] = Device(second.id, second.name, second.part, first.rack, 1)
    cable = next(iter(design.cables.values()))
    tables["cables"]["c99"] = Cable("c99", cable.part, cable.ends, 1.0)  # type: ignore[arg-type]
    broken = Design(tables)
    save(small, broken)
    assert load(small).design == broken


def test_unknown_fields_survive_a_round_trip(small: Path) -> None:
    altered(small, '"name":"gpu-01"', '"name":"gpu-01","tint":{"r":1.5},"pinned":[1,null]')
    altered(
        small, '{"cage":"N1","device":"d4","end":1}', '{"cage":"N1","device":"d4","end":1,"z":7}'
    )
    altered(small, '"id":"mfp7e10"', '"id":"mfp7e10","price_eur":12.5')
    altered(small, '"format_version": 1', '"format_version": 1,\n"budget": {"eur": 5}')
    altered(small, '"project":"Test hall"', '"project":"Test hall","mood":"calm"')
    project = load(small)
    assert project.design == small_design()
    draft = Draft(project.design)
    edits.rename(draft, "d4", "renamed")
    design, _ = draft.close("Rename")
    save(small, design, project.extras)
    again = load(small)
    assert again.design == design
    assert again.extras == project.extras
    document = json.loads(small.read_text())
    assert document["budget"] == {"eur": 5}
    device = next(d for d in document["devices"] if d["id"] == "d4")
    assert (device["tint"], device["pinned"]) == ({"r": 1.5}, [1, None])
    assert document["cables"][0]["ends"][1]["z"] == 7
    assert document["settings"][0]["mood"] == "calm"
    assert next(p for p in document["parts"] if p["id"] == "mfp7e10")["price_eur"] == 12.5


def test_unknown_fields_of_what_was_removed_go_with_it(small: Path) -> None:
    altered(small, '"text":"mind the door"', '"text":"mind the door","tint":1')
    project = load(small)
    draft = Draft(project.design)
    edits.remove(draft, ["n20"])
    design, _ = draft.close("Remove")
    save(small, design, project.extras)
    assert "tint" not in small.read_text()


# Broken files


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"part":"mcp7y00-n"', '"part":"no-such-part"', ("line 27", "cable c9", "no-such-part")),
        ('"cage":"N2","device":"d4"', '"cage":"N99","device":"d4"', ("line 27", "N99", "gpu-01")),
        ('"device":"d6","id":"m10"', '"device":"d77","id":"m10"', ("transceiver m10", "d77")),
        ('"rack":"r3"', '"rack":"r33"', ("device d7", "rack 'r33'")),
        ('"row":"row1"', '"row":"row8"', ("rack r2", "row 'row8'")),
        ('"source":"f17"', '"source":"f1"', ("power cord p18", "'f1'")),
        ('"length_m":2.0', '"length_m":NaN', ("NaN",)),
        ('"length_m":2.0', '"length_m":-Infinity', ("Infinity",)),
        ('"length_m":2.0', '"length_m":1e999', ("1e999",)),
        ('"length_m":2.0', '"length_m":1e300', ("cable c9", "field length_m")),
        ('"length_m":2.0', '"length_m":"2.0"', ("line 27", "cable c9", "field length_m")),
        ('"length_m":2.0,', "", ("line 27", "cable c9", "'length_m' is missing")),
        ('"end":2}', '"end":7}', ("cable c9", "end 7")),
        ('"end":2}', '"end":2,"socket":-1}', ("cable c9", "socket")),
        ('"bottom_u":1,', '"bottom_u":1e3,', ("device d4", "field bottom_u")),
        ('"bottom_u":1,', '"bottom_u":%s,' % ("9" * 400), ("device d4",)),
        ('"face":"rear"', '"face":"left"', ("device d6", "field face")),
        ('"id":"c14"', '"id":"c9"', ("cable c9", "twice")),
        ('"id":"c14"', '"id":"d4"', ("cable d4", "already that of a device")),
        ('"id":"c14"', '"id":""', ("cable", "empty")),
        ('"id":"c14"', '"id":"%s"' % ("c" * 500), ("longer than",)),
        ('"id":"mfp7e10"', '"id":"mcp7y00-n"', ("part mcp7y00-n", "twice")),
        ('"id":"site"', '"id":"other"', ("settings",)),
        ('"kind":"nic"', '"kind":"gpu"', ("part cx7-osfp-400", "'gpu'")),
        ('"count":1,', '"count":1000000000,', ("part cx7-osfp-400", "4096")),
        ('"ports":1,', '"ports":999999999,', ("part cx7-osfp-400", "4096")),
        ('"rack_units":48', '"rack_units":4800000', ("part generic-48u-600", "100")),
        ('"rate_gbps":400.0', '"rate_gbps":1e400', ("field cage_groups.0",)),
        ('"slot1","cx7-osfp-400"', '"slot1","mfp7e10"', ("device d4", "NIC")),
        ('"format_version": 1', '"format_version": 2', ("newer", "update Rackloom")),
        ('"format_version": 1', '"format_version": "1"', ("format_version",)),
        ('"format_version": 1', '"format_version": 0', ("format_version",)),
        ('"format": "rackloom"', '"format": "drawing"', ("not a Rackloom project",)),
        ('"racks": [', '"racks": [], "racks": [', ("'racks'", "twice")),
        ('"racks": [', '"racks": [7,', ("rack number 1",)),
        ('"racks": [', '"racks": 7, "rocks": [', ("section racks",)),
        ('"name":"gpu-01"', '"name":"gpu\\ud800"', ("line 14",)),
        ('"name":"gpu-01"', '"tint":' + "[" * 90 + "1" + "]" * 90 + ',"name":"x"', ("deeper",)),
        ('"name":"gpu-01"', '"tint":' + "[" * 900 + "1" + "]" * 900 + ',"name":"x"', ("line 14",)),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused_with_the_place(
    small: Path, old: str, new: str, words: tuple[str, ...]
) -> None:
    sentence = refusal(altered(small, old, new))
    for word in words:
        assert word in sentence
    assert len(sentence) < 700


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\x7fELF\0\0\0", "not a Rackloom project"),
        (b"PK\x03\x04", "not a Rackloom project"),
        (b"hello", "not a Rackloom project"),
        ("{}".encode("utf-16"), "not a Rackloom project"),
        (b'{"a": \xff}', "line 1"),
        (b"[1, 2]", "not a Rackloom project"),
        (b"{}", "not a Rackloom project"),
        (b'{"format": "rackloom"}', "format version"),
        (b'{"format": "rackloom", "format_version": 1, "cables": [', "cut off"),
        (b"{" + b'"a":{' * 100_000, "line 1"),
        (b'{"format": "rackloom", "format_version": %s}' % (b"1" * 5000), "JSON"),
    ],
)
def test_what_is_no_project_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.rackloom"
    path.write_bytes(content)
    assert words in refusal(path)


def test_a_byte_order_mark_does_no_harm(small: Path) -> None:
    small.write_bytes(b"\xef\xbb\xbf" + small.read_bytes())
    assert load(small).design == small_design()


def test_what_is_not_a_regular_file_is_refused(tmp_path: Path) -> None:
    assert "directory" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "none.rackloom")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not a regular file" in refusal(pipe)
    assert "not a regular file" in refusal(Path("/dev/zero"))
    with pytest.raises(FileError, match="not a path"):
        load("a\0b")


def test_an_unreadable_file_is_refused(small: Path) -> None:
    small.chmod(0)
    try:
        if os.access(small, os.R_OK):
            pytest.skip("this user may read everything")
        assert "permission denied" in refusal(small)
    finally:
        small.chmod(0o600)


def test_an_oversized_file_is_refused_unread(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rackloom.files.project.MAX_FILE_BYTES", 1000)
    assert "larger than" in refusal(small)


def test_the_sentence_points_to_the_previous_version(small: Path) -> None:
    save(small, small_design())
    small.write_bytes(small.read_bytes()[:500])
    assert refusal(small).endswith("the previous version is in small.rackloom.bak")


@given(st.data())
@settings(max_examples=150)
def test_no_damage_raises_anything_but_a_file_error(data: st.DataObject) -> None:
    whole = _SMALL
    match data.draw(st.sampled_from(["cut", "flip", "splice", "random"])):
        case "cut":
            broken = whole[: data.draw(st.integers(0, len(whole) - 3))]
        case "flip":
            at = data.draw(st.integers(0, len(whole) - 1))
            broken = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
        case "splice":
            a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
            broken = whole[:a] + data.draw(st.binary(max_size=8)) + whole[b:]
        case _:
            broken = data.draw(st.binary(max_size=64))
    try:
        design, _ = schema.parse(broken)
    except FileError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        # Still sound: what opens must also save, and open as the same.
        assert schema.parse(b"".join(file_chunks(design)))[0] == design


_SMALL = b"".join(file_chunks(small_design()))


# Saving


def test_saving_keeps_the_previous_version(small: Path) -> None:
    first = small.read_bytes()
    save(small, Design())
    second = small.read_bytes()
    backup = small.with_name("small.rackloom.bak")
    assert backup.read_bytes() == first
    save(small, small_design())
    assert backup.read_bytes() == second
    assert sorted(p.name for p in small.parent.iterdir()) == ["small.rackloom", backup.name]


def test_saving_removes_what_a_killed_program_left(small: Path) -> None:
    dead, busy, other = (
        small.with_name(name)
        for name in (
            f".{small.name}.aaaaaaaa.tmp",
            f".{small.name}.bbbbbbbb.tmp",
            ".x.cccccccc.tmp",
        )
    )
    for path in (dead, busy, other):
        path.write_bytes(b"half")
    for path in (dead, other):
        os.utime(path, (1e9, 1e9))
    save(small, small_design())
    assert not dead.exists()
    assert busy.exists(), "another program may be writing it"
    assert other.exists(), "it is not of this file"


def test_saving_keeps_permissions_and_follows_links(small: Path) -> None:
    small.chmod(0o640)
    link = small.with_name("link.rackloom")
    link.symlink_to(small)
    save(link, Design())
    assert link.is_symlink()
    assert load(small).design == Design()
    assert stat.S_IMODE(small.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can tell")
def test_saving_as_root_leaves_a_file_to_its_owner(small: Path) -> None:
    os.chown(small, 1234, 2345)
    save(small, Design())
    assert (small.stat().st_uid, small.stat().st_gid) == (1234, 2345)


def test_a_disk_without_permissions_is_no_obstacle(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refuse)
    monkeypatch.setattr(Path, "chmod", refuse)
    save(small, Design())
    assert load(small).design == Design()


def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(tmp_path / "new.rackloom", Design())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.rackloom").stat().st_mode) == 0o640


def test_a_read_only_file_is_not_replaced(small: Path) -> None:
    small.chmod(0o444)
    before = small.read_bytes()
    with pytest.raises(FileError, match="read-only; save under another name"):
        save(small, Design())
    assert small.read_bytes() == before


@pytest.mark.parametrize("name", [".", "none/x.rackloom", "x" * 300])
def test_a_place_that_cannot_be_written_says_so(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError) as caught:
        save(tmp_path / name, Design())
    assert str(tmp_path / name) in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_old_file(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = small.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="no space left on the disk; make room"):
        save(small, Design())
    assert small.read_bytes() == before
    assert [p.name for p in small.parent.iterdir()] == [small.name]


def test_what_cannot_be_read_back_is_not_written(small: Path) -> None:
    before = small.read_bytes()
    design = small_design()
    tables = {name: dict(design.table(name)) for name in schema.FILE_TABLES}
    cable = next(iter(design.cables.values()))
    tables["cables"][cable.id] = Cable(cable.id, cable.part, cable.ends, float("nan"))
    with pytest.raises(FileError, match=r"small\.rackloom, cable c9, field length_m: nan"):
        save(small, Design(tables))
    assert small.read_bytes() == before


def test_without_hard_links_the_previous_version_is_copied(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    first = small.read_bytes()
    save(small, Design())
    assert small.with_name("small.rackloom.bak").read_bytes() == first


def test_half_a_character_does_not_stop_the_saving(tmp_path: Path) -> None:
    draft = Draft(Design())
    edits.add_row(draft, "row \ud83d")
    design, _ = draft.close("Add")
    path = tmp_path / "x.rackloom"
    save(path, design)
    assert next(iter(load(path).design.rows.values())).name == "row ?"


# Versions


def test_the_frozen_sample_of_version_1_opens() -> None:
    project = load(DATA / "version-1.rackloom")
    frozen = json.loads((DATA / "version-1.json").read_text())
    design = project.design
    younger: dict[str, list[str]] = {
        "spares": [],
        "prices": [],
    }  # tables that came after the sample was frozen
    ids = {t: sorted(design.table(t)) for t in schema.FILE_TABLES}
    assert ids == {**younger, **frozen["ids"]}
    leaf = next(d for d in design.devices.values() if d.name == "leaf-01")
    assert leaf.face is Side.REAR
    assert leaf.modes == (("20", "4x200"),)
    assert design.settings == SiteSettings(project="Test hall", cross_trays_x_m=(0.0, 6.5))
    assert len(design.links) == frozen["cables_with_links"]
    # What a default means may not change under files that left it out.
    server = design.parts[design.devices["d4"].part]  # type: ignore[index]
    assert server.model_dump(mode="json")["psu"] == frozen["psu"]


def test_older_versions_migrate_step_by_step() -> None:
    steps = {
        -1: lambda d: {**d, "a": d["z"]},
        0: lambda d: {**d, "b": d["a"] + 1},
    }
    old = {"format": "rackloom", "format_version": -1, "z": 1}
    new = migrations.migrate(old, -1, to=1, steps=steps)
    assert new == {"format": "rackloom", "format_version": 1, "z": 1, "a": 1, "b": 2}
    assert old == {"format": "rackloom", "format_version": -1, "z": 1}
    with pytest.raises(LookupError, match="version 0"):
        migrations.migrate(old, 0, to=1, steps={})


def test_an_older_file_is_migrated_on_loading(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this program were one version on, and had renamed a field."""

    def migrate(document: dict[str, Any], version: int) -> dict[str, Any]:
        assert version == 1
        rows = [{**r, "name": r["title"]} for r in document["rows"]]
        for row in rows:
            del row["title"]
        return {**document, "rows": rows}

    altered(small, '"name":"Row 1"', '"title":"Row 1"')
    monkeypatch.setattr(schema, "FORMAT_VERSION", 2)
    monkeypatch.setattr(schema, "migrate", migrate)
    assert load(small).design == small_design()


def test_a_thousand_gpus_come_back(tmp_path: Path) -> None:
    design = big_design(1024)
    save(tmp_path / "big.rackloom", design)
    assert load(tmp_path / "big.rackloom").design == design


@pytest.mark.parametrize(
    ("field", "value"),
    [("position_m", "1e11"), ("position_m", "-100001"), ("bottom_u", "999999")],
)
def test_a_place_beyond_any_site_is_refused(tmp_path: Path, field: str, value: str) -> None:
    """A drawing as wide as that has more pixels than Qt can count, and crashed it."""
    file = tmp_path / "far.rackloom"
    save(file, small_design())
    text, found = re.subn(rf'"{field}":[0-9.]+', f'"{field}":{value}', file.read_text(), count=1)
    assert found
    file.write_text(text)
    with pytest.raises(FileError, match=f"line .*field {field}.*not one a design can hold"):
        load(file)


@pytest.mark.parametrize("value", ["1e12", "100001", '"1e12"'])
def test_a_part_wider_than_a_building_is_refused(tmp_path: Path, value: str) -> None:
    """It would be drawn, on a picture with more pixels than Qt can count."""
    file = tmp_path / "wide.rackloom"
    save(file, small_design())
    text, found = re.subn(r'"width_mm":[0-9.]+', f'"width_mm":{value}', file.read_text(), count=1)
    assert found
    file.write_text(text)
    with pytest.raises(FileError, match=r"line .*field width_mm"):
        load(file)
