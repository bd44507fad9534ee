# SPDX-License-Identifier: Apache-2.0
"""NetBox device types: what they say, what they do not, and the traps of the public library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rackloom.catalog import (
    AccessoryPart,
    CatalogError,
    PanelPart,
    ServerPart,
    SwitchPart,
    load_bundled,
    load_catalog,
    load_parts,
)
from rackloom.catalog.parts import U_MM
from rackloom.catalog.user_parts import catalog_text
from rackloom.catalog.words import Inlet, Shell
from rackloom.interop.add_parts import add_parts
from rackloom.interop.netbox_types import Conversion, convert, is_device_type

KNOWN = load_bundled()


def device_type(**fields: Any) -> dict[str, Any]:
    return {"manufacturer": "Acme", "model": "X1", "slug": "acme-x1", "u_height": 1, **fields}


def interfaces(pattern: str, kind: str, numbers: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"name": pattern.format(n), "type": kind, **more} for n in numbers]


def made(**fields: Any) -> Conversion:
    return convert(device_type(**fields), "x.yaml", known=KNOWN)


def said(conversion: Conversion, *words: str) -> str:
    """The one doubt that holds all these words."""
    hits = [d for d in conversion.doubts if all(w in d for w in words)]
    assert len(hits) == 1, (words, conversion.doubts)
    return hits[0]


def switch_of(conversion: Conversion) -> SwitchPart:
    assert isinstance(conversion.part, SwitchPart)
    return conversion.part


def test_what_is_a_device_type_and_what_is_not() -> None:
    assert is_device_type(device_type())
    assert not is_device_type({"parts": []})
    assert not is_device_type({"manufacturer": "Acme", "model": "X1"})
    assert not is_device_type(["manufacturer", "model", "slug"])


def test_a_plain_switch() -> None:
    conversion = made(
        part_number="X1-32",
        airflow="front-to-rear",
        weight=22.0,
        weight_unit="lb",
        interfaces=[
            *interfaces("Ethernet1/{}", "400gbase-x-qsfpdd", range(1, 33)),
            {"name": "mgmt0", "type": "1000base-t", "mgmt_only": True},
            {"name": "Vlan1", "type": "virtual"},
        ],
        **{"power-ports": [{"name": f"PSU{n}", "type": "iec-60320-c14"} for n in (1, 2)]},
    )
    part = switch_of(conversion)
    assert (part.id, part.title, part.part_number) == ("acme-x1", "Acme X1", "X1-32")
    assert len(part.data_cages) == 32
    assert part.cage_by_name["Ethernet1/32"].rate_gbps == 400
    assert part.cage_by_name["mgmt0"].role == "out-of-band"
    assert part.airflow == "front-to-rear"
    assert part.weight_kg == pytest.approx(22 * 0.45359237, abs=1e-3)
    assert part.psu is not None
    assert (part.psu.count, part.psu.inlet, part.psu.needed) == (2, Inlet.C14, None)
    assert part.power_max_w is None
    said(conversion, "power unknown", "no maximum draw")
    said(conversion, "no breakouts")
    said(conversion, "depth unknown")
    assert not [d for d in conversion.doubts if "gaps" in d or "height" in d]


# The traps that compat_rules lists (75 to 79).


def qm9700() -> dict[str, Any]:
    """As the public library has it: 64 NDR ports, two of them missing."""
    ports = [
        {"name": f"{cage}.{port}", "type": "infiniband-ndr"}
        for cage in range(1, 33)
        for port in (0, 1)
        if (cage, port) not in {(22, 1), (23, 0)}
    ]
    return device_type(
        manufacturer="NVIDIA", model="QM9700", slug="nvidia-qm9700-nb", interfaces=ports
    )


def test_missing_ports_of_a_qm9700_are_said_and_not_invented() -> None:
    conversion = convert(qm9700(), "QM9700.yaml", known=KNOWN)
    part = switch_of(conversion)
    doubt = said(conversion, "gaps")
    assert "22.1" in doubt
    assert "23.0" in doubt
    assert len(part.cages) == 32
    assert sum(len(cage.ports) for cage in part.cages) == 62
    assert [p.name for p in part.cage_by_name["22"].ports] == ["22.0"]
    said(conversion, "twin-port cage", "32 cages for 62 interfaces")
    said(conversion, "NDR port", "OSFP")
    assert "62 OSFP ports" in said(conversion, "nvidia-qm9700'", "has 64")
    assert part.protocol == "infiniband"


def test_a_switch_of_two_units_listed_as_one() -> None:
    conversion = made(
        manufacturer="NVIDIA",
        model="SN4600C",
        slug="nvidia-sn4600c-nb",
        interfaces=interfaces("swp{}", "100gbase-x-qsfp28", range(1, 65)),
    )
    said(conversion, "64 cages do not fit", "1U")
    said(conversion, "file says 1U", "nvidia-sn4600c", "2U")


def test_service_ports_of_another_speed_are_compared() -> None:
    conversion = made(
        manufacturer="Arista",
        model="7060X6-64PE",
        slug="arista-7060x6-nb",
        u_height=2,
        interfaces=[
            *interfaces("Ethernet{}/1", "800gbase-x-osfp", range(1, 65)),
            *interfaces("Ethernet{}", "25gbase-x-sfp28", (65, 66)),
        ],
    )
    said(conversion, "SFP28", "arista-7060x6-64pe", "has 0")
    said(conversion, "SFP+", "arista-7060x6-64pe")
    said(conversion, "1.6T", "twin-port")


def test_power_in_modules_is_unknown_and_not_zero() -> None:
    conversion = made(
        interfaces=interfaces("p{}", "800gbase-x-osfp", range(1, 33)),
        **{"module-bays": [{"name": "PSU1"}, {"name": "PSU2"}, {"name": "Fan 1"}]},
    )
    part = switch_of(conversion)
    assert part.power_max_w is None
    assert part.psu is not None
    assert part.psu.count == 2
    said(conversion, "power unknown", "PSU1, PSU2")
    said(conversion, "3 module bays left out")


def test_no_power_at_all_is_said() -> None:
    conversion = made(interfaces=interfaces("p{}", "100gbase-x-qsfp28", range(1, 17)))
    assert switch_of(conversion).psu is None
    said(conversion, "power unknown", "cannot be fed")


def test_draw_of_several_supplies_is_not_added_up() -> None:
    supplies = [
        {"name": n, "type": "iec-60320-c20", "maximum_draw": 1500} for n in ("PSU1", "PSU2")
    ]
    two = made(**{"power-ports": supplies})
    assert isinstance(two.part, ServerPart)
    assert two.part.power_max_w is None
    said(two, "1500 W", "once or on each")
    one = made(**{"power-ports": supplies[:1]})
    assert isinstance(one.part, ServerPart)
    assert one.part.power_max_w == 1500


def test_an_unknown_interface_type_is_left_out_and_named() -> None:
    conversion = made(
        interfaces=[
            *interfaces("p{}", "100gbase-x-qsfp28", range(1, 17)),
            *interfaces("x{}", "1600gbase-x-osfp1600", range(1, 3)),
            *interfaces("q{}", "40gbase-x-qsfpp", (1,)),
        ]
    )
    assert len(switch_of(conversion).cages) == 16
    said(conversion, "2 interfaces", "1600gbase-x-osfp1600", "x1, x2", "left out")
    said(conversion, "1 interface of type '40gbase-x-qsfpp'")


def test_flat_top_cages_are_told_apart_where_netbox_does() -> None:
    ports = interfaces("nic{}", "400gbase-x-osfp-rhs", range(8))
    part = convert(device_type(interfaces=ports), "x.yaml").part
    assert isinstance(part, ServerPart)
    assert {cage.shell for cage in part.cages} == {Shell.RHS}
    plain = made(interfaces=interfaces("p{}", "400gbase-x-osfp", range(1, 33)))
    assert {cage.shell for cage in switch_of(plain).cages} == {None}
    said(plain, "400G OSFP", "eight lanes of 50G")


def test_what_netbox_does_not_know_of_a_server() -> None:
    conversion = made(
        u_height=8, interfaces=interfaces("mlx5_{}", "infiniband-ndr", range(8)), is_full_depth=True
    )
    part = conversion.part
    assert isinstance(part, ServerPart)
    assert part.gpu is None
    assert part.scale_up is None
    said(conversion, "no GPUs")
    said(conversion, "taken as a server")
    assert len(part.cages) == 8
    assert not [d for d in conversion.doubts if "twin" in d]


def test_the_user_can_say_what_it_is() -> None:
    ports = interfaces("p{}", "100gbase-x-qsfp28", range(1, 5))
    conversion = convert(device_type(interfaces=ports), "x.yaml", kind="switch")
    assert isinstance(conversion.part, SwitchPart)
    assert not [d for d in conversion.doubts if "does not say what it is" in d]


def test_drawn_cages_lie_on_the_box_and_apart() -> None:
    conversion = made(
        u_height=1,
        interfaces=[
            *interfaces("Ethernet{}", "25gbase-x-sfp28", range(1, 49)),
            *interfaces("Ethernet{}", "100gbase-x-qsfp28", range(49, 57)),
        ],
    )
    cages = switch_of(conversion).cages
    for cage in cages:
        assert cage.width_mm / 2 <= cage.x_mm <= 440 - cage.width_mm / 2
        assert cage.height_mm / 2 <= cage.y_mm <= U_MM - cage.height_mm / 2
    for number, a in enumerate(cages):
        for b in cages[number + 1 :]:
            apart_x = abs(a.x_mm - b.x_mm) >= (a.width_mm + b.width_mm) / 2
            apart_y = abs(a.y_mm - b.y_mm) >= (a.height_mm + b.height_mm) / 2
            assert apart_x or apart_y, (a.name, b.name)
    assert not [d for d in conversion.doubts if "do not fit" in d]


def test_a_numbering_of_its_own_is_no_gap() -> None:
    conversion = made(interfaces=interfaces("Ethernet1/{}", "100gbase-x-qsfp28", range(1, 129, 4)))
    assert not [d for d in conversion.doubts if "gaps" in d]
    holed = [n for n in range(1, 65) if n != 40]
    conversion = made(u_height=2, interfaces=interfaces("Ethernet1/{}", "100gbase-x-qsfp28", holed))
    assert "Ethernet1/40 is not in the file" in said(conversion, "gaps")


# Panels.


def panel_type(
    rears: int = 2, fan: int = 6, front: str = "lc", rear: str = "mpo"
) -> dict[str, Any]:
    return device_type(
        **{
            "rear-ports": [
                {"name": f"R{r}", "type": rear, "positions": fan} for r in range(1, rears + 1)
            ],
            "front-ports": [
                {
                    "name": f"F{r}.{f}",
                    "type": front,
                    "rear_port": f"R{r}",
                    "rear_port_position": f,
                }
                for r in range(1, rears + 1)
                for f in range(1, fan + 1)
            ],
        }
    )


def test_a_cassette_panel() -> None:
    conversion = convert(panel_type(), "p.yaml")
    part = conversion.part
    assert isinstance(part, PanelPart)
    assert [(p.cage, p.near) for p in part.passages["R2"]] == [
        (f"F2.{f}", f - 1) for f in range(1, 7)
    ]
    said(conversion, "MPO-12 from MPO-16")


def test_a_copper_panel_whose_ports_are_named_alike() -> None:
    document = panel_type(rears=24, fan=1, front="8p8c", rear="8p8c")
    for entry in document["front-ports"]:
        entry["name"] = entry["rear_port"]
    part = convert(document, "p.yaml").part
    assert isinstance(part, PanelPart)
    assert [p.cage for p in part.passages["R7"]] == ["R7 rear"]


def test_panels_that_cannot_be_paired() -> None:
    document = panel_type()
    document["front-ports"][1]["rear_port_position"] = 1
    with pytest.raises(CatalogError, match=r"F1\.1 and F1\.2 share position 1"):
        convert(document, "p.yaml")
    document = panel_type()
    del document["front-ports"][2]
    conversion = convert(document, "p.yaml")
    said(conversion, "rear port R1", "missing front ports")
    assert isinstance(conversion.part, PanelPart)
    assert len(conversion.part.cages) == 7
    with pytest.raises(CatalogError, match="no front port"):
        convert(panel_type(rear="splice"), "p.yaml")


# What no part can be made of.


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"power-outlets": [{"name": "1"}]}, "voltage"),
        ({"subdevice_role": "child", "u_height": 0}, "chassis"),
        ({"u_height": "tall"}, "not a number"),
        ({"u_height": 500}, "fits no rack"),
        ({"manufacturer": ""}, "no manufacturer"),
        ({"slug": "***", "model": "x"}, "makes no id"),
    ],
)
def test_a_device_type_that_makes_no_part_says_why(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(CatalogError, match=words) as caught:
        made(**fields)
    assert str(caught.value).startswith("x.yaml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", [10**400, float("nan"), float("-inf"), 1e18])
@pytest.mark.parametrize("field", ["u_height", "weight", "power"])
def test_numbers_that_nothing_has_are_refused(field: str, number: float) -> None:
    document = qm9700()
    if field == "power":
        document["power-ports"] = [{"name": "P", "type": "iec-60320-c14", "maximum_draw": number}]
    else:
        document[field] = number
    with pytest.raises(CatalogError, match=r"f\.yaml: .*the number is not one a design can hold"):
        convert(document, "f.yaml")


def test_odd_values_do_no_harm() -> None:
    bomb: list[Any] = ["x"]
    for _ in range(40):
        bomb = [bomb, bomb]
    conversion = made(
        interfaces=[{"name": bomb, "type": bomb}, {"name": "a", "type": "1000base-t"}, 7, None],
        **{"power-ports": [{"name": bomb, "type": bomb}], "module-bays": [{"name": bomb}]},
        airflow=bomb,
        weight=True,
        weight_unit=bomb,
    )
    said(conversion, "interface 1 has no name")
    assert isinstance(conversion.part, ServerPart)
    assert conversion.part.weight_kg is None


def test_a_bare_box_is_an_accessory() -> None:
    conversion = made()
    assert isinstance(conversion.part, AccessoryPart)
    said(conversion, "neither interfaces nor power ports")


def test_a_converted_part_survives_being_written_and_read() -> None:
    for document in (qm9700(), panel_type(), device_type(u_height=1.5)):
        conversion = convert(document, "x.yaml")
        text = catalog_text([conversion.part], conversion.sources)
        parts, sources = load_parts(text, "again.yaml")
        assert parts == [conversion.part]
        assert sources == conversion.sources


# Adding files.


def written(folder: Path, name: str, document: Any) -> Path:
    path = folder / name
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def test_adding_a_device_type_puts_it_into_the_catalogue(tmp_path: Path) -> None:
    own = tmp_path / "own"
    file = written(tmp_path, "QM9700.yaml", qm9700())
    report = add_parts([file], folder=own)
    assert report.ok
    (added,) = report.added
    assert (added.part.id, added.converted, added.replaced) == ("nvidia-qm9700-nb", True, False)
    assert "things to check" in report.text()
    assert "22.1" in report.text()
    assert report.to_json()["added"][0]["doubts"] == list(added.doubts)
    catalog = load_catalog(own)
    assert catalog.require("nvidia-qm9700-nb") == added.part
    assert catalog.own == {"nvidia-qm9700-nb"}
    assert catalog.sources["NETBOX"] == "NetBox device type QM9700.yaml"


def test_a_bundled_id_is_refused_unless_replaced(tmp_path: Path) -> None:
    document = {**qm9700(), "slug": "nvidia-qm9700"}
    file = written(tmp_path, "q.yaml", document)
    own = tmp_path / "own"
    report = add_parts([file], folder=own)
    assert not report.ok
    assert "'nvidia-qm9700' is a part of the bundled catalogue" in report.refused[0]
    assert "--replace" in report.refused[0]
    assert not own.exists()
    report = add_parts([file], folder=own, replace=True)
    assert report.added[0].replaced
    mine = load_catalog(own).require("nvidia-qm9700")
    assert mine != KNOWN.require("nvidia-qm9700")
    assert KNOWN.require("nvidia-qm9700").part_number


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    good = written(tmp_path, "good.yaml", qm9700())
    nothing = written(tmp_path, "nothing.yaml", {"hello": "world"})
    empty = written(tmp_path, "empty.yaml", {"parts": []})
    report = add_parts([tmp_path / "gone.yaml", nothing, good, empty], folder=tmp_path / "own")
    assert [a.part.id for a in report.added] == ["nvidia-qm9700-nb"]
    assert len(report.refused) == 3
    assert "does not exist" in report.refused[0]
    assert "neither a catalogue file" in report.refused[1]
    assert "empty" in report.refused[2]


def test_adding_twice_needs_replace(tmp_path: Path) -> None:
    file = written(tmp_path, "q.yaml", qm9700())
    own = tmp_path / "own"
    add_parts([file], folder=own)
    assert "in your catalogue already" in add_parts([file], folder=own).refused[0]
    assert add_parts([file], folder=own, replace=True).added[0].replaced
    assert len(list(own.iterdir())) == 1
