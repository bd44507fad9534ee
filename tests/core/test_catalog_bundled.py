# SPDX-License-Identifier: Apache-2.0
"""The bundled catalogue against what the makers publish."""

import math
import re
from importlib.resources import files
from itertools import combinations

import pytest

from rackloom.catalog import (
    CablePart,
    Cage,
    Catalog,
    DevicePart,
    NicPart,
    Part,
    PduPart,
    RackPart,
    ServerPart,
    SwitchPart,
    TransceiverPart,
    load_bundled,
)
from rackloom.catalog.parts import U_MM
from rackloom.catalog.words import CableTechnology, CageRole, FormFactor, Protocol, Shell, Trust

CHASSIS_WIDTH_MM = 440.0  # what goes between the posts of a 19-inch rack (EIA-310: 450 mm clear)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_bundled()


def switch(catalog: Catalog, part_id: str) -> SwitchPart:
    part = catalog.require(part_id)
    assert isinstance(part, SwitchPart)
    return part


def server(catalog: Catalog, part_id: str) -> ServerPart:
    part = catalog.require(part_id)
    assert isinstance(part, ServerPart)
    return part


def cable(catalog: Catalog, part_id: str) -> CablePart:
    part = catalog.require(part_id)
    assert isinstance(part, CablePart)
    return part


def optic(catalog: Catalog, part_id: str) -> TransceiverPart:
    part = catalog.require(part_id)
    assert isinstance(part, TransceiverPart)
    return part


def caged(catalog: Catalog) -> list[DevicePart | NicPart]:
    return [part for part in catalog.values() if isinstance(part, DevicePart | NicPart)]


def data_cages(part: SwitchPart) -> list[Cage]:
    return [cage for cage in part.cages if cage.role is CageRole.FABRIC]


NEEDED = [
    "dgx-h100",
    "dgx-h200",
    "dgx-b200",
    "supermicro-as-8125gs-tnmr2",
    "generic-1u",
    "cpu-node-1u",
    "generic-ufm-appliance",
    "nvidia-qm9700",
    "nvidia-qm9790",
    "nvidia-qm8700",
    "nvidia-sn5600",
    "nvidia-sn2201",
    "cx7-osfp-400",
    "cx7-qsfp112-1x400",
    "cx7-qsfp112-2x200",
    "bf3-b3140h",
    "bf3-b3220",
    "bf3-b3240",
    "mcp4y10-n",
    "mcp4y10-n-flt",
    "mcp7y00-n",
    "mcp7y00-n-flt",
    "mcp7y10-n",
    "mca4j80-n",
    "mca7j60-n",
    "credo-zf-2xosfp-rhs",
    "amphenol-aec-2x400",
    "mfa7u10-h",
    "mfs1s00-h",
    "mcp1650-h",
    "mcp7h50-h",
    "cat6a-rj45",
    "mma4z00-ns",
    "mma4z00-ns-flt",
    "mma4z00-ns-t",
    "mma4z00-ns400",
    "mma1z00-ns400",
    "mms4x00-ns",
    "mms4x00-ns-flt",
    "mms4x00-ns-t",
    "mms4x00-nm",
    "mms4x00-nm-flt",
    "mms4x00-nm-t",
    "mms4x00-ns400",
    "mms1x00-ns400",
    "mfp7e10",
    "mfp7e20",
    "mfp7e30",
    "mfp7e40",
    "generic-42u-600",
    "generic-42u-800",
    "generic-48u-800",
    "apc-ar3357",
    "generic-415-32",
    "generic-415-60",
    "generic-415-63",
    "apc-ap8888",
]


@pytest.mark.parametrize("part_id", NEEDED)
def test_the_parts_of_the_main_job_are_there(catalog: Catalog, part_id: str) -> None:
    assert catalog.require(part_id).id == part_id


def test_every_kind_of_part_is_there(catalog: Catalog) -> None:
    for kind, least in (
        (SwitchPart, 60),
        (ServerPart, 28),
        (NicPart, 25),
        (CablePart, 60),
        (TransceiverPart, 59),
        (RackPart, 15),
        (PduPart, 17),
    ):
        assert len(catalog.of_kind(kind)) >= least, kind


def test_every_figure_names_where_it_comes_from(catalog: Catalog) -> None:
    for part in catalog.values():
        assert part.sources, part.id
        assert set(part.sources) <= set(catalog.sources), part.id
        assert part.description, part.id


def test_every_source_is_used_and_described_once(catalog: Catalog) -> None:
    used = {source for part in catalog.values() for source in part.sources}
    used |= {source for feed in catalog.feeds for source in feed.sources}
    assert used == set(catalog.sources)
    assert all(len(text) > 10 for text in catalog.sources.values())


def test_estimates_name_figures_the_entry_has(catalog: Catalog) -> None:
    for part in catalog.values():
        for field in part.estimates:
            if field == "all":
                continue
            name = field.partition(".")[0]
            assert name in type(part).model_fields, (part.id, field)
            assert getattr(part, name) not in (None, (), ""), (part.id, field)


def test_entries_that_nobody_read_a_document_for_are_estimates(catalog: Catalog) -> None:
    for part in catalog.values():
        if part.sources == ("EST",):
            assert part.trust is Trust.ESTIMATE, part.id


# What NVIDIA prints about its switches.


def test_qm9700_has_64_ports_of_400g(catalog: Catalog) -> None:
    part = switch(catalog, "nvidia-qm9700")
    cages = data_cages(part)
    assert len(cages) == 32
    ports = [port for cage in cages for port in cage.ports]
    assert len(ports) == 64
    assert ports[0].name == "1/1"
    assert ports[-1].name == "32/2"
    assert {cage.default_mode.rate_gbps for cage in cages} == {400}
    assert all(cage.shell is Shell.IHS and cage.takes == "twin-port" for cage in cages)
    assert all(cage.module_power_max_w == 17 for cage in cages)


@pytest.mark.parametrize(
    ("part_id", "tbps"),
    [
        ("nvidia-qm8700", 8.0),
        ("nvidia-qm9700", 25.6),
        ("nvidia-q3400-ra", 115.2),
        ("nvidia-sn5600", 51.2),
        ("nvidia-sn2201", 0.448),
    ],
)
def test_port_rates_add_up_to_the_published_capacity(
    catalog: Catalog, part_id: str, tbps: float
) -> None:
    part = switch(catalog, part_id)
    total = sum(c.default_mode.ports * c.default_mode.rate_gbps for c in data_cages(part))
    assert total / 1000 == pytest.approx(tbps)
    assert part.capacity_tbps == pytest.approx(tbps)


def test_capacity_never_exceeds_the_ports(catalog: Catalog) -> None:
    """A box cannot forward more than its cages carry; scheduled leaves forward less."""
    for part in catalog.of_kind(SwitchPart):
        total = sum(c.default_mode.ports * c.default_mode.rate_gbps for c in data_cages(part))
        if part.capacity_tbps is not None:
            assert part.capacity_tbps <= total / 1000 + 1e-6, part.id


def test_qm9700_numbers_run_down_the_columns(catalog: Catalog) -> None:
    cages = switch(catalog, "nvidia-qm9700").cage_by_name
    assert cages["1"].x_mm == cages["2"].x_mm
    assert cages["1"].y_mm > cages["2"].y_mm
    assert cages["3"].x_mm > cages["1"].x_mm
    assert len({cages[str(n)].y_mm for n in range(1, 33)}) == 2


def test_sn5600_finest_split_switches_the_neighbour_off(catalog: Catalog) -> None:
    part = switch(catalog, "nvidia-sn5600")
    assert part.logical_port_limit == 256
    cages = part.cage_by_name
    assert cages["1"].neighbour == "2"
    assert cages["64"].neighbour == "63"
    fine = cages["1"].mode("8x100")
    assert fine is not None
    assert fine.disables_neighbour
    two = cages["1"].mode("2x400")
    assert two is cages["1"].default_mode
    assert not two.disables_neighbour
    assert [cage.form_factor for cage in part.cages if cage.role is CageRole.SERVICE] == ["SFP28"]


def test_sn4700_splits_in_eight_on_upper_cages_only(catalog: Catalog) -> None:
    cages = switch(catalog, "nvidia-sn4700").cage_by_name
    eight = [name for name, cage in cages.items() if cage.mode("8x50")]
    assert eight == [str(n) for n in range(1, 33, 2)]


def test_unknown_stays_unknown(catalog: Catalog) -> None:
    qm9700 = switch(catalog, "nvidia-qm9700")
    assert qm9700.power_max_w is None  # NVIDIA prints it with optics only
    assert qm9700.power_max_with_optics_w == 1720
    assert qm9700.latency_ns is None
    assert switch(catalog, "nvidia-sn2201").depth_mm is None
    assert server(catalog, "dgx-b300-ps").depth_mm is None
    assert catalog.require("cx7-qsfp112-1x400").model_dump()["power_max_w"] is None


def test_estimates_are_told_apart(catalog: Catalog) -> None:
    qm9700 = switch(catalog, "nvidia-qm9700")
    assert qm9700.trust_of("weight_kg") is Trust.DATASHEET
    assert qm9700.trust_of("depth_mm") is Trust.ESTIMATE
    assert catalog.require("generic-48u-800").trust_of("depth_mm") is Trust.ESTIMATE
    b200 = server(catalog, "dgx-b200")  # sizes published, which cage serves which GPU not
    assert b200.trust_of("power_max_w") is Trust.DATASHEET
    assert b200.trust_of("cage_groups.compute") is Trust.ESTIMATE
    assert b200.trust_of("cage_groups.storage") is Trust.DATASHEET
    assert server(catalog, "generic-1u").trust_of("cage_groups.in-band") is Trust.ESTIMATE


# What NVIDIA, Supermicro and AMD print about servers.


def test_dgx_h100(catalog: Catalog) -> None:
    part = server(catalog, "dgx-h100")
    assert part.rack_units == 8
    assert part.power_max_w == 10_200
    assert part.weight_kg == pytest.approx(130.45)
    assert part.psu is not None
    assert (part.psu.count, part.psu.needed, part.psu.inlet) == (6, 4, "C20")
    assert part.gpu is not None
    assert part.gpu.count == 8
    assert part.scale_up is not None
    assert part.scale_up.bandwidth_gb_per_s == 450  # 900 GB/s both ways
    assert part.scale_up.in_network_reduction


@pytest.mark.parametrize("part_id", ["dgx-h100", "dgx-h200"])
def test_dgx_cages_are_not_in_rail_order(catalog: Catalog, part_id: str) -> None:
    """NVIDIA's user guide: cage and port to GPU and mlx5 device."""
    published = {
        "OSFP4P2": (0, "mlx5_0"),
        "OSFP3P2": (1, "mlx5_3"),
        "OSFP3P1": (2, "mlx5_4"),
        "OSFP4P1": (3, "mlx5_5"),
        "OSFP1P2": (4, "mlx5_6"),
        "OSFP2P2": (5, "mlx5_9"),
        "OSFP2P1": (6, "mlx5_10"),
        "OSFP1P1": (7, "mlx5_11"),
    }
    ports = [
        port
        for cage in server(catalog, part_id).cages
        if cage.role is CageRole.COMPUTE
        for port in cage.ports
    ]
    assert {port.name: (port.gpu, port.nic) for port in ports} == published
    assert all(port.rail == port.gpu for port in ports)


def test_every_gpu_of_an_eight_gpu_server_has_one_rail(catalog: Catalog) -> None:
    for part in catalog.of_kind(ServerPart):
        ports = [p for c in part.cages if c.role is CageRole.COMPUTE for p in c.ports]
        rails = [port.rail for port in ports if port.rail is not None]
        if part.gpu is None or not rails:
            continue
        each = 3 if part.id == "gaudi3-8x" else 1  # three 200G ports leave the box per card
        assert sorted(rails) == sorted(list(range(part.gpu.count)) * each), part.id


@pytest.mark.parametrize(
    ("part_id", "one_way_gb_per_s", "kind"),
    [
        ("dgx-a100", 300, "nvlink-switched"),
        ("dgx-b200", 900, "nvlink-switched"),
        ("supermicro-as-8125gs-tnmr2", 448, "xgmi-mesh"),
    ],
)
def test_scale_up_bandwidth_is_one_direction(
    catalog: Catalog, part_id: str, one_way_gb_per_s: float, kind: str
) -> None:
    scale_up = server(catalog, part_id).scale_up
    assert scale_up is not None
    assert scale_up.bandwidth_gb_per_s == one_way_gb_per_s
    assert scale_up.kind == kind


def test_nvl72_trays_join_a_domain_across_the_rack(catalog: Catalog) -> None:
    tray = server(catalog, "gb200-compute-tray")
    assert tray.gpu is not None
    assert tray.scale_up is not None
    assert tray.gpu.count == 4
    assert tray.scale_up.domain_gpus == 72
    assert tray.scale_up.spans_rack


@pytest.mark.parametrize(
    ("part_id", "needed"), [("dgx-b200", 5), ("dgx-a100", 3), ("generic-1u", 1), ("dgx-b300-ps", 6)]
)
def test_supplies_needed_follow_the_redundancy(catalog: Catalog, part_id: str, needed: int) -> None:
    psu = server(catalog, part_id).psu
    assert psu is not None
    assert psu.needed == needed


# Geometry.


def test_cages_lie_on_the_chassis_and_do_not_overlap(catalog: Catalog) -> None:
    for part in catalog.of_kind(DevicePart):
        height_mm = part.rack_units * U_MM
        for cage in part.cages:
            where = (part.id, cage.name)
            assert cage.width_mm / 2 <= cage.x_mm <= CHASSIS_WIDTH_MM - cage.width_mm / 2, where
            assert cage.height_mm / 2 <= cage.y_mm <= height_mm - cage.height_mm / 2, where
        for a, b in combinations(part.cages, 2):
            if a.side is b.side:
                apart_x = abs(a.x_mm - b.x_mm) >= (a.width_mm + b.width_mm) / 2 - 1e-6
                apart_y = abs(a.y_mm - b.y_mm) >= (a.height_mm + b.height_mm) / 2 - 1e-6
                assert apart_x or apart_y, (part.id, a.name, b.name)


def test_cages_of_a_nic_are_named_apart_and_do_not_overlap(catalog: Catalog) -> None:
    for part in catalog.of_kind(NicPart):
        assert len({cage.name for cage in part.cages}) == len(part.cages)
        for a, b in combinations(part.cages, 2):
            assert abs(a.x_mm - b.x_mm) >= (a.width_mm + b.width_mm) / 2, part.id


def test_modes_use_no_more_lanes_than_the_cage_has(catalog: Catalog) -> None:
    for part in caged(catalog):
        for cage in part.cages:
            for mode in cage.modes:
                where = (part.id, cage.name, mode.name)
                assert mode.ports * mode.lanes_per_port <= cage.lanes, where
                lane_gbps = mode.rate_gbps / mode.lanes_per_port
                assert lane_gbps <= cage.lane_gbps + 1e-9, where
                assert lane_gbps in cage.lane_rates_gbps, where


def test_a_cage_has_a_port_for_each_of_its_default_mode(catalog: Catalog) -> None:
    for part in caged(catalog):
        names = [port.name for cage in part.cages for port in cage.ports]
        assert len(names) == sum(cage.default_mode.ports for cage in part.cages), part.id
        assert len(set(names)) == len(names), part.id


# Cables and fibre.


def test_no_stocked_length_exceeds_the_medium(catalog: Catalog) -> None:
    for part in catalog.of_kind(CablePart):
        if part.max_length_m is not None:
            assert part.lengths_m[-1] <= part.max_length_m, part.id
        assert len(set(part.lengths_m)) == len(part.lengths_m), part.id


def test_ends_of_a_cable_carry_the_same_rate(catalog: Catalog) -> None:
    for part in catalog.of_kind(CablePart):
        rates = [end.rate_gbps for end in part.ends]
        if None in rates:
            continue
        known = [rate for rate in rates if rate is not None]
        assert known[0] == pytest.approx(sum(known[1:])), part.id


def test_lanes_times_lane_rate_is_the_rate_of_a_plug(catalog: Catalog) -> None:
    for part in catalog.of_kind(CablePart):
        for end in part.ends:
            if part.lane_gbps and end.lanes and end.rate_gbps:
                assert end.lanes * part.lane_gbps == pytest.approx(end.rate_gbps), part.id


def test_mcp4y10_is_ordered_by_length(catalog: Catalog) -> None:
    part = cable(catalog, "mcp4y10-n")
    assert part.part_number_for(0.5) == "980-9IA0K-00N00A"
    assert part.next_stocked_m(1.2) == 1.5
    assert part.next_stocked_m(2.1) is None


def test_splitters_have_the_branches_of_their_name(catalog: Catalog) -> None:
    for part_id, branches in (
        ("mcp4y10-n", 1),
        ("mcp7y00-n", 2),
        ("mcp7y50-n", 4),
        ("mfp7e20", 2),
        ("mfp7e30", 1),
        ("mpo12-4xlc-sm", 4),
        ("mcp7f80-w", 8),
    ):
        assert cable(catalog, part_id).branches == branches, part_id


def test_copper_is_shorter_than_the_field_allows(catalog: Catalog) -> None:
    """LinkX overview: passive 5, 3 and 2 m (3 m for splitters) by lane rate; ACC 5, AEC 7 m."""
    passive_m = {25: 5, 50: 3, 100: 3}
    for part in catalog.of_kind(CablePart):
        longest = part.lengths_m[-1]
        if part.technology is CableTechnology.DAC and part.lane_gbps:
            assert longest <= passive_m[int(part.lane_gbps)], part.id
            if part.lane_gbps == 100 and part.branches == 1:
                assert longest <= 2, part.id
        if part.technology is CableTechnology.ACC:
            assert longest <= 5, part.id
        if part.technology is CableTechnology.AEC:
            assert longest <= 7, part.id


def test_infiniband_only_parts(catalog: Catalog) -> None:
    for part_id in ("mca4j80-n", "mca4k50"):
        assert cable(catalog, part_id).protocols == {Protocol.INFINIBAND}
    for part in catalog.of_kind(TransceiverPart):
        if part.id.endswith("-t"):
            assert part.protocols == {Protocol.ETHERNET}, part.id


def test_every_cable_that_carries_light_or_data_has_a_delay(catalog: Catalog) -> None:
    assert cable(catalog, "mcp4y10-n").delay_ns_per_m == 4.5  # published by NVIDIA
    for part in catalog.of_kind(CablePart):
        speed = 299.792458 / 1e3  # metres per nanosecond in vacuum
        assert part.delay_ns_per_m is not None, part.id
        assert 1 / speed < part.delay_ns_per_m < 2 / speed, part.id


# Optics.


def test_optics_sum_their_lanes(catalog: Catalog) -> None:
    for part in catalog.of_kind(TransceiverPart):
        assert part.lanes * part.lane_gbps == pytest.approx(part.rate_gbps), part.id
        assert part.optical_lanes % part.sockets == 0, part.id
        optical = part.optical_lanes * part.optical_lane_gbps
        assert optical == pytest.approx(part.rate_gbps), part.id
        parallel = re.fullmatch(r"(?:SR|VR|DR)(\d+)", part.optic_class)
        if parallel:
            assert int(parallel[1]) == part.optical_lanes // part.sockets, part.id
        for other in part.pairs_with:
            assert isinstance(catalog.require(other), TransceiverPart), part.id


def test_reach_names_fibre_of_the_right_medium(catalog: Catalog) -> None:
    for part in catalog.of_kind(TransceiverPart):
        single = part.medium == "SMF"
        assert part.reach_m, part.id
        assert all((fibre == "OS2") == single for fibre in part.reach_m), part.id


def test_nvidia_100g_lane_optics(catalog: Catalog) -> None:
    twin = optic(catalog, "mma4z00-ns")
    assert (twin.power_max_w, twin.reach_m["OM4"], twin.sockets) == (17, 50, 2)
    assert optic(catalog, "mms4x00-ns-flt").shell is Shell.RHS
    assert optic(catalog, "mms4x00-nm").reach_m["OS2"] == 500
    assert optic(catalog, "mms4x00-ns").min_length_m == 2
    assert optic(catalog, "mms4x00-ns400").port_count == "single-port"


# Racks and PDUs.


def test_racks(catalog: Catalog) -> None:
    for part in catalog.of_kind(RackPart):
        assert part.side_channels == (part.width_mm >= 750), part.id
        if part.height_mm is not None:
            pitch_mm = 48.0 if part.id == "ocp-orv3" else U_MM  # OU of Open Rack
            assert part.height_mm > min(part.rack_units, 44) * pitch_mm, part.id
    ar3357 = catalog.require("apc-ar3357")
    assert isinstance(ar3357, RackPart)
    assert (ar3357.rack_units, ar3357.width_mm, ar3357.depth_mm) == (48, 750, 1200)


def test_three_phase_pdus_are_rated_with_the_square_root_of_three(catalog: Catalog) -> None:
    """kVA = V x A x sqrt(3) / 1000, printed in full (IEC) or at 80 % (NEC)."""
    for part in catalog.of_kind(PduPart):
        if part.current_a is None or part.phases != 3:
            continue
        full_kw = part.voltage_v * part.current_a * math.sqrt(3) / 1000
        ratio = part.rated_kw / full_kw
        assert any(abs(ratio - share) < 0.04 for share in (0.8, 1.0)), (part.id, ratio)


def test_legs_of_a_pdu_are_equal_where_they_are_known(catalog: Catalog) -> None:
    ap8888 = catalog.require("apc-ap8888")
    assert isinstance(ap8888, PduPart)
    by_leg: dict[str | None, int] = {}
    for _, group in ap8888.outlet_names:
        by_leg[group.leg] = by_leg.get(group.leg, 0) + 1
    assert by_leg == {"L1": 14, "L2": 14, "L3": 14}
    ap8865 = catalog.require("apc-ap8865")
    assert isinstance(ap8865, PduPart)
    assert {group.leg for group in ap8865.outlets} == {None}
    names = [name for name, _ in ap8888.outlet_names]
    assert len(set(names)) == 42
    assert names[0] == "C13-1"


def test_zero_u_pdus_take_no_rack_units(catalog: Catalog) -> None:
    assert {p.rack_units for p in catalog.of_kind(PduPart)} == {0, 1, 2}


def test_each_file_says_where_its_figures_come_from() -> None:
    folder = files("rackloom_resources") / "catalog"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    assert names == [
        "accessories.yaml",
        "cables.yaml",
        "fibre.yaml",
        "nics.yaml",
        "panels.yaml",
        "pdus.yaml",
        "power.yaml",
        "rack_systems.yaml",
        "racks.yaml",
        "servers.yaml",
        "switches.yaml",
        "transceivers.yaml",
    ]
    for name in names:
        head = (folder / name).read_text(encoding="utf-8").partition("sources:")[0]
        assert head.startswith("# SPDX-License-Identifier: Apache-2.0\n")
        assert len(head.splitlines()) > 4


def test_find_puts_ids_first_and_require_names_near_misses(catalog: Catalog) -> None:
    found: list[Part] = catalog.find("qm9700")
    assert found[0].id == "nvidia-qm9700"
    with pytest.raises(ValueError, match="did you mean nvidia-qm9700"):
        catalog.require("qm9700")


def test_cage_form_factors_are_those_the_plugs_use(catalog: Catalog) -> None:
    """No cage that nothing in the catalogue goes into, but for the NVLink backplane."""
    plugs = {end.form_factor for part in catalog.of_kind(CablePart) for end in part.ends}
    plugs |= {part.form_factor for part in catalog.of_kind(TransceiverPart)}
    plugs |= {FormFactor.NVLINK_BACKPLANE, FormFactor.MMC_12}  # no MMC cords in the sources
    for part in caged(catalog):
        for cage in part.cages:
            assert {cage.form_factor, *cage.accepts} & plugs, (part.id, cage.name)
