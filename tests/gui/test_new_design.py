# SPDX-License-Identifier: Apache-2.0
"""The dialog for new designs: what it asks for each preset, and what its lists offer."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

import rackloom
from rackloom.catalog import load_bundled
from rackloom_gui.dialogs.new_design import NewDialog


def test_racks_of_72_gpus_are_asked_for_by_racks(theme: object, qtbot: QtBot) -> None:
    del theme
    dialog = NewDialog(load_bundled())
    qtbot.addWidget(dialog)
    dialog.list.setCurrentRow(1)
    dialog.servers.setValue(5)
    systems = dialog.list.findItems("nvl72", Qt.MatchFlag.MatchExactly)
    dialog.list.setCurrentItem(systems[0])
    assert dialog.servers.accessibleName() == "Racks"
    dialog.servers.setValue(2)
    assert dialog.gpus.text() == "144 GPUs"
    assert "racks" not in dialog._fields
    area = dialog._form_area
    form = area.widget()
    assert form is not None
    dialog.show()
    assert form.minimumSizeHint().width() <= area.viewport().width()  # nothing is cut
    dialog.make()
    qtbot.waitUntil(lambda: dialog.design is not None, timeout=30_000)
    assert dialog.design is not None
    assert rackloom.summary(dialog.design)["gpus"] == 144
    dialog.list.setCurrentRow(1)
    assert dialog.servers.value() == 5


def test_lists_offer_what_makes_a_design(theme: object, qtbot: QtBot) -> None:
    """No trays of whole racks, no NVLink switches, no rack whose contents nobody published."""
    del theme
    dialog = NewDialog(load_bundled())
    qtbot.addWidget(dialog)
    offered: dict[str, set[str]] = {}
    for row in range(1, dialog.list.count()):
        dialog.list.setCurrentRow(row)
        for key, field in dialog._fields.items():
            if isinstance(field, QComboBox):
                ids = {field.itemData(n) for n in range(field.count())} - {None}
                offered.setdefault(key, set()).update(ids)
    assert "dgx-h100" in offered["server"]
    assert "gb200-compute-tray" not in offered["server"]
    assert "nvidia-nvlink5-switch-tray" not in offered["switch"]
    assert offered["system"] == {"gb200-nvl72-rack", "gb300-nvl72-rack"}
    assert offered["cdu"] == {"cdu-4u-250"}
    assert "ocp-orv3" in offered["busbar_rack"]
    assert "ocp-orv3" not in offered["rack"]
    assert all(offered.values())
