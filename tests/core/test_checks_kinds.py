# SPDX-License-Identifier: Apache-2.0
"""Many findings that differ in nothing but the place are told together; JSON keeps every one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import big_design

from rackloom.checks import Findings, as_json, as_text, run
from rackloom.checks.finding import Finding, Severity
from rackloom.checks.kinds import MANY, kind_key, kinds
from rackloom.design import Design, Draft


@pytest.fixture(scope="module")
def dark() -> Design:
    """A fabric whose transceivers were all forgotten, with a label on every other cable."""
    draft = Draft(big_design(64))
    for module in list(draft.modules):
        draft.remove("modules", module)
    for number, cable in enumerate(list(draft.cables.values())):
        if number % 2:
            draft.put(replace(cable, label=f"L {number}"))
    return draft.close("Forget the optics")[0]


@pytest.fixture(scope="module")
def findings(dark: Design) -> Findings:
    return run(dark)


def test_hundreds_of_ports_without_a_transceiver_are_one_or_two_lines(findings: Findings) -> None:
    alike = [f for f in findings.all if f.rule == "port.dark-fibre"]
    assert len(alike) > 100
    lines = [line for line in as_text(findings).splitlines() if "[port.dark-fibre]" in line]
    assert len(lines) == 2  # cables with a label, and those told by where they lead
    for line in lines:
        assert "; the same at " in line
        assert line.rpartition(" and ")[2].split()[1] == "more"


def test_every_finding_keeps_its_line_in_json_and_where_each_is_asked_for(
    findings: Findings,
) -> None:
    told = as_json(findings)["findings"]
    assert len(told) == len(findings.all)
    assert {tuple(entry["where"]) for entry in told} == {f.where for f in findings.all}
    lines = as_text(findings, each=True).splitlines()
    assert [line for line in lines if " [" in line] == [
        f"{f.severity.value:<8}{f.message} [{f.rule}]" for f in findings.all
    ]


def test_nothing_is_lost_or_told_twice_and_every_place_can_be_selected(
    findings: Findings,
) -> None:
    together = kinds(findings.all)
    told = [id(finding) for kind in together for finding in kind.findings]
    assert sorted(told) == sorted(id(finding) for finding in findings.all)
    assert all(len(kind.findings) == 1 or len(kind.findings) >= MANY for kind in together)
    for kind in together:
        assert set(kind.where) == {place for finding in kind.findings for place in finding.where}
    rules = [kind.first.rule for kind in together]
    assert rules == sorted(rules, key=rules.index)  # kinds of a rule stay together


def test_what_differs_in_a_number_stays_apart(findings: Findings) -> None:
    """Servers with one dark port of eight and with none are not the same news."""
    texts = {"1 of the 8 compute ports", "none of the 8 compute ports"}
    draft = Draft(big_design(64))
    servers = [d.id for d in draft.devices.values() if "gpu" in d.name]
    assert len(servers) >= 8
    for server in servers[:4]:
        for cable in draft.touching("cables_of_device", {server}):
            draft.remove("cables", cable.id)
    for server in servers[4:8]:
        draft.remove("cables", min(c.id for c in draft.touching("cables_of_device", {server})))
    found = run(draft.close("Unplug")[0])
    lines = [line for line in as_text(found).splitlines() if "[fabric.unused-nics]" in line]
    assert len(lines) == 2, lines
    assert all(any(text in line for line in lines) for text in texts)
    assert findings.all


def test_three_are_still_told_one_by_one(findings: Findings) -> None:
    alike = [f for f in findings.all if f.rule == "port.dark-fibre"][:1] * (MANY - 1)
    assert [len(kind.findings) for kind in kinds(alike)] == [1] * (MANY - 1)
    assert [len(kind.findings) for kind in kinds([*alike, alike[0]])] == [MANY]


def test_ports_are_places_but_counts_are_not() -> None:
    def said(text: str) -> Finding:
        return Finding("x.y", Severity.INFO, (), text)

    alike = [
        ("\x02d1\x03 leads from \x02d1\x03 3 to \x02d2\x03 7/1", "\x02d4\x03 leads from "
         "\x02d4\x03 OSFP1 to \x02d9\x03 12"),
        ("port 3 of \x02d1\x03 is dark", "port 12/2 of \x02d7\x03 is dark"),
        ("MCP from \x02d1\x03 1 to \x02d2\x03 a, \x02d3\x03 b", "MCP from \x02d5\x03 2 to "
         "\x02d6\x03 c, \x02d7\x03 d"),
    ]  # fmt: skip
    for one, other in alike:
        assert kind_key(said(one)) == kind_key(said(other))
    apart = [
        ("\x02d1\x03 goes to \x02d2\x03 4 times", "\x02d1\x03 goes to \x02d2\x03 5 times"),
        ("\x02d1\x03 has 3 links to \x02d2\x03", "\x02d1\x03 has 4 links to \x02d2\x03"),
        ("\x02d1\x03 draws 3 kW", "\x02d1\x03 draws 4 kW"),
    ]
    for one, other in apart:
        assert kind_key(said(one)) != kind_key(said(other))
