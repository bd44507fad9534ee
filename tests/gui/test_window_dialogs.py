# SPDX-License-Identifier: Apache-2.0
"""Dialogs, clipboard and faults: what they ask, show, and do."""

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from tests.gui.window_kit import WindowMaker, device_named, settle, trigger

import rackloom
from rackloom.catalog import DevicePart, PartId, load_bundled
from rackloom.collectives import estimate
from rackloom.design import edits
from rackloom.files import Recovery, WaitingJournal
from rackloom_gui import clipboard
from rackloom_gui.dialogs.connect import ConnectDialog
from rackloom_gui.dialogs.help import HelpWindow, pages
from rackloom_gui.dialogs.new_design import NewDialog
from rackloom_gui.dialogs.project import ProjectDialog
from rackloom_gui.dialogs.questions import RecoveryDialog
from rackloom_gui.dialogs.small import AboutDialog, RenameDialog
from rackloom_gui.faults import Faults
from rackloom_gui.main_window import MainWindow

# New


def test_a_preset_becomes_a_design(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: NewDialog) -> QDialog.DialogCode:
        dialog.list.setCurrentRow(1)
        dialog.servers.setValue(4)
        assert dialog.gpus.text() == "32 GPUs"
        dialog.make()
        qtbot.waitUntil(lambda: dialog.design is not None, timeout=30_000)
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(NewDialog, "exec", choose)
    trigger(window, qtbot, "file.new")
    settle(window, qtbot)
    design = window.document.design
    assert estimate(design).gpus == 32
    assert not window.document.is_clean
    assert window.document.path is None


def test_a_wish_that_cannot_be_met_is_said_in_the_dialog(theme: object, qtbot: QtBot) -> None:
    del theme
    dialog = NewDialog(load_bundled())
    qtbot.addWidget(dialog)
    dialog.list.setCurrentRow(1)
    dialog.servers.setValue(2)
    field = dialog._fields["oversubscription"]
    field.setText("0.2")  # type: ignore[attr-defined]
    dialog.make()
    qtbot.waitUntil(lambda: "oversubscription" in dialog._message.text().lower())
    assert dialog.design is None
    assert dialog._ok.isEnabled()
    dialog.reject()


def test_an_empty_design_from_the_dialog(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: NewDialog) -> QDialog.DialogCode:
        dialog.list.setCurrentRow(0)
        dialog.make()
        return QDialog.DialogCode(dialog.result())

    monkeypatch.setattr(NewDialog, "exec", choose)
    trigger(example, qtbot, "file.new")
    assert not example.document.design.devices


# Connect


def test_connecting_shows_every_cable_and_is_one_step(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    cables = set(example.document.design.cables)
    example.document.do("Bare", edits.remove, cables)
    servers = [device_named(example, f"gpu-00{n}") for n in range(1, 5)]
    leaves = [device_named(example, "leaf-01"), device_named(example, "leaf-02")]
    example.document.select([*servers, *leaves])
    seen: list[ConnectDialog] = []

    def accept(dialog: ConnectDialog) -> QDialog.DialogCode:
        seen.append(dialog)
        assert dialog.plan.links == 32
        assert dialog.table.rowCount() == 32
        assert "Connect with" in dialog._ok.text()
        model = dialog.table.model()
        across = Qt.Orientation.Horizontal
        headers = [model.headerData(column, across) for column in range(6)]
        assert headers == ["From", "To", "Rail", "Part", "Needed", "Length"]
        rows = [[model.index(row, column).data() for column in range(6)] for row in range(32)]
        assert len({(row[0], row[1]) for row in rows}) == 32  # no port is listed twice
        assert {row[2] for row in rows} == {str(rail) for rail in range(8)}
        for row in rows:
            assert float(row[4].removesuffix(" m")) <= float(row[5].removesuffix(" m"))
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ConnectDialog, "exec", accept)
    trigger(example, qtbot, "connect.rails")
    assert seen
    design = example.document.design
    assert sum(len(links) for links in design.links.values()) == 32
    rails: dict[str, set[int]] = {}
    for links in design.links.values():
        for link in links:
            server, leaf = (link.a, link.b) if link.a.device in servers else (link.b, link.a)
            part = design.device_part(server.device)
            rail = part.cage_by_name[server.cage].ports[server.index].rail
            assert rail is not None
            rails.setdefault(leaf.device, set()).add(rail)
    assert [rails[leaf] for leaf in leaves] == [{0, 1, 2, 3}, {4, 5, 6, 7}]
    example.document.undo()
    assert not example.document.design.cables


def test_leaves_are_joined_to_spines_as_one_step(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.document.do("Bare", edits.remove, set(example.document.design.cables))
    names = ("leaf-01", "leaf-02", "spine-01", "spine-02")
    switches = {name: device_named(example, name) for name in names}
    example.document.select(list(switches.values()))

    def accept(dialog: ConnectDialog) -> QDialog.DialogCode:
        ticked = {
            item.data(Qt.ItemDataRole.UserRole)
            for row in range(dialog.upper.count())
            if (item := dialog.upper.item(row)).checkState() is Qt.CheckState.Checked
        }
        assert ticked == {switches["spine-01"], switches["spine-02"]}
        # As many as fit: 64 ports of each switch, two switches on the other side; a cable of the
        # twin-port kind carries two links.
        assert "32 links between each pair" in dialog.problems.toPlainText()
        assert len(dialog.plan.plans) == 64
        dialog.links.setValue(4)
        dialog._work_out()
        assert len(dialog.plan.plans) == 8
        assert not dialog.keep_free.isVisibleTo(dialog)
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ConnectDialog, "exec", accept)
    trigger(example, qtbot, "connect.rails")
    design = example.document.design
    pairs: dict[frozenset[str], int] = {}
    for links in design.links.values():
        for link in links:
            ends = frozenset({design.name_of(link.a.device), design.name_of(link.b.device)})
            pairs[ends] = pairs.get(ends, 0) + 1
    assert pairs == {frozenset({leaf, spine}): 4 for leaf in names[:2] for spine in names[2:]}
    example.document.undo()
    assert not example.document.design.cables


def test_management_ports_of_switches_go_out_of_band(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaves = [device_named(example, "leaf-01"), device_named(example, "leaf-02")]
    part = example.editing.catalog[PartId("nvidia-sn2201")]
    assert isinstance(part, DevicePart)
    rack = example.document.design.devices[leaves[0]].rack
    oob = example.document.do("Add", edits.add_device, part, rack, 30, name="oob-01")
    servers = [device_named(example, f"gpu-00{n}") for n in range(1, 5)]
    for members in (servers, leaves):
        example.document.select([*members, oob])

        def accept(dialog: ConnectDialog) -> QDialog.DialogCode:
            dialog.role.setCurrentIndex(dialog.role.findText("out of band"))
            assert dialog.plan.links == len(members)  # noqa: B023  # called in this turn
            return QDialog.DialogCode.Accepted

        monkeypatch.setattr(ConnectDialog, "exec", accept)
        trigger(example, qtbot, "connect.rails")
    design = example.document.design
    out = [c for c in design.cables.values() if c.fabric == "out-of-band"]
    assert len(out) == 6
    assert all(oob in {end.device for end in cable.ends} for cable in out)


def test_a_technology_that_does_not_reach_is_explained(example: MainWindow, qtbot: QtBot) -> None:
    example.document.do("Bare", edits.remove, set(example.document.design.cables))
    design = example.document.design
    dialog = ConnectDialog(
        design,
        example.editing.catalog,
        [device_named(example, "gpu-001")],
        [device_named(example, "leaf-02")],
        example,
    )
    qtbot.addWidget(dialog)
    dialog.technology.setCurrentIndex(dialog.technology.findText("DAC"))
    assert not dialog._ok.isEnabled()
    assert "gpu-001" in dialog.problems.toPlainText()
    assert not dialog.problems.isHidden()


def test_power_is_connected_over_both_feeds(example: MainWindow, qtbot: QtBot) -> None:
    design = example.document.design
    server = device_named(example, "gpu-001")
    cords = set(design.index.cords_of_device[server])
    example.document.do("Unplug", edits.remove, cords)
    example.document.select([server])
    trigger(example, qtbot, "connect.power")
    design = example.document.design
    sources = {design.name_of(design.cords[c].source) for c in design.index.cords_of_device[server]}
    assert len(design.index.cords_of_device[server]) == len(cords)
    assert len(sources) == 2


# Settings


def test_settings_and_severities_are_one_step(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(dialog: ProjectDialog) -> QDialog.DialogCode:
        dialog.drawing.setText("E-101")
        dialog.tray.setValue(3.1)
        box = dialog.severity_box("reach.too-short")
        box.setCurrentIndex(box.findData("info"))
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ProjectDialog, "exec", change)
    trigger(example, qtbot, "edit.settings")
    design = example.document.design
    assert (design.settings.drawing, design.settings.tray_height_m) == ("E-101", 3.1)
    assert design.severities["reach.too-short"].severity == "info"
    assert len(example.document.history.steps) == 1
    trigger(example, qtbot, "edit.undo")
    assert not example.document.design.severities


def test_nothing_changed_is_no_step(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectDialog, "exec", lambda _dialog: QDialog.DialogCode.Accepted)
    trigger(example, qtbot, "edit.settings")
    assert example.document.is_clean


# Small ones


def test_renaming_with_f2(
    example: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaf = device_named(example, "leaf-01")
    example.document.select([leaf])

    def answer(dialog: RenameDialog) -> QDialog.DialogCode:
        assert dialog.edit.selectedText() == "leaf-01"
        qtbot.keyClicks(dialog.edit, "leaf-a")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(RenameDialog, "exec", answer)
    trigger(example, qtbot, "edit.rename")
    assert example.document.design.name_of(leaf) == "leaf-a"


def test_about_says_the_version(theme: object, qtbot: QtBot) -> None:
    del theme
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    texts = [child.text() for child in dialog.children() if hasattr(child, "text")]
    assert any(rackloom.__version__ in text for text in texts)


def test_every_page_of_the_help_can_be_read(window: MainWindow, qtbot: QtBot) -> None:
    trigger(window, qtbot, "help.contents")
    shown = window.bindings._help
    assert isinstance(shown, HelpWindow)
    assert {"start", "cabling", "problems", "throughput", "files", "exports"} <= set(pages())
    for name, (title, _text) in pages().items():
        assert shown.show_page(name)
        assert title in shown.view.toPlainText()
    shown.close()


def test_links_between_pages_of_the_help_lead_somewhere() -> None:
    import re

    for name, (_title, text) in pages().items():
        for target in re.findall(r"\]\(([a-z-]+)\.md\)", text):
            assert target in pages(), f"{name} links to {target}"


def test_the_recovery_dialog_says_when_which_file_and_how_many(
    theme: object, qtbot: QtBot, example: MainWindow
) -> None:
    del theme
    found = [
        (
            WaitingJournal(Path("a"), Path("hall.rackloom"), 0.0),
            Recovery(None, example.document.design, ("Add", "Move"), 1.7e9, True, False, 0),
        ),
        (
            WaitingJournal(Path("b"), None, 0.0),
            Recovery(None, example.document.design, ("Add",), 1.7e9, True, False, 0),
        ),
    ]
    dialog = RecoveryDialog(found)
    qtbot.addWidget(dialog)
    first = dialog._list.item(0).text()
    assert "hall.rackloom" in first
    assert "2023-11-1" in first
    assert "2 steps, the last one: Move" in first
    dialog.discard_button.click()
    dialog.restore_button.click()
    assert [answer for _, answer in dialog.answers()] == ["discard", "restore"]


# Clipboard


def test_copy_and_paste_between_windows(
    example: MainWindow, make_window: WindowMaker, qtbot: QtBot
) -> None:
    rack = next(iter(example.document.design.racks))
    example.document.select([rack])
    trigger(example, qtbot, "edit.copy")
    assert "gpu-001\tNVIDIA DGX H100\tA01\t1" in QGuiApplication.clipboard().text()
    other = make_window()
    trigger(other, qtbot, "edit.paste")
    design = other.document.design
    assert len(design.racks) == 1
    assert {d.name for d in design.devices.values()} >= {"gpu-001", "leaf-01"}
    inside = [
        c
        for c in example.document.design.cables.values()
        if all(example.document.design.devices[e.device].rack == rack for e in c.ends)
    ]
    assert len(design.cables) == len(inside)


def test_cut_and_paste_moves(example: MainWindow, qtbot: QtBot) -> None:
    leaf = device_named(example, "leaf-01")
    rack_b = next(r.id for r in example.document.design.racks.values() if r.name == "A02")
    example.document.select([leaf])
    trigger(example, qtbot, "edit.cut")
    assert leaf not in example.document.design.devices
    example.document.select([rack_b])
    trigger(example, qtbot, "edit.paste")
    new = device_named(example, "leaf-01")
    assert example.document.design.devices[new].rack == rack_b


def test_a_broken_clipboard_is_one_sentence(example: MainWindow, qtbot: QtBot) -> None:
    mime = QMimeData()
    mime.setData(clipboard.MIME, b'{"format": "rackloom", "format_version": 1, "devices": [1]}')
    QGuiApplication.clipboard().setMimeData(mime)
    before = example.document.design
    trigger(example, qtbot, "edit.paste")
    assert example.document.design is before
    assert example.status.message.text()


# What nobody expected


def test_an_unexpected_error_is_a_sentence_and_a_log(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    faults = Faults(window.banner.say, tmp_path / "rackloom.log")
    faults.install()
    try:
        try:
            raise RuntimeError("boom")
        except RuntimeError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        faults.uninstall()
    assert "boom" in window.banner.text
    assert str(tmp_path / "rackloom.log") in window.banner.text
    log = (tmp_path / "rackloom.log").read_text()
    assert "Traceback" in log
    assert "RuntimeError: boom" in log


def test_an_error_in_a_thread_is_told_too(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    faults = Faults(window.banner.say, tmp_path / "rackloom.log")
    faults.install()

    def fail() -> None:
        raise ValueError("in a thread")

    try:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: "in a thread" in window.banner.text)
    finally:
        faults.uninstall()
    QApplication.processEvents()


# What is left of a dialog


@pytest.mark.parametrize(
    "action_id",
    [
        "file.new",
        "edit.rename",
        "edit.settings",
        "parts.swap",
        "parts.new",
        "export.labels",
        "help.shortcuts",
        "help.about",
    ],
)
def test_no_dialog_stays_with_the_window_once_it_was_closed(
    action_id: str, example: MainWindow, qtbot: QtBot
) -> None:
    """Each one held the design that it was about for as long as the window was open."""
    example.document.select([device_named(example, "leaf-01")])
    seen: list[str] = []

    def close() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog):
            seen.append(type(dialog).__name__)
            dialog.reject()

    before = len(example.findChildren(QDialog))
    timer = QTimer(example)
    timer.timeout.connect(close)
    timer.start(10)
    trigger(example, qtbot, action_id)
    timer.stop()
    assert len(seen) == 1
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert len(example.findChildren(QDialog)) == before
