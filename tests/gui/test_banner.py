# SPDX-License-Identifier: Apache-2.0
"""The sentence above the drawing stays as long as it is true."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import device_named, trigger

from rackloom.catalog import PartId
from rackloom.design.edits import plug_cable
from rackloom.design.entities import CableEnd
from rackloom.design.ids import CableId
from rackloom_gui.dialogs.losses import LossesDialog
from rackloom_gui.dialogs.swap_part import SwapDialog
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.inspect_device import DevicePage


def test_what_a_swap_could_not_keep_is_no_longer_said_once_it_is_undone(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: SwapDialog) -> QDialog.DialogCode:
        dialog.part = example.editing.catalog[PartId("nvidia-qm8700")]  # type: ignore[assignment]
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(SwapDialog, "exec", choose)
    example.document.select([device_named(example, "leaf-01")])
    trigger(example, qtbot, "parts.swap")
    said = example.banner.text
    assert said.startswith("Not kept: port 1 of leaf-01: the OSFP plug of MMA4Z00-NS")
    assert " of a NVIDIA" not in said
    # The whole list is one click away, names every cable that is left hanging, and shows it.
    assert not example.banner.more.isHidden()
    example.banner.more.click()
    (losses,) = (w for w in example.findChildren(LossesDialog) if w.isVisible())
    design = example.document.design
    loose = [c for c in design.cables.values() if len(c.ends) == 1]
    assert loose
    for cable in loose:
        far = cable.ends[0]
        words = f" to {design.devices[far.device].name} {far.cage}"
        back = f" from {design.devices[far.device].name} {far.cage} to leaf-01 "
        assert any(words in line or back in line for line in losses.lines()), words
    first = losses.list.topLevelItem(0)
    assert first is not None
    losses.list.setCurrentItem(first)
    losses.list.clicked.emit(losses.list.currentIndex())
    assert device_named(example, "leaf-01") in example.document.selection
    assert len(example.document.selection) > 1
    example.document.select([device_named(example, "leaf-01")])
    # Another step leaves it: it still holds.
    trigger(example, qtbot, "edit.flip_face")
    assert example.banner.text == said
    trigger(example, qtbot, "edit.undo")
    assert example.banner.text == said
    trigger(example, qtbot, "edit.undo")
    qtbot.waitUntil(lambda: example.banner.text == "")
    qtbot.waitUntil(lambda: not example.findChildren(LossesDialog))


def test_a_split_that_darkens_a_link_is_told(example: MainWindow, qtbot: QtBot) -> None:
    """A cable that a new split of its port leaves dark is named, though it stays plugged."""
    leaf = device_named(example, "leaf-01")
    design = example.document.design
    links = (link for found in design.links.values() for link in found)
    port = next(ref for link in links for ref in (link.a, link.b) if ref.device == leaf)
    example.document.select([leaf])
    page = example.inspector.page
    assert isinstance(page, DevicePage)
    table = page._table
    assert table is not None
    row = next(n for n, line in enumerate(table.ports.lines) if line.cage.name == port.cage)
    table.selectRow(row)
    page._set_mode("4x200")
    assert "stays plugged but" in example.banner.text
    trigger(example, qtbot, "edit.undo")
    qtbot.waitUntil(lambda: example.banner.text == "")


def test_cables_can_be_swapped_and_only_those_that_fit_are_offered(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A straight copper cable may be that of a longer reach; fibres and breakouts do not fit."""
    cable = _copper_between_leaves(example)

    def choose(dialog: SwapDialog) -> QDialog.DialogCode:
        assert dialog.choose("mca4j80-n")
        assert not dialog.choose("mfp7e10")
        assert not dialog.choose("mcp7y00-n")
        dialog.alike.setChecked(False)
        assert dialog.choose("mfp7e10")
        dialog.alike.setChecked(True)
        assert dialog.choose("mca4j80-n")
        assert "Everything can be kept" in dialog.summary.text()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(SwapDialog, "exec", choose)
    before = example.document.design.cables[cable]
    example.document.select([cable])
    trigger(example, qtbot, "parts.swap")
    after = example.document.design.cables[cable]
    assert (after.part, after.ends) == ("mca4j80-n", before.ends)
    assert example.banner.text == ""


def _copper_between_leaves(example: MainWindow) -> CableId:
    dac = example.editing.catalog[PartId("mcp4y10-n")]
    ends = [
        CableEnd(n, device_named(example, name), _free_cage(example, name))
        for n, name in enumerate(("leaf-01", "leaf-02"))
    ]
    cable: CableId = example.editing.run("Wire", plug_cable, dac, ends, 2.0)
    return cable


def _free_cage(example: MainWindow, name: str) -> str:
    design = example.document.design
    device = device_named(example, name)
    taken = {m.cage for m in design.modules.values() if m.device == device}
    return next(cage.name for cage in design.device_part(device).cages if cage.name not in taken)


def test_what_needs_a_hand_after_a_swap_is_told_too(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fibre in the place of copper is kept at both ends, but dark without transceivers."""
    cable = _copper_between_leaves(example)

    def choose(dialog: SwapDialog) -> QDialog.DialogCode:
        dialog.alike.setChecked(False)
        assert dialog.choose("mfp7e10")
        assert "needs a transceiver now" in dialog.report.toPlainText()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(SwapDialog, "exec", choose)
    example.document.select([cable])
    trigger(example, qtbot, "parts.swap")
    assert "stays plugged but carries no link any more" in example.banner.text
    example.banner.more.click()
    (told,) = (w for w in example.findChildren(LossesDialog) if w.isVisible())
    assert sum("needs a transceiver now" in line for line in told.lines()) == 2
    told.close()


def test_what_is_about_no_step_stays(example: MainWindow, qtbot: QtBot) -> None:
    example.document.select([device_named(example, "leaf-01")])
    trigger(example, qtbot, "edit.flip_face")
    example.banner.say("error", "The file cannot be read.")
    trigger(example, qtbot, "edit.undo")
    assert example.banner.text == "The file cannot be read."
