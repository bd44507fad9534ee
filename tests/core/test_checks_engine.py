# SPDX-License-Identifier: Apache-2.0
"""The engine: incremental equals full, severities, acceptances, states, JSON, rule reference."""

import json
from dataclasses import replace
from importlib.resources import files
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import small_design
from tests.core.rule_world import CATALOG, H100, QM9700, World, fire

from rackloom.catalog.parts import (
    CablePart,
    DevicePart,
    NicPart,
    Part,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
)
from rackloom.catalog.site_parts import PanelPart, PowerShelfPart, RackSystemPart
from rackloom.checks import Findings, State, as_json, as_text, rules, run
from rackloom.checks.reference import markdown
from rackloom.checks.report import summary, worst
from rackloom.design import CableEnd, Design, Draft, EditError, edits
from rackloom.design.copying import duplicate
from rackloom.design.ids import DeviceId
from rackloom.design.kits import add_rack_system
from rackloom.design.recabling import change_mode, swap_cable
from rackloom.design.swapping import swap_device
from rackloom.generate import generate
from rackloom.placement.power import apply as apply_power
from rackloom.placement.power import plan_power

P = TypeVar("P", bound=Part)

PART_NUMBERS = st.integers(0, 10_000)


def some_world() -> Design:
    """Two servers, three switches, PDUs and feeds, in two racks; clean and less clean places."""
    world = World("generic-48u-600", "generic-48u-600", "generic-48u-600")
    leaf1, leaf2 = world.device(QM9700, "leaf-01", u=40), world.device(QM9700, "leaf-02", u=41)
    spine = world.device(QM9700, "spine-01", rack=1, u=40)
    servers = [world.device(H100, f"gpu-0{n}", rack=n % 2) for n in range(3)]
    for n, server in enumerate(servers):
        for rail in range(4):
            world.rail((leaf1, leaf2)[rail % 2], str(1 + n), rail // 2, server, rail)
    for leaf, cage in ((leaf1, "1"), (leaf2, "2")):
        world.cable("mcp4y10-n", (leaf, "20"), (spine, cage), length_m=2)
        world.optics((leaf, "17", 0), (spine, "1" + cage, 0), length_m=5)
    panels = [world.device("generic-mpo-panel-1u", f"panel-{n}", rack=2) for n in range(2)]
    for switch, cage, panel in ((leaf1, "25", panels[0]), (spine, "25", panels[1])):
        world.module("mms4x00-nm", switch, cage)
        world.cable("mfp7e30", (switch, cage, 0), (panel, "F1"), length_m=10)
    world.cable("trunk-12-os2", (panels[0], "R1"), (panels[1], "R1"), length_m=10)
    pdus = [world.device("generic-415-60", f"pdu-{n}", mount=f"left-{n}") for n in range(2)]
    for n, pdu in enumerate(pdus):
        world.cord(pdu, 1, world.feed(f"F{n}", "AB"[n], current_a=30))
        for inlet in range(3):
            world.cord(servers[0], 1 + n + 2 * inlet, pdu, f"C19-{inlet + 1}")
        world.cord(servers[2], 1 + n, pdu, "C19-9")
        world.cord(leaf1, 1 + n, pdu, "C13-1")
    bar = len(world.racks)
    world.rack("ocp-orv3")
    tray = world.part("gb200-compute-tray").model_copy(
        update={"id": "tray-5kw", "power_max_w": 8000.0}
    )
    assert isinstance(tray, DevicePart)
    for n, feed in enumerate(list(world.draft.feeds)):
        world.device(tray, f"tray-{n}", rack=bar)
        world.cord(world.device("orv3-15", f"shelf-{n}", rack=bar), 1, feed)
    return world.design


def edit(draft: Draft, kind: int, a: int, b: int) -> None:
    """One of many edits; the numbers choose what it touches."""
    devices, cables = list(draft.devices.values()), list(draft.cables.values())
    device, other = devices[a % len(devices)], devices[b % len(devices)]
    cable = cables[a % len(cables)] if cables else None
    racks = list(draft.racks)
    switches = [d for d in devices if isinstance(draft.parts[d.part], SwitchPart)]
    part = draft.part(device.part, DevicePart)
    match kind:
        case 0:
            edits.rename(draft, device.id, f"name-{b % 4}")
        case 1:
            u = None if device.bottom_u is None else 1 + b % 60
            if u is None:
                edits.set_device(draft, device.id, rack=racks[b % len(racks)])
            else:
                edits.move_device(draft, device.id, racks[b % len(racks)], u)
        case 2:
            edits.remove(draft, [device.id])
        case 3 if cable is not None:
            edits.remove(draft, [cable.id])
        case 4 if cable is not None:
            edits.set_cable(draft, cable.id, length_m=[1.0, 1.7, 3.0, 60.0][b % 4])
        case 5 if len(switches) > 1:
            x, y = switches[a % len(switches)], switches[b % len(switches)]
            stock = [p for p in CATALOG.of_kind(CablePart) if p.branches == 1]
            ends = [CableEnd(0, x.id, str(1 + a % 32)), CableEnd(1, y.id, str(1 + b % 32))]
            edits.plug_cable(draft, stock[(a + b) % len(stock)], ends, 2.0, label="L" * (a % 2))
        case 6:
            cages = list(part.cages)
            optics = CATALOG.of_kind(TransceiverPart)
            if cages:
                cage = cages[a % len(cages)].name
                edits.insert_module(draft, optics[b % len(optics)], device.id, cage)
        case 7 if draft.modules:
            edits.remove(draft, [list(draft.modules)[a % len(draft.modules)]])
        case 8:
            edits.flip_devices(draft, [device.id])
        case 9 if draft.cords:
            edits.remove(draft, [list(draft.cords)[a % len(draft.cords)]])
        case 10:
            pdus = [d.id for d in devices if d.name.startswith("pdu")]
            if pdus:
                edits.plug_cord(draft, device.id, 1 + b % 7, pdus[a % len(pdus)], f"C19-{b % 9}")
        case 11:
            edits.change_settings(draft, slack_m=(0.0, 0.3, 1.5)[a % 3], feed_derating=0.6)
        case 12:
            row = draft.racks[racks[0]].row
            rack_part, switch = CATALOG.require("generic-48u-600"), CATALOG.require(QM9700)
            assert isinstance(rack_part, RackPart)
            assert isinstance(switch, SwitchPart)
            rack = edits.add_rack(draft, rack_part, row, 9 + b % 90)
            edits.add_device(draft, switch, rack, 1 + a % 40)
        case 13:
            edits.move_rack(draft, racks[a % len(racks)], draft.racks[racks[0]].row, float(b % 50))
        case 14 if switches:
            modes = ["4x200", "2x400", None]
            cage = str(1 + b % 20)
            edits.set_mode(draft, switches[a % len(switches)].id, cage, modes[b % 3])
        case 15:
            rule = list(rules())[a % len(rules())]
            edits.set_severity(draft, rule, ["off", "error", "info", None][b % 4])
        case 16:
            edits.set_device(draft, device.id, role=["spine", "leaf", None][b % 3])
        case 17 if draft.feeds:
            feed = list(draft.feeds.values())[a % len(draft.feeds)]
            draft.put(replace(feed, group="ABC"[b % 3], current_a=10.0 + b % 90))
        case 18 if cable is not None and cable.ends:
            ends = list(cable.ends)
            ends[-1] = replace(ends[-1], cage=str(1 + b % 32))
            edits.replug_cable(draft, cable.id, ends)
        case 19:
            edits.set_device(draft, device.id, face=other.face)
        case _:
            exchange(draft, kind, a, b)


def exchange(draft: Draft, kind: int, a: int, b: int) -> None:
    """Edits that put other hardware in the place of what is there, and copies of it."""
    devices, cables = list(draft.devices.values()), list(draft.cables.values())
    device = devices[a % len(devices)]
    part = draft.part(device.part, DevicePart)
    match kind:
        case 20:
            swap_device(draft, device.id, pick(type(part), b))
        case 21 if cables:
            swap_cable(draft, cables[a % len(cables)].id, pick(CablePart, b))
        case 22 if part.cages:
            cage = part.cages[b % len(part.cages)]
            change_mode(draft, device.id, cage.name, [*(m.name for m in cage.modes), None][b % 2])
        case 23 if isinstance(part, ServerPart) and part.slots:
            slot = part.slots[b % len(part.slots)].name
            edits.set_card(draft, device.id, slot, [None, pick(NicPart, b)][a % 2])
        case 24:
            duplicate(draft, draft.base, [device.id, devices[b % len(devices)].id])
        case 25 if draft.modules:
            module = list(draft.modules)[a % len(draft.modules)]
            edits.swap_module(draft, module, pick(TransceiverPart, b))
        case 26:
            rack = list(draft.racks.values())[a % len(draft.racks)]
            draft.put(replace(rack, part=draft.embed(pick(RackPart, b))))
        case 27:
            system = CATALOG.require("gb200-nvl72-rack")
            assert isinstance(system, RackSystemPart)
            add_rack_system(draft, system, CATALOG, next(iter(draft.rows)), 10.0 + b % 50)
        case 28:
            shelf_or_panel = pick((PowerShelfPart, PanelPart)[a % 2], b)
            edits.add_device(
                draft, shelf_or_panel, list(draft.racks)[b % len(draft.racks)], 1 + a % 40
            )
        case 29:
            apply_power(draft, plan_power(draft.base, CATALOG, [device.id]))
        case _:
            pass


def pick(kind: type[P], number: int) -> P:
    """One of the bundled parts of a kind."""
    parts = CATALOG.of_kind(kind)
    return parts[number % len(parts)]


def same(incremental: Findings, full: Findings) -> None:
    """Equal as a whole, and rule by rule."""
    for rule_id in rules():
        assert incremental.state(rule_id) is full.state(rule_id), rule_id
        mine = [f for f in incremental if f.rule == rule_id]
        theirs = [f for f in full if f.rule == rule_id]
        assert [(f.where, f.message, f.severity) for f in mine] == [
            (f.where, f.message, f.severity) for f in theirs
        ], rule_id
    assert incremental == full


STEPS = st.lists(st.tuples(st.integers(0, 29), PART_NUMBERS, PART_NUMBERS), min_size=1, max_size=8)


@settings(max_examples=40)
@given(STEPS)
def test_incremental_findings_equal_those_of_a_full_run(
    steps: list[tuple[int, int, int]],
) -> None:
    design = some_world()
    design.index, design.links  # noqa: B018 - carried along by edits, as in the program
    findings = run(design)
    for step in steps:
        draft = Draft(design)
        try:
            edit(draft, *step)
            after, done = draft.close("Edit")
        except (EditError, KeyError):
            continue
        findings = findings.patched(after, done.change)
        same(findings, run(after))
        back = after.apply(done.change.inverse)
        same(findings.patched(back, done.change.inverse), run(back))
        design = after


def test_clearing_the_hall_and_taking_that_back_derives_all_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is mostly new is not patched record by record, and says the same."""
    monkeypatch.setattr("rackloom.design.value._BULK", 10)
    design = some_world()
    design.index, design.links, design.links_via  # noqa: B018 - as in the program
    findings = run(design)
    draft = Draft(design)
    edits.remove(draft, list(design.rows))
    cleared, step = draft.close("Clear")
    assert cleared.mostly_new(step.change)
    assert "links" not in cleared.__dict__
    assert cleared.next_number >= design.next_number, "ids are not given twice"
    same(findings.patched(cleared, step.change), run(cleared))
    back = cleared.apply(step.change.inverse)
    assert back == design
    assert dict(back.links) == dict(design.links)
    same(findings.patched(cleared, step.change).patched(back, step.change.inverse), findings)


def test_a_fabric_stays_equal_while_links_come_and_go() -> None:
    design = generate("rail-fat-tree", CATALOG, servers=64).design
    findings = run(design)
    ids = [*list(design.cables)[::97], *[d for d in design.devices if "leaf" in design.name_of(d)]]
    for victim in ids[:8]:
        draft = Draft(design)
        edits.remove(draft, [victim])
        after, step = draft.close("Remove")
        findings = findings.patched(after, step.change)
        same(findings, run(after))
        design = after


def test_replacing_a_part_checks_everything_again() -> None:
    world = World()
    for n in range(4):
        world.device(H100, f"gpu-{n}")
    design = world.design
    findings = run(design)
    draft = Draft(design)
    heavy = draft.part(CATALOG.require(H100).id, DevicePart)
    draft.replace_part(heavy.model_copy(update={"weight_kg": 500.0}))
    after, step = draft.close("Correct the weight")
    patched = findings.patched(after, step.change)
    assert "space.weight" in {f.rule for f in patched}
    same(patched, run(after))


# Severities and acceptances


def dark_server() -> tuple[Design, DeviceId]:
    world = World()
    server = world.device(H100, "gpu-01")
    return world.design, server


def changed(design: Design, change: object, *args: object, **kwargs: object) -> Design:
    draft = Draft(design)
    change(draft, *args, **kwargs)  # type: ignore[operator]
    return draft.close("Change")[0]


def test_a_project_turns_a_rule_down_and_off() -> None:
    design, server = dark_server()
    lower = run(changed(design, edits.set_severity, "power.no-power", "info"))
    assert next(f for f in lower if f.rule == "power.no-power").severity == "info"
    silent = run(changed(design, edits.set_severity, "power.no-power", "off"))
    assert silent.state("power.no-power") is State.NOT_RUN
    assert not [f for f in silent if f.rule == "power.no-power"]
    assert silent.off == ("power.no-power",)
    assert "power.no-power" in as_text(silent)
    assert as_json(silent)["off"] == ["power.no-power"]
    del server


def test_a_severity_nobody_knows_leaves_the_rules_own() -> None:
    design, _ = dark_server()
    odd = run(changed(design, edits.set_severity, "power.no-power", "fatal"))
    assert next(f for f in odd if f.rule == "power.no-power").severity == "error"


def test_an_accepted_finding_stays_listed_and_does_not_count() -> None:
    design, server = dark_server()
    finding = fire(design, "power.no-power")[0]
    accepted = changed(
        design, edits.accept_finding, finding.rule, finding.where, finding.subject, "lab only"
    )
    findings = run(accepted)
    mine = [f for f in findings.of(server) if f.rule == "power.no-power"]
    assert mine[0].accepted is not None
    assert mine[0].accepted.reason == "lab only"
    assert mine[0] not in findings.open
    assert findings.counts["error"] == run(design).counts["error"] - 1
    assert findings.counts["accepted"] == 1
    assert "(accepted: lab only)" in as_text(findings)


def test_it_survives_a_new_name_and_returns_when_its_subject_changes() -> None:
    world = World("conteg-ri7-48")
    for n in range(7):
        world.device(H100, f"gpu-{n}", u=1 + n)  # 913 kg, all in a heap
    finding = world.fires("space.weight")[0]
    edits.accept_finding(
        world.draft, finding.rule, reversed(finding.where), finding.subject, "reinforced floor"
    )
    assert world.fires("space.weight")[0].accepted is not None
    edits.rename(world.draft, world.racks[0], "R-heavy")
    again = world.fires("space.weight")[0]
    assert "R-heavy" in again.message
    assert again.accepted is not None, "a name is not the subject"
    world.device(H100, "one more", u=20)
    assert world.fires("space.weight")[0].accepted is None, "1044 kg were never accepted"


# Reports


def test_json_has_the_agreed_shape() -> None:
    findings = run(small_design())
    document = json.loads(json.dumps(as_json(findings)))
    assert document["schema"] == 1
    assert set(document) == {"schema", "findings", "counts", "off"}
    for entry in document["findings"]:
        assert set(entry) == {"rule", "severity", "where", "message", "fix", "accepted"}
        assert entry["rule"] in rules()
        assert isinstance(entry["fix"], bool)
        assert "\x02" not in entry["message"]
    assert document["counts"]["error"] == sum(
        e["severity"] == "error" and not e["accepted"] for e in document["findings"]
    )
    ranks = [("error", "warning", "info").index(e["severity"]) for e in document["findings"]]
    assert ranks == sorted(ranks), "worst first"


def test_text_names_rule_and_sums() -> None:
    text = as_text(run(small_design()))
    assert "error   gpu-02 has no power: none of its 6 inlets has a cord [power.no-power]" in text
    assert text.splitlines()[-1].startswith("5 errors, ")
    assert summary(run(Design())) == f"no findings ({len(rules())} rules checked)"
    assert worst(run(Design())) is None
    assert worst(run(small_design())) == "error"


def test_asking_for_a_rule_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        run(Design()).state("port.nonsense")


# The rules themselves


def test_every_rule_explains_itself() -> None:
    for rule in rules().values():
        assert rule.title.endswith((".", ":")), rule.id
        assert "What to do:" in rule.explanation, rule.id
        assert rule.source, rule.id
        assert rule.watches, rule.id
        assert rule.id == rule.id.lower()


def test_the_reference_among_the_help_pages_is_up_to_date() -> None:
    page = files("rackloom_resources") / "help" / "rules.md"
    assert page.read_text(encoding="utf-8") == markdown(), (
        "write it anew: python -m rackloom.checks.reference"
    )
