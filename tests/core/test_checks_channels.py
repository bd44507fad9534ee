# SPDX-License-Identifier: Apache-2.0
"""Rules of structured cabling: transceiver, cord, panel, trunk, panel, cord, transceiver."""

import pytest
from tests.core.rule_world import QM9700, World

from rackloom.catalog.parts import CablePart
from rackloom.catalog.site_parts import PanelPart
from rackloom.checks import run
from rackloom.design import Draft, edits
from rackloom.design.ids import CableId, DeviceId

CHANNEL_RULES = (
    "port.channel-optics",
    "port.channel-joint",
    "port.polarity",
    "reach.channel-fibre",
    "reach.channel-length",
    "reach.channel-loss",
    "reach.panels",
)


class Run:
    """A run between two QM9700 over any number of couplers; cords at the ends, trunks between."""

    def __init__(
        self,
        *,
        optics: tuple[str, str] = ("mms4x00-nm", "mms4x00-nm"),
        cords: tuple[str | CablePart, str | CablePart] = ("mfp7e30", "mfp7e30"),
        trunks: tuple[str | CablePart, ...] = ("trunk-12-os2",),
        trunk_m: float = 10.0,
        panel: str | PanelPart = "generic-mpo-panel-1u",
    ) -> None:
        self.world = world = World()
        self.a, self.b = world.device(QM9700, "a"), world.device(QM9700, "b")
        panels = [world.device(panel, f"panel-{n}") for n in range(len(trunks) + 1)]
        self.panels: list[DeviceId] = panels
        for switch, optic in zip((self.a, self.b), optics, strict=True):
            world.module(optic, switch, "1")
        self.cables: list[CableId] = [
            world.cable(cords[0], (self.a, "1", 0), (panels[0], "F1"), length_m=3)
        ]
        face = "R"
        for n, trunk in enumerate(trunks):
            ends = (panels[n], f"{face}1"), (panels[n + 1], f"{face}1")
            self.cables.append(world.cable(trunk, *ends, length_m=trunk_m))
            face = "F" if face == "R" else "R"
        self.cables.append(
            world.cable(cords[1], (panels[-1], f"{face}1"), (self.b, "1", 0), length_m=3)
        )

    def fires(self, rule: str) -> list[str]:
        """Messages of one rule."""
        return [f.message for f in self.world.fires(rule)]


def variant(part_id: str, **fibre: object) -> CablePart:
    """A cord or trunk of the catalogue with another fibre."""
    part = World().part(part_id)
    assert isinstance(part, CablePart)
    assert part.fibre is not None
    return part.model_copy(
        update={"id": f"{part_id}-x", "fibre": part.fibre.model_copy(update=fibre)}
    )


def test_a_run_as_nvidia_draws_it_is_silent_and_links() -> None:
    run_ = Run()
    findings = run_.world.check()
    assert not [f.message for f in findings if f.rule in CHANNEL_RULES]
    assert sum(map(len, run_.world.design.links.values())) == 1


def test_optics_that_do_not_pair_across_panels() -> None:
    (message,) = Run(optics=("mms4x00-nm", "mma4z00-ns")).fires("port.channel-optics")
    assert message.startswith("between port 1 of a and port 1 of b, ")
    assert "single-mode" in message


def test_a_multimode_cord_in_a_single_mode_run() -> None:
    (message,) = Run(cords=("mfp7e30", "mfp7e10")).fires("reach.channel-fibre")
    assert message == ("the run between port 1 of a and port 1 of b mixes OS2 and OM4 fibre")


def test_lengths_add_up() -> None:
    short = ("mms4x00-ns", "mms4x00-nm")  # 100 m and 500 m
    assert not Run(optics=short, trunk_m=94).fires("reach.channel-length"), "100 m"
    (message,) = Run(optics=short, trunk_m=95).fires("reach.channel-length")
    assert "is 101 m long" in message
    assert "MMS4X00-NS reaches 100 m on OS2" in message


@pytest.mark.parametrize(("trunk_m", "fires"), [(44.0, False), (45.0, True)])
def test_a_splitter_carries_50_m_in_all_though_its_optics_reach_500(
    trunk_m: float, fires: bool
) -> None:
    """NVIDIA, structured cabling: single-mode straight 500 m, split 50 m."""
    messages = Run(cords=("mfp7e40", "mfp7e30"), trunk_m=trunk_m).fires("reach.channel-length")
    assert bool(messages) is fires
    for message in messages:
        assert "is 51 m long, but split by MFP7E40-Nxxx it carries 50 m at most" in message
    assert not Run(trunk_m=trunk_m).fires("reach.channel-length"), "a straight one reaches 500 m"


def test_joints_add_up() -> None:
    """Two couplers of 0.35 dB and 16 m are far below 3 dB; two of 1.5 dB are not."""
    assert not Run().fires("reach.channel-loss")
    panel = World().part("generic-mpo-panel-1u")
    assert isinstance(panel, PanelPart)
    lossy = panel.model_copy(
        update={
            "id": "lossy",
            "passes": tuple(p.model_copy(update={"loss_db": 1.5}) for p in panel.passes),
        }
    )
    lossy.__dict__.pop("passages", None)
    (message,) = Run(panel=lossy).fires("reach.channel-loss")
    assert "loses up to 3.01 dB, but MMS4X00-NM allows 3 dB" in message


def test_three_panels_are_one_too_many() -> None:
    assert not Run().fires("reach.panels")
    three = Run(trunks=("trunk-12-os2", "mfp7e30"))
    (message,) = three.fires("reach.panels")
    assert "goes through 3 panels; 2 are allowed" in message


@pytest.mark.parametrize(("trunk", "crossings"), [("B", 3), ("A", 2)])
def test_crossings_must_be_odd(trunk: str, crossings: int) -> None:
    messages = Run(trunks=(variant("trunk-12-os2", polarity=trunk),)).fires("port.polarity")
    if crossings % 2:
        assert not messages
    else:
        assert "crosses the fibres 2 times" in messages[0]


def test_two_connectors_without_pins() -> None:
    assert not Run().fires("port.channel-joint")
    messages = Run(trunks=(variant("trunk-12-os2", pinned=False),)).fires("port.channel-joint")
    assert len(messages) == 2
    assert messages[0].startswith("in panel-0, between port 1 of a and port 1 of b, ")
    assert messages[0].endswith("both connectors have no pins")


def test_angled_meets_flat_in_a_panel() -> None:
    messages = Run(trunks=(variant("trunk-12-os2", polish="UPC"),)).fires("port.channel-joint")
    assert len(messages) == 2
    assert messages[0].endswith("an APC ferrule meets a UPC one")


def test_a_change_beyond_the_panels_is_seen_from_both_ends() -> None:
    """Incremental equals full when the far optic, the trunk, or a panel changes."""
    world = Run().world
    design = world.design
    assert design.panels
    findings = run(design)
    far = next(m for m in design.modules.values() if design.name_of(m.device) == "b")
    trunk = next(c for c in design.cables.values() if c.part == "trunk-12-os2")
    panel = next(d for d in design.devices.values() if d.name == "panel-1")
    for victim in (far.id, trunk.id, panel.id):
        draft = Draft(design)
        edits.remove(draft, [victim])
        after, step = draft.close("Remove")
        assert findings.patched(after, step.change) == run(after)
        back = after.apply(step.change.inverse)
        assert findings.patched(after, step.change).patched(back, step.change.inverse) == run(back)
    draft = Draft(design)
    edits.swap_module(draft, far.id, World().part("mma4z00-ns"))  # type: ignore[arg-type]
    after, step = draft.close("Swap")
    patched = findings.patched(after, step.change)
    assert patched == run(after)
    assert "port.channel-optics" in {f.rule for f in patched}
