# SPDX-License-Identifier: Apache-2.0
"""What the table and the inspector say of a cable: ports as the schedule handed on has them."""

from __future__ import annotations

from pytestqt.qtbot import QtBot
from tests.gui.window_kit import settle

from rackloom.design import Design, Draft, edits
from rackloom.design.entities import Cable
from rackloom.reports import cable_schedule
from rackloom.reports.power import power_of
from rackloom_gui.main_window import MainWindow
from rackloom_gui.panels.columns import cable_columns, device_columns
from rackloom_gui.panels.inspect_cable import CablePage


def cells(design: Design, cable: Cable) -> list[str]:
    found = []
    for column in cable_columns():
        value = column.value(design, cable)
        found.append("unknown" if value is None else column.text(value))
    return found


def texts(window: MainWindow) -> list[str]:
    page = window.inspector.page
    assert isinstance(page, CablePage)
    return [label.text() for label, _ in page._texts]


def test_the_table_begins_with_the_ends_and_names_ports_as_the_schedule_does(
    example: MainWindow,
) -> None:
    titles = [column.title for column in cable_columns()]
    assert titles[:6] == ["Cable", "From", "Port", "To", "Port", "Length"]
    design = example.document.design
    for row in cable_schedule(design):
        cable = design.cables[row.cable]  # type: ignore[index]
        shown = cells(design, cable)[1:5]
        assert shown == [row.a_device, row.a_port, row.b_device, row.b_port], row.cable


def test_two_jumpers_of_one_twin_port_cage_are_told_apart(example: MainWindow) -> None:
    design = example.document.design
    ends = [tuple(cells(design, cable)[1:5]) for cable in design.cables.values()]
    assert len(set(ends)) == len(ends)


def test_the_inspector_gives_the_number_to_order_this_length_by(
    example: MainWindow, qtbot: QtBot
) -> None:
    design = example.document.design
    by_length = {cable.length_m: cable.id for cable in design.cables.values()}
    for length_m, number in ((3.0, "MFP7E10-N003"), (5.0, "MFP7E10-N005")):
        example.document.select([by_length[length_m]])
        assert number in texts(example)
    # Two lengths at once: both numbers.
    example.document.select([by_length[3.0], by_length[5.0]])
    assert "MFP7E10-N003, MFP7E10-N005" in texts(example)

    # A length nobody stocks has no number, and says so.
    def odd(draft: Draft) -> None:
        edits.set_cable(draft, by_length[3.0], length_m=4.2, length_fixed=True)

    example.document.do("Odd length", odd)
    settle(example, qtbot)
    example.document.select([by_length[3.0]])
    assert "unknown" in texts(example)


def test_needed_length_is_route_and_slack(example: MainWindow) -> None:
    """By hand, gpu-001 OSFP1 (0.2 m high) to leaf-02 (2.17025 m), one 0.8 m rack further:

    0.27265 sideways, 2.5 up into the tray at 2.7 m, 0.8 along, 0.52975 down, 0.12065 sideways.
    """
    design = example.document.design
    names = {device.name: device.id for device in design.devices.values()}
    cable = next(
        c
        for c in design.cables.values()
        if {(e.device, e.cage) for e in c.ends}
        == {(names["gpu-001"], "OSFP1"), (names["leaf-02"], "1")}
    )
    example.document.select([cable.id])
    assert any(t == "4.82 m: route 4.22 m, slack 0.6 m" for t in texts(example)), texts(example)


def test_a_cable_without_a_label_goes_by_what_it_joins(example: MainWindow) -> None:
    design = example.document.design
    cable = next(iter(design.cables.values()))
    example.document.select([cable.id])
    page = example.inspector.page
    assert isinstance(page, CablePage)
    ends = sorted(cable.ends, key=lambda end: end.end)
    assert page._title() == " – ".join(design.devices[end.device].name for end in ends)
    page._rename("X-17")
    example.document.flush()
    assert example.inspector.page is not None
    page = example.inspector.page
    assert isinstance(page, CablePage)
    assert page._title() == "X-17"


def test_the_table_of_devices_counts_power_as_the_sums_do(example: MainWindow) -> None:
    design = example.document.design
    column = next(c for c in device_columns() if c.title == "Greatest power")
    powers = power_of(design)
    for device in design.devices.values():
        value, power = column.value(design, device), powers.get(device.id)
        if power is None:
            assert column.text(value) == "", device.name
        else:
            assert value == (power.known_w if power.complete else None), device.name
    switch = next(d for d in design.devices.values() if d.name == "leaf-01")
    assert column.text(column.value(design, switch)).replace(",", "") == "1720 W"
