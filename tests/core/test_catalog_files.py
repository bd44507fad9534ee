# SPDX-License-Identifier: Apache-2.0
"""Reading catalogue files: what a person is told when one is wrong."""

import pytest

from rackloom.catalog import CatalogError, RackPart, SwitchPart, load, load_bundled, load_parts
from rackloom.catalog.load import read_yaml

RACK = """
  - id: {id}
    kind: rack
    manufacturer: Acme
    model: Box
    rack_units: {units}
    width_mm: 600
    depth_mm: 1200
"""

SWITCH = """
parts:
  - id: acme-1
    kind: switch
    manufacturer: Acme
    model: One
    rack_units: 1
    protocol: ethernet
    cage_groups:
      - group: data
        form_factor: QSFP28
        rate_gbps: 100
        lanes: 4
        lane_gbps: 25
        protocols: [ethernet]
        role: fabric
        layout: {side: front, rows: 2, columns: 2, x_mm: 20, y_mm: 30, pitch_x_mm: 20}
        CAGES
        modes:
          - {name: 1x100, ports: 1, rate_gbps: 100, lanes_per_port: 4}
          - {name: 4x25, ports: 4, rate_gbps: 25, lanes_per_port: 1, only: odd}
"""


def refused(text: str) -> str:
    """The sentence for a file that must be refused: one line, with the file's name in front."""
    with pytest.raises(CatalogError) as caught:
        load_parts(text, "mine.yaml")
    message = str(caught.value)
    assert message.startswith("mine.yaml")
    assert "\n" not in message
    return message


def test_a_good_file_gives_parts_and_sources() -> None:
    text = "sources: {MFR: the maker's page}\nparts:" + RACK.format(id="acme-42", units=42)
    parts, sources = load_parts(text, "mine.yaml")
    assert isinstance(parts[0], RackPart)
    assert parts[0].height_mm is None
    assert sources == {"MFR": "the maker's page"}


def test_broken_yaml_names_the_line() -> None:
    assert "line 3" in refused("parts:\n  - id: x\n   kind: rack\n")


def test_a_file_without_parts() -> None:
    assert "'parts'" in refused("racks: []")
    assert "'parts'" in refused("")
    assert "'parts'" in refused("- just\n- a list")


def test_sources_must_be_a_mapping() -> None:
    assert "'sources'" in refused("sources: [a, b]\nparts: []")


def test_a_wrong_type_names_part_and_field() -> None:
    message = refused("parts:" + RACK.format(id="acme-42", units="many"))
    assert "acme-42" in message
    assert "rack_units" in message


def test_an_unknown_key_is_named() -> None:
    message = refused("parts:" + RACK.format(id="acme-42", units=42) + "    colour: red\n")
    assert "acme-42" in message
    assert "colour" in message


def test_an_unknown_kind_is_refused() -> None:
    message = refused("parts:\n  - {id: acme-9, kind: toaster, manufacturer: A, model: B}")
    assert "acme-9" in message
    assert "toaster" in message


def test_an_entry_that_is_no_mapping() -> None:
    assert "an entry" in refused("parts: [42]")


def test_a_part_id_twice_in_a_file() -> None:
    twice = "parts:" + RACK.format(id="acme-42", units=42) + RACK.format(id="acme-42", units=48)
    assert "acme-42" in refused(twice)


def test_infinity_is_no_figure() -> None:
    assert "weight_kg" in refused(
        "parts:" + RACK.format(id="acme-42", units=42) + "    weight_kg: .inf\n"
    )


def test_nesting_without_end_is_refused() -> None:
    assert "YAML" in refused("parts: " + "[" * 100_000 + "]" * 100_000)


def test_a_date_that_is_none_is_refused() -> None:
    assert "cannot be read" in refused("parts: [2026-02-31]")


def test_a_huge_file_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MAX_CATALOG_CHARACTERS", 100)
    assert "too long" in refused("parts:" + RACK.format(id="acme-42", units=42))


def test_a_billion_cages_are_refused() -> None:
    message = refused(SWITCH.replace("CAGES", "count: 1000000000"))
    assert "acme-1" in message
    assert "count" in message


def test_a_cage_group_without_cages_is_refused() -> None:
    assert "needs a 'count'" in refused(SWITCH.replace("CAGES", ""))


def test_the_default_mode_must_be_offered_everywhere() -> None:
    text = SWITCH.replace("CAGES", "count: 4").replace(
        "rate_gbps: 100, lanes_per_port: 4}", "rate_gbps: 100, lanes_per_port: 4, only: even}"
    )
    assert "default mode" in refused(text)


def test_two_cages_of_one_name_are_refused() -> None:
    assert "'a'" in refused(SWITCH.replace("CAGES", "cages: [{name: a}, {name: a}]"))


@pytest.mark.parametrize("rate", ["1.0e-300", "1.0e-12", "1.0e+300"])
def test_rates_of_no_link_are_refused(rate: str) -> None:
    """At 1e-300 Gb/s an estimate would last for ever, which is no time."""
    text = SWITCH.replace("CAGES", "count: 4").replace("rate_gbps: 100,", f"rate_gbps: {rate},")
    assert "rate_gbps" in refused(text)
    assert "the number is not one a design can hold" in refused(text)


@pytest.mark.parametrize(
    "rest",
    [
        "parts: [{id: x, kind: *a11}]",
        "parts: [{id: *a11, kind: rack, manufacturer: *a11, width_mm: *a11}]",
        "sources: {BOOK: *a11}\nparts: []",
        "manufacturer: *a11\nmodel: B\nslug: *a11\nu_height: *a11",
        "parts: [&p {id: x, kind: rack, notes: *p}]",
    ],
)
def test_a_file_that_names_one_list_a_billion_times_is_refused_at_once(rest: str) -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    layers += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(CatalogError, match=r"bomb\.yaml: its aliases"):
        read_yaml("\n".join([*layers, rest]), "bomb.yaml")


def test_some_aliases_are_usual() -> None:
    text = "a: &a {x: 1}\nb: [*a, *a]"
    assert read_yaml(text, "few.yaml") == {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}]}


def test_braces_in_a_name_pattern_are_only_text() -> None:
    text = SWITCH.replace("CAGES", 'count: 1\n        name: "{n.__class__}-{n}-{x:9}"')
    parts, _ = load_parts(text, "mine.yaml")
    assert isinstance(parts[0], SwitchPart)
    assert parts[0].cages[0].name == "{n.__class__}-1-{x:9}"


def test_a_mode_for_odd_cages_only() -> None:
    parts, _ = load_parts(SWITCH.replace("CAGES", "count: 3"), "mine.yaml")
    assert isinstance(parts[0], SwitchPart)
    assert [len(cage.modes) for cage in parts[0].cages] == [2, 1, 2]


def test_yaml_tags_run_nothing() -> None:
    assert "not YAML" in refused("parts: [!!python/object/apply:os.getcwd []]")


def test_the_users_part_wins_over_the_bundled_one() -> None:
    bundled = load_bundled()
    own, _ = load_parts("parts:" + RACK.format(id="generic-48u-800", units=50), "mine.yaml")
    both = bundled.with_parts(own)
    assert both.require("generic-48u-800").manufacturer == "Acme"
    assert len(both) == len(bundled)
    assert bundled.require("generic-48u-800").manufacturer == "Generic"


def test_the_bundled_catalogue_is_read_by_libyaml() -> None:
    """The pure-Python reader takes ten times as long, which the start of the program would feel."""
    assert vars(load)["_Loader"].__name__ == "CSafeLoader"
