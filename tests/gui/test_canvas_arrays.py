# SPDX-License-Identifier: Apache-2.0
"""The scene's mirror: patched arrays equal rebuilt ones, look-ups equal looking at everything."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.gui.canvas_help import CATALOG, DAC, NODE, PDU, RACK, SERVER, SWITCH, made, small

from rackloom.catalog.words import Side
from rackloom.design import Design, EditError, History, edits
from rackloom.design.entities import CableEnd
from rackloom.design.kits import add_rack_system
from rackloom.placement.elevation import port_point
from rackloom.placement.routes import route_m
from rackloom_gui.canvas.arrays import SceneArrays
from rackloom_gui.canvas.colours import code_of_fabric
from rackloom_gui.canvas.distinct import distinct
from rackloom_gui.canvas.elevation_layout import ElevationLayout
from rackloom_gui.canvas.fabric_layout import FabricLayout
from rackloom_gui.canvas.floor_layout import TRAY_W, FloorLayout
from rackloom_gui.canvas.hit import HitIndex, crosses
from rackloom_gui.canvas.segments import LineIndex, SegmentIndex, distance

LAYOUTS: list[Callable[[], Any]] = [
    lambda: ElevationLayout(Side.FRONT),
    lambda: ElevationLayout(Side.REAR),
    FabricLayout,
    FloorLayout,
]
EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)


def built(design: Design, layout: Any) -> SceneArrays:
    scene = SceneArrays(layout)
    scene.build(design)
    return scene


def picture(scene: SceneArrays) -> dict[str, Any]:
    """Everything a scene shows, whatever rows it keeps it in."""
    devices = scene.devices
    segments, owners = scene.segments.within(*EVERYWHERE)
    segments = segments.astype(np.float32).astype(np.float64)  # as the sorted ones are kept
    cables: dict[str, list[Any]] = {}
    for segment, owner in zip(segments.tolist(), owners.tolist(), strict=True):
        row = scene.legs["cable"][owner]
        x1, y1, x2, y2 = (round(v, 1) for v in segment)
        there, back = (x1, y1, x2, y2), (x2, y2, x1, y1)
        cables.setdefault(scene.cables.ids[row], []).append(min(there, back))
    ports = {}
    for device_id, row in devices.items():
        face = scene.book.faces[devices["face"][row]]
        base = int(devices["base"][row])
        codes = scene.port_codes[base : base + len(face.cages)].tolist()
        ports[device_id] = dict(zip((c.name for c in face.cages), codes, strict=True))
    return {
        "racks": {i: scene.racks["box"][r].tolist() for i, r in scene.racks.items()},
        "devices": {
            i: (
                devices["box"][r].tolist(), bool(devices["shown"][r]),
                scene.looks[devices["look"][r]],
            )
            for i, r in devices.items()
        },
        "ports": ports,
        "cables": {i: sorted(s) for i, s in cables.items()},
        "codes": {i: int(scene.cables["code"][r]) for i, r in scene.cables.items()},
    }  # fmt: skip


def _edit_at_random(history: History, rng: random.Random) -> None:
    design = history.design
    devices, racks = list(design.devices), list(design.racks)
    choice = rng.randrange(9)
    if choice == 0:
        part = rng.choice([NODE, SWITCH, SERVER])
        history.do("add", edits.add_device, part, rng.choice(racks), rng.randrange(1, 40))
    elif choice == 1 and devices:
        history.do(
            "move", edits.move_device, rng.choice(devices), rng.choice(racks), rng.randrange(1, 40)
        )
    elif choice == 2 and devices:
        history.do("remove", edits.remove, [rng.choice(devices)])
    elif choice in (3, 4):
        servers = [d for d in devices if design.devices[d].part == SERVER.id]
        switches = [d for d in devices if design.devices[d].part == SWITCH.id]
        if servers and switches:
            ends = [
                CableEnd(0, rng.choice(servers), f"OSFP{rng.randrange(1, 5)}"),
                CableEnd(1, rng.choice(switches), str(rng.randrange(1, 33))),
            ]
            history.do("plug", edits.plug_cable, DAC, ends, DAC.lengths_m[0])
    elif choice == 5 and design.cables:
        history.do("unplug", edits.remove, [rng.choice(list(design.cables))])
    elif choice == 6:
        rack = design.racks[rng.choice(racks)]
        history.do("rack", edits.move_rack, rack.id, rack.row, rng.randrange(0, 60) / 10)
    elif choice == 7:
        history.do(
            "add rack", edits.add_rack, RACK, next(iter(design.rows)), rng.randrange(8, 60) / 10
        )
    elif history.can_undo():
        history.undo()


@pytest.mark.parametrize("layout", LAYOUTS, ids=["front", "rear", "fabric", "floor"])
@pytest.mark.parametrize("seed", range(4))
def test_patched_arrays_equal_rebuilt_ones(layout: Callable[[], Any], seed: int) -> None:
    design, _ = made(small)
    history = History(design)
    scene = built(design, layout())
    changes = []
    history.listen(lambda design, step: changes.append((design, step.change)))
    rng = random.Random(seed)
    for _ in range(30):
        try:
            _edit_at_random(history, rng)
        except EditError:
            continue
        for after, change in changes:
            scene.patch(after, change)
        changes.clear()
        seen, fresh = picture(scene), picture(built(history.design, layout()))
        for what in ("racks", "devices", "cables", "codes", "ports"):
            assert seen[what] == fresh[what], what


def test_a_cable_between_switches_takes_the_colour_of_what_is_cabled_later() -> None:
    """Spines are often cabled first: what network that is, the servers' cables tell."""
    design, ids = made(small)
    history = History(design)
    scene = built(design, FabricLayout())
    history.listen(lambda after, step: scene.patch(after, step.change))
    for cable in list(history.design.cables):
        history.do("unplug", edits.remove, [cable])
    between = [CableEnd(0, ids["leaf0"], "9"), CableEnd(1, ids["leaf1"], "9")]
    history.do("plug", edits.plug_cable, DAC, between, DAC.lengths_m[0])
    (first,) = history.design.cables

    def code() -> int:
        return int(scene.cables["code"][scene.cables.row_of[first]])

    assert code() == 0
    server = [CableEnd(0, ids["server0"], "OSFP1"), CableEnd(1, ids["leaf0"], "1")]
    history.do("plug", edits.plug_cable, DAC, server, DAC.lengths_m[0])
    assert code() == code_of_fabric("compute")
    assert picture(scene)["ports"][ids["leaf1"]]["9"] == code_of_fabric("compute")
    history.undo()
    assert code() == 0
    history.do("say", edits.set_device, ids["leaf1"], fabric="storage")
    assert code() == code_of_fabric("storage")


@pytest.mark.parametrize("side", list(Side))
def test_ports_are_where_placement_says(side: Side) -> None:
    def edit(draft: Any) -> None:
        ids = small(draft)
        edits.add_device(draft, SWITCH, ids["rack1"], 40, face=Side.FRONT)

    design, _ = made(edit)
    scene = built(design, ElevationLayout(side))
    seen = 0
    for device_id in design.devices:
        row = scene.devices.row_of[device_id]
        face = scene.book.faces[scene.devices["face"][row]]
        for cage in face.cages:
            where, x, y = port_point(design, device_id, cage.name)
            place = scene.port_place(device_id, cage.name)
            assert (place is not None) == (where is side)
            if place is not None:
                seen += 1
                assert place[0] + place[2] / 2 == pytest.approx(x)
                assert place[1] + place[3] / 2 == pytest.approx(y)
    assert seen > 0


def test_routes_begin_and_end_at_the_ports_and_run_along_the_axes() -> None:
    design, ids = made(small)
    scene = built(design, ElevationLayout(Side.REAR))
    route = scene.route_of(ids["cable"])
    straight = (route[:, 0] == route[:, 2]) | (route[:, 1] == route[:, 3])
    assert straight.all()
    ends = {(round(x, 3), round(y, 3)) for x, y in [*route[:, :2], *route[:, 2:]]}
    for device, cage in ((ids["server0"], "OSFP1"), (ids["leaf0"], "1")):
        _, x, y = port_point(design, device, cage)
        assert (round(x, 3), round(y, 3)) in ends
    joints = route[1:, :2] - route[:-1, 2:]
    assert np.abs(joints).max() < 1e-6, "one unbroken line"


def test_segment_index_finds_what_looking_at_all_finds() -> None:
    rng = np.random.default_rng(3)
    n = 4000
    segments = rng.uniform(0, 10_000, (n, 4))
    flat = np.arange(n) % 2 == 0
    segments[flat, 3] = segments[flat, 1]
    segments[~flat, 2] = segments[~flat, 0]
    segments = np.round(segments)  # exact in single precision
    owners = np.arange(n, dtype=np.int32) // 4
    index = SegmentIndex()
    index.build(segments, owners, n // 4)
    moved = np.array([3, 7, 500], dtype=np.int32)
    index.forget(moved, n // 4)
    fresh = np.array([[10.0, 20.0, 500.0, 20.0]])
    index.add(fresh, np.array([3], dtype=np.int32))
    everything = LineIndex()
    everything.build(segments, owners, n // 4)
    everything.forget(moved, n // 4)
    everything.add(fresh, np.array([3], dtype=np.int32))
    for _ in range(50):
        x, y = rng.uniform(0, 9000, 2)
        w, h = rng.uniform(0, 1500, 2)
        a, b = index.within(x, y, x + w, y + h), everything.within(x, y, x + w, y + h)
        assert sorted(a[1].tolist()) == sorted(b[1].tolist())


def test_distance_to_a_segment_is_euclidean() -> None:
    segments = np.array([[0.0, 0.0, 10.0, 0.0], [0.0, 5.0, 0.0, 5.0]])
    assert distance(segments, 13.0, 4.0)[0] == pytest.approx(5.0)  # 3-4-5 triangle beyond the end
    assert distance(segments, 3.0, 9.0)[1] == pytest.approx(5.0)  # a segment that is a point


def test_crosses_knows_segments_that_pass_by_the_corner() -> None:
    band = (0.0, 0.0, 10.0, 10.0)
    segments = np.array([
        [-5.0, 5.0, 15.0, 5.0],   # through
        [-5.0, 8.0, 3.0, 14.0],   # cuts the upper left corner's box but not the rectangle
        [2.0, 2.0, 3.0, 3.0],     # inside
        [11.0, -5.0, 11.0, 15.0],  # beside
    ])  # fmt: skip
    assert crosses(segments, band).tolist() == [True, False, True, False]


def test_hits_find_the_port_the_cable_the_device_and_the_rack() -> None:
    design, ids = made(small)
    scene = built(design, ElevationLayout(Side.REAR))
    hits = HitIndex(scene)
    x, y, w, h = scene.port_place(ids["leaf0"], "17")  # type: ignore[misc]
    hit = hits.at(x + w / 2, y + h / 2, scale=1.0)
    assert (hit.device, hit.cage, hit.id) == (ids["leaf0"], "17", ids["leaf0"])
    x1, y1, x2, y2 = scene.route_of(ids["cable"])[3]
    hit = hits.at((x1 + x2) / 2 + 2.0, (y1 + y2) / 2, scale=1.0)
    assert hit.cable == hit.id == ids["cable"]
    x, y, w, h = scene.box_of(ids["rack1"])  # type: ignore[misc]
    hit = hits.at(x + w / 2, y + 10.0, scale=1.0)
    assert (hit.id, hit.device) == (ids["rack1"], None)


def test_a_band_takes_cables_whole_or_touched() -> None:
    design, ids = made(small)
    scene = built(design, ElevationLayout(Side.REAR))
    hits = HitIndex(scene)
    x, y, w, h = scene.box_of(ids["cable"])  # type: ignore[misc]
    around = (x - 1, y - 1, x + w + 1, y + h + 1)
    assert ids["cable"] in hits.inside(*around, touching=False)
    half = (x - 1, y - 1, x + w + 1, y + h / 2)
    assert ids["cable"] not in hits.inside(*half, touching=False)
    assert ids["cable"] in hits.inside(*half, touching=True)
    beside = (x + w + 400, y, x + w + 500, y + h)
    assert ids["cable"] not in hits.inside(*beside, touching=True)


def test_front_and_rear_show_different_sides_of_the_same_device() -> None:
    design, ids = made(small)
    front = built(design, ElevationLayout(Side.FRONT))
    assert front.port_place(ids["server0"], "OSFP1") is None, "its NICs are at the rear"
    assert not len(front.segments.within(*EVERYWHERE)[1]), "no cable can be seen from the front"


def test_a_cable_takes_the_network_of_the_nic_and_switch_links_that_of_their_switch() -> None:
    def edit(draft: Any) -> dict[str, Any]:
        ids = small(draft)
        spine = edits.add_device(draft, SWITCH, ids["rack1"], 40, face=Side.REAR)
        ends = [CableEnd(0, ids["leaf0"], "20"), CableEnd(1, spine, "1")]
        ids["uplink"] = edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])
        return ids

    design, ids = made(edit)
    scene = built(design, ElevationLayout(Side.REAR))
    codes = {i: int(scene.cables["code"][r]) for i, r in scene.cables.items()}
    assert codes == {ids["cable"]: 1, ids["uplink"]: 1}, "1 is the compute network"


def test_half_the_devices_of_a_rack_keep_their_place_when_one_is_hidden() -> None:
    def edit(draft: Any) -> Any:
        ids = small(draft)
        edits.add_device(draft, PDU, ids["rack0"], None)
        return ids

    design, _ = made(edit)
    pdu = next(d.id for d in design.devices.values() if d.part == PDU.id)
    assert not built(design, ElevationLayout(Side.FRONT)).devices["shown"][-1]
    rear = built(design, ElevationLayout(Side.REAR))
    assert rear.devices["shown"][rear.devices.row_of[pdu]]


def test_bundles_hold_every_cable_once_on_each_stretch() -> None:
    def edit(draft: Any) -> Any:
        ids = small(draft)
        far = edits.add_device(draft, SWITCH, ids["rack1"], 40, face=Side.REAR)
        for n in range(5):
            ends = [CableEnd(0, ids["leaf1"], str(n + 1)), CableEnd(1, far, str(n + 1))]
            edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])
        return ids

    design, _ = made(edit)
    bundles = built(design, ElevationLayout(Side.REAR)).bundles
    # one in rack 0 (the cable to the server), a riser at each rack, one stretch of tray
    assert sorted(bundles.counts.tolist()) == [1, 5, 5, 5]
    fabric = built(design, FabricLayout()).bundles
    assert sorted(fabric.counts.tolist()) == [1, 5]


def test_the_fabric_holds_what_has_ports_and_no_power_shelves() -> None:
    def edit(draft: Any) -> None:
        system: Any = CATALOG["gb200-nvl72-rack"]
        rack = add_rack_system(draft, system, CATALOG, edits.add_row(draft), 0.0)
        cdu: Any = CATALOG["cdu-4u-250"]
        edits.add_device(draft, cdu, rack, 43)

    design, _ = made(edit)
    scene = built(design, FabricLayout())
    shown = [i for i, row in scene.devices.items() if scene.devices["shown"][row]]
    kinds = Counter(getattr(design.device_part(d), "kind", "") for d in shown)  # type: ignore[arg-type]
    assert kinds == {"server": 18, "switch": 11}


@pytest.mark.parametrize("pods", [1, 4])
def test_bundles_of_the_fabric_never_lie_on_each_other(pods: int) -> None:
    """64 servers a pod at its leaves: too many links to be drawn one by one."""

    def edit(draft: Any) -> None:
        row = edits.add_row(draft)
        for pod in range(pods):
            rack = edits.add_rack(draft, RACK, row, 0.8 * (70 * pod))
            leaves = [
                edits.add_device(
                    draft, SWITCH, rack, 20 + 2 * n, role="leaf", pod=f"pod {pod}", fabric="compute"
                )
                for n in range(8)
            ]
            for n in range(64):
                if n % 4 == 0:
                    rack = edits.add_rack(draft, RACK, row, 0.8 * (70 * pod + 1 + n // 4))
                server = edits.add_device(draft, SERVER, rack, 1 + 8 * (n % 4), pod=f"pod {pod}")
                for k, leaf in enumerate(leaves[n // 32 * 4 :][:4]):
                    ends = [CableEnd(0, server, f"OSFP{k + 1}"), CableEnd(1, leaf, str(n % 32 + 1))]
                    edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])

    design, _ = made(edit)
    layout = FabricLayout()
    layout.most_segments = 10
    bundles = built(design, layout).bundles
    assert bundles.counts.sum() == 64 * 4 * pods
    assert (np.ptp(bundles.lines[:, [1, 3]], axis=1) > 0).all()
    ends = {(x1, x2) for x1, _, x2, _ in bundles.lines.round().tolist()}
    assert len(ends) == len(bundles.lines), "two bundles run along the same line"
    assert len(bundles.lines) == (pods if pods > 1 else 2)


@pytest.mark.parametrize("given", [(), (3.6,)], ids=["at rows' ends", "of the project"])
def test_cables_between_rows_are_drawn_over_the_tray_their_length_is_measured_by(
    given: tuple[float, ...],
) -> None:
    def edit(draft: Any) -> Any:
        """Two long rows with a cable from one to the other, and a row that begins half way."""
        if given:
            edits.change_settings(draft, cross_trays_x_m=given)
        racks = []
        for row, positions in enumerate(((0.0, 3.2, 9.2), (0.0, 4.0, 9.2), (3.6, 4.8, 9.2))):
            row_id = edits.add_row(draft, y_m=3.0 * row)
            racks.append([edits.add_rack(draft, RACK, row_id, x) for x in positions])
        a, b, c = (edits.add_device(draft, SWITCH, rack[1], 40) for rack in racks)
        for port, far in (("1", b), ("2", c)):
            ends = [CableEnd(0, a, port), CableEnd(1, far, port)]
            edits.plug_cable(draft, DAC, ends, DAC.lengths_m[0])

    design, _ = made(edit)
    scene = built(design, FloorLayout())
    segments, owners = scene.segments.within(*EVERYWHERE)
    measured = set()
    for cable_id, cable in design.cables.items():
        route = route_m(design, cable)
        assert route is not None
        (over_m,) = {p[0] for p, q in pairwise(route.points) if p[0] == q[0] and p[1] != q[1]}
        mine = segments[scene.legs["cable"][owners] == scene.cables.row_of[cable_id]]
        across = mine[np.abs(mine[:, 3] - mine[:, 1]) > 2000]
        assert across[:, 0] == pytest.approx(over_m * 1000, abs=TRAY_W / 2)
        measured.add(round(over_m * 1000))
    tall = scene.bundles.boxes[scene.bundles.boxes[:, 3] > 2000]
    assert set((tall[:, 0] + tall[:, 2] / 2).round().astype(int).tolist()) == measured
    assert measured == ({3600} if given else {0, 3600})


def test_catalog_has_the_parts_these_tests_stand_on() -> None:
    assert len(CATALOG) > 100


@pytest.mark.parametrize(
    "values",
    [
        np.array([], np.int64),
        np.array([3, 1, 3, 2], np.uint8),
        np.array([-1, 4, -1, 4]),
        np.array([2.5, 0.5, 2.5]),
        np.array([1 << 40, 3, 1 << 40]),
        np.array([[1, 2], [2, 7]]),
    ],
)
def test_different_values_are_those_numpy_finds(values: Any) -> None:
    found = distinct(values)
    assert found.tolist() == np.unique(values).tolist()
    assert found.dtype == values.dtype
