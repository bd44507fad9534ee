# SPDX-License-Identifier: Apache-2.0
"""Parts of one's own: the form, what it refuses, and files with their doubts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import WindowMaker

from rackloom.catalog import load_bundled
from rackloom.catalog.load import parse_part
from rackloom.catalog.parts import CablePart, PartId, RackPart, ServerPart, SwitchPart
from rackloom.catalog.user_parts import load_catalog, part_entry, read_own
from rackloom_gui.dialogs.own_part import AddDialog, OwnPartDialog
from rackloom_gui.dialogs.own_part_checks import Nonsense, check_id, lengths_of
from rackloom_gui.dialogs.own_part_entry import entry_of, slug
from rackloom_gui.dialogs.own_part_fields import FIELDS, KINDS, fields_of, values_of
from rackloom_gui.icons import Icons
from rackloom_gui.widgets.quantity import QuantityEdit

HEAD = {"manufacturer": "Acme", "model": "One", "trust": "estimate"}
SWITCH = {
    **HEAD, "rack_units": 1.0, "protocol": "ethernet", "power_max_w": 1500.0,
    "ports.count": 32.0, "ports.form_factor": "QSFP-DD", "ports.rate_gbps": 400.0,
    "ports.lanes": 8.0, "ports.protocol": "ethernet", "ports.split": 4.0, "ports.side": "front",
}  # fmt: skip
SERVER = {
    **HEAD, "rack_units": 8.0, "purpose": "gpu", "gpu.model": "X1", "gpu.count": 8.0,
    "scale_up.kind": "nvlink-switched", "scale_up.bandwidth_gb_per_s": 450.0,
    "ports.count": 8.0, "ports.form_factor": "OSFP", "ports.rate_gbps": 400.0, "ports.lanes": 4.0,
    "ports.protocol": "ethernet, infiniband", "ports.role": "compute", "ports.rails": True,
    "ports.side": "rear",
}  # fmt: skip
PDU = {
    **HEAD, "rack_units": 0.0, "phases": "3", "voltage_v": 415.0, "current_a": 32.0,
    "rated_kw": 23.0, "outlets.C13": 24.0, "outlets.C19": 12.0,
}  # fmt: skip
RACK = {**HEAD, "rack_units": 48.0, "width_mm": 800.0, "depth_mm": 1200.0}
CABLE = {
    **HEAD, "technology": "DAC", "ends.a": "OSFP", "ends.b": "QSFP112", "ends.branches": 2.0,
    "ends.rate_gbps": 800.0, "ends.lanes": 8.0, "lengths": "0.5, 1, 2",
}  # fmt: skip
OPTIC = {
    **HEAD, "form_factor": "QSFP112", "rate_gbps": 400.0, "lanes": 4.0, "optical_lanes": 4.0,
    "optic_class": "DR4", "connector": "MPO-12", "sockets": 1.0, "medium": "SMF", "reach": 500.0,
    "protocols": "ethernet",
}  # fmt: skip
FILLED: dict[str, dict[str, Any]] = {
    "server": SERVER, "switch": SWITCH, "pdu": PDU, "rack": RACK, "cable": CABLE,
    "transceiver": OPTIC,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_filled_form_makes_a_part_the_catalogue_takes(kind: str) -> None:
    part = parse_part(entry_of(kind, f"acme-{kind}", FILLED[kind]), "form")
    assert part.title == "Acme One"
    assert part.kind == kind  # type: ignore[attr-defined]


def test_what_the_form_says_is_what_the_part_is() -> None:
    switch = parse_part(entry_of("switch", "s", SWITCH), "form")
    assert isinstance(switch, SwitchPart)
    assert len(switch.data_cages) == 32
    assert {m.ports: m.rate_gbps for m in switch.data_cages[0].modes} == {1: 400, 2: 200, 4: 100}
    # All cages lie on the face: a rack unit is 44.45 mm high, the chassis 440 mm wide.
    assert all(0 < c.x_mm < 440 and 0 < c.y_mm < 44.45 for c in switch.cages)
    assert switch.power_typical_w is None
    server = parse_part(entry_of("server", "v", SERVER), "form")
    assert isinstance(server, ServerPart)
    assert [(c.ports[0].gpu, c.ports[0].rail) for c in server.cages] == [(n, n) for n in range(8)]
    assert server.scale_up is not None
    assert server.scale_up.domain_gpus == 8
    cable = parse_part(entry_of("cable", "c", CABLE), "form")
    assert isinstance(cable, CablePart)
    assert cable.branches == 2
    assert [end.rate_gbps for end in cable.ends] == [800, 400, 400]
    assert cable.lengths_m == (0.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ("kind", "change", "key", "words"),
    [
        ("switch", {"model": None}, "model", "needed"),
        ("switch", {"rack_units": 90.0}, "rack_units", "between"),
        ("switch", {"ports.count": 100.0}, "ports.count", "do not fit"),
        ("switch", {"ports.lanes": 16.0}, "ports.lanes", "8 lanes at most"),
        ("switch", {"ports.split": 3.0}, "ports.split", "do not divide"),
        ("switch", {"power_typical_w": 1600.0}, "power_typical_w", "more than the greatest"),
        ("switch", {"psu.count": 2.0, "psu.needed": 3.0}, "psu.needed", "only 2"),
        ("switch", {"psu.count": 1.5}, "psu.count", "whole number"),
        ("server", {"gpu.count": None}, "gpu.model", "how many"),
        ("server", {"ports.count": 6.0}, "ports.rails", "as many cages as GPUs"),
        ("pdu", {"rated_kw": 40.0}, "rated_kw", "23.0 kW at most"),
        ("pdu", {"outlets.C13": None, "outlets.C19": None}, "outlets.C13", "outlets"),
        ("rack", {"busbar_a": 1400.0}, "busbar_v", "voltage of the busbar"),
        ("rack", {"static_load_kg": 500.0, "dynamic_load_kg": 900.0}, "dynamic_load_kg", "rolling"),
        ("cable", {"lengths": "short"}, "lengths", "metres"),
        ("cable", {"lengths": "100"}, "lengths", "No DAC is 100 m"),
        ("cable", {"technology": "fibre"}, "fibre.fibre_type", "needed"),
        ("cable", {"ends.branches": 3.0}, "ends.branches", "do not divide"),
        ("transceiver", {"lanes": 8.0}, "lanes", "4 lanes at most"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(
    kind: str, change: dict[str, Any], key: str, words: str
) -> None:
    with pytest.raises(Nonsense, match=words) as refused:
        entry_of(kind, "x", {**FILLED[kind], **change})
    assert refused.value.key == key
    assert str(refused.value).endswith(".") or key == "lengths"


@pytest.mark.parametrize(
    ("part_id", "words"),
    [
        ("My Part", "but not “M”"),
        ("my part", "but not a blank"),
        ("../../x", "but not “/”"),
        ("schr\u00e4nk", "but not “\u00e4”"),
        ("-a", "begins with a letter or a digit"),
        ("x" * 81, "81 characters; 80 are the most"),
    ],
)
def test_an_id_that_is_none_is_refused_in_words_not_patterns(
    part_id: str, words: str, theme: object, qtbot: QtBot, tmp_path: Path
) -> None:
    del theme
    with pytest.raises(Nonsense, match=words) as refused:
        check_id(part_id)
    assert refused.value.key == "id"
    dialog = OwnPartDialog(load_bundled(), load_bundled()[PartId("dgx-h100")], folder=tmp_path)
    qtbot.addWidget(dialog)
    dialog.part_id.setText(part_id)
    if len(part_id) > 80:  # more cannot be written
        assert dialog.part_id.text() == part_id[:80]
        return
    dialog.save()
    assert words in dialog.message.text()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [("   ", "nothing but blanks"), ("a\nb", "line break"), ("x" * 500, "500 characters")],
)
def test_words_that_are_none_are_refused(text: str, words: str) -> None:
    for kind in KINDS:
        with pytest.raises(Nonsense, match=words):
            entry_of(kind, "x", {**FILLED[kind], "model": text})


def test_not_a_number_is_refused() -> None:
    with pytest.raises(Nonsense, match="is a number"):
        entry_of("rack", "x", {**RACK, "rack_units": float("nan")})


def test_kind_and_id_are_explained_in_the_form_as_every_field_is(
    theme: object, qtbot: QtBot, tmp_path: Path
) -> None:
    del theme
    dialog = OwnPartDialog(load_bundled(), folder=tmp_path)
    qtbot.addWidget(dialog)
    assert set(dialog.explanations) == {"Kind", "Id"}
    told = dialog.explanations["Id"].text()
    assert "Lower-case letters" in told
    assert "cannot be changed later" in told
    for field in (dialog.kind, dialog.part_id, *dialog.fields.values()):
        assert field.accessibleName()
        assert len(field.accessibleDescription().split()) > 1
        assert field.toolTip() == field.accessibleDescription()


def test_every_field_is_explained() -> None:
    for specs in FIELDS.values():
        keys = [spec.key for spec in specs]
        assert len(keys) == len(set(keys))
        for spec in specs:
            assert spec.help.strip().endswith((".", "2", "8."))
            assert spec.title


def test_a_copy_of_every_bundled_part_is_that_part() -> None:
    for part in load_bundled().values():
        entry = part_entry(part)
        kind = str(entry["kind"])
        specs = fields_of(kind, copied=True)
        again = parse_part(entry_of(kind, part.id, values_of(part, specs), entry), "copy")
        assert again == part, part.id


def test_ids_and_lengths_are_read_as_people_write_them() -> None:
    assert slug("Acme & Co.", "Switch 64/OSFP") == "acme-co.-switch-64-osfp"
    assert lengths_of("2 m; 0.5 m, 1m") == [0.5, 1.0, 2.0]


def type_into(dialog: OwnPartDialog, qtbot: QtBot, key: str, text: str) -> None:
    field = dialog.fields[key]
    assert isinstance(field, QLineEdit)
    qtbot.waitUntil(field.isVisible)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Tab)


def test_a_rack_is_described_refused_and_stored(
    theme: object, qtbot: QtBot, tmp_path: Path
) -> None:
    del theme
    dialog = OwnPartDialog(load_bundled(), folder=tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitActive(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData("rack"))
    type_into(dialog, qtbot, "manufacturer", "Acme")
    type_into(dialog, qtbot, "model", "Cabinet 42U")
    assert dialog.part_id.text() == "acme-cabinet-42u"
    type_into(dialog, qtbot, "rack_units", "42")
    type_into(dialog, qtbot, "width_mm", "23.622 in")
    qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
    assert dialog.message.text() == "Depth is needed."
    assert dialog.part is None
    assert not list(tmp_path.iterdir())
    type_into(dialog, qtbot, "depth_mm", "1.2 m")
    type_into(dialog, qtbot, "source", "Acme data sheet, revision 3")
    qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
    assert dialog.part is not None
    stored = read_own(tmp_path)
    rack = stored.parts[0]
    assert isinstance(rack, RackPart)
    assert rack.rack_units == 42
    assert rack.width_mm == pytest.approx(600.0, abs=0.01)  # 23.622 inches of 25.4 mm
    assert rack.depth_mm == pytest.approx(1200.0)
    assert rack.weight_kg is None
    assert [stored.sources[key] for key in rack.sources] == ["Acme data sheet, revision 3"]


def test_a_duplicate_keeps_what_the_form_does_not_show(
    theme: object, qtbot: QtBot, tmp_path: Path
) -> None:
    del theme
    catalog = load_bundled()
    base = catalog[PartId("dgx-h100")]
    dialog = OwnPartDialog(catalog, base, folder=tmp_path)
    qtbot.addWidget(dialog)
    power = dialog.fields["power_max_w"]
    assert isinstance(power, QuantityEdit)
    power.set_value(9000.0)
    dialog.save()
    copy = read_own(tmp_path).parts[0]
    assert isinstance(copy, ServerPart)
    assert isinstance(base, ServerPart)
    assert copy.id != base.id
    assert copy.power_max_w == 9000.0
    assert copy.cage_groups == base.cage_groups
    assert copy.sources == base.sources


def test_an_id_that_is_taken_is_refused(theme: object, qtbot: QtBot, tmp_path: Path) -> None:
    del theme
    catalog = load_bundled()
    dialog = OwnPartDialog(catalog, catalog[PartId("dgx-h100")], folder=tmp_path)
    qtbot.addWidget(dialog)
    dialog.part_id.setText("dgx-h200")
    dialog.save()
    assert "dgx-h200" in dialog.message.text()
    assert dialog.part is None


NETBOX = """\
manufacturer: Acme
model: Leaf 32
slug: acme-leaf-32
u_height: 1
interfaces:
- {name: Ethernet1, type: 400gbase-x-qsfpdd}
- {name: Ethernet2, type: 400gbase-x-qsfpdd}
- {name: Ethernet4, type: 400gbase-x-qsfpdd}
"""


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RACKLOOM_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "catalog"


def test_a_netbox_file_is_added_with_its_doubts(
    own_folder: Path, icons: Icons, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "leaf.yaml"
    file.write_text(NETBOX, encoding="utf-8")
    bad = tmp_path / "bad.yaml"
    bad.write_text("parts: [", encoding="utf-8")
    dialog = AddDialog([file, bad], icons)
    qtbot.addWidget(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData("switch"))
    if not dialog.report.added:
        qtbot.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
    assert len(dialog.report.added) == 1
    assert dialog.report.added[0].doubts
    for doubt in dialog.report.added[0].doubts:
        assert doubt.split()[0] in dialog.text.toPlainText()
    assert "bad.yaml" in dialog.text.toPlainText()
    assert list(own_folder.glob("*.yaml"))


def test_an_own_part_is_in_the_palette_at_once(
    own_folder: Path, make_window: WindowMaker, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own_folder
    window = make_window()

    def fill(dialog: OwnPartDialog) -> int:
        dialog.kind.setCurrentIndex(dialog.kind.findData("rack"))
        for key, text in (("manufacturer", "Acme"), ("model", "Tall")):
            field = dialog.fields[key]
            assert isinstance(field, QLineEdit)
            field.setText(text)
        for key, value in (("rack_units", 45.0), ("width_mm", 600.0), ("depth_mm", 1100.0)):
            number = dialog.fields[key]
            assert isinstance(number, QuantityEdit)
            number.set_value(value)
        trust = dialog.fields["trust"]
        assert isinstance(trust, QComboBox)
        dialog.save()
        return dialog.result()

    monkeypatch.setattr(OwnPartDialog, "exec", fill)
    window.actions_table.trigger("parts.new")
    assert "acme-tall" in load_catalog()
    assert "acme-tall" in window.palette_panel.shown_parts()
    window.canvas.insert_part("acme-tall")
    racks = window.document.design.racks.values()
    assert [rack.part for rack in racks] == ["acme-tall"]
