# SPDX-License-Identifier: Apache-2.0
"""``estimate`` beside a log, with failures swept, and with what the drawing does not say."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from rackloom.cli import main
from rackloom.cli.estimating import _percent
from rackloom.collectives import ALGORITHMS, Collective
from rackloom.collectives.calibration import PROTOCOLS
from rackloom.collectives.case import ROUTINGS, TRANSPORTS

EXAMPLE = Path(__file__).parents[2] / "resources/rackloom_resources/examples/dgx-h100-4.rackloom"
LOG = """# Collective test starting: all_reduce_perf
   268435456   67108864  float  sum  -1  1772.4  151.46  293.45  0  1772.4  151.46  293.45  0
  1073741824  268435456  float  sum  -1  5802.8  185.04  358.51  0  5802.8  185.04  358.51  0
"""


def answer(capfd: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["estimate", str(EXAMPLE), *(str(w) for w in words)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


def refusal(capfd: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["estimate", str(EXAMPLE), *(str(w) for w in words)]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_a_log_beside_the_estimate(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "all_reduce.log"
    log.write_text(LOG)
    found = json.loads(answer(capfd, "--measured", log, "--format", "json"))
    assert [p["size_bytes"] for p in found["points"]] == [268435456, 1073741824]
    assert found["gpus"] == 32
    assert found["measured"]["collective"] == "all-reduce"
    for measured, point in zip(found["measured"]["points"], found["points"], strict=True):
        gap = 100 * (point["time_us"] / measured["time_us"] - 1)
        assert measured["gap_percent"] == pytest.approx(gap)
        assert abs(gap) < 15
    rows = list(csv.DictReader(io.StringIO(answer(capfd, "--measured", log, "--format", "csv"))))
    assert [float(r["measured_time_us"]) for r in rows] == [1772.4, 5802.8]
    text = answer(capfd, "--measured", log)
    assert "1772.40" in text
    gaps = [float(r["gap_percent"]) for r in rows]
    way = "faster" if sum(gaps) > 0 else "slower"
    assert f"# measured {abs(sum(gaps) / 2):.1f}% {way} than expected from 256 MiB on" in text


def test_a_log_of_several_tables_says_which_one_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    log.write_text(LOG + LOG.replace("all_reduce", "reduce_scatter"))
    assert main(["estimate", str(EXAMPLE), "--measured", str(log)]) == 0
    said = capfd.readouterr().err
    assert "2 tables (all-reduce, reduce-scatter): compared is the first (choose with" in said
    words = ["estimate", str(EXAMPLE), "--measured", str(log), "--collective", "reduce-scatter"]
    assert main([*words, "--format", "json"]) == 0
    out, said = capfd.readouterr()
    assert json.loads(out)["measured"]["collective"] == "reduce-scatter"
    assert "the first of reduce-scatter" in said


def test_a_log_that_does_not_fit_is_a_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    assert "No such file" in refusal(capfd, "--measured", log)
    log.write_text("nothing")
    assert "no table" in refusal(capfd, "--measured", log)
    log.write_text("".join(f"#  Rank {n} Group 0\n" for n in range(64)) + LOG)
    assert "64 GPUs and the design has 32" in refusal(capfd, "--measured", log)
    log.write_text(LOG)
    assert "no table is of broadcast" in refusal(
        capfd, "--measured", log, "--collective", "broadcast"
    )


def test_the_sweep_ranks_failures(capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(answer(capfd, "--sweep", "--format", "json"))
    lost = [effect["lost"] for effect in found["effects"]]
    assert lost == sorted(lost, reverse=True)
    assert found["effects"][0]["kind"] == "leaf"
    assert "leaf" in answer(capfd, "--sweep").splitlines()[2]


def test_the_sweep_is_of_the_collective_size_and_algorithm_asked_for(
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = ("--sweep", "--sizes", "64M", "--format", "json")
    ring = json.loads(answer(capfd, *words, "--algorithm", "ring"))
    tree = json.loads(answer(capfd, *words, "--algorithm", "tree"))
    spread = json.loads(answer(capfd, *words, "--collective", "all-to-all"))
    assert {found["size_bytes"] for found in (ring, tree, spread)} == {64 << 20}
    assert (ring["collective"], spread["collective"]) == ("all-reduce", "all-to-all")
    assert ring["busbw_gb_per_s"] != tree["busbw_gb_per_s"]


def test_what_the_drawing_does_not_say(capfd: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(answer(capfd, "--sizes", "16G", "--format", "json"))["points"][0]
    words = ("--sizes", "16G", "--format", "json", "--efficiency", "0.5")
    lossy = json.loads(answer(capfd, *words))["points"][0]
    assert lossy["busbw_gb_per_s"] < 0.6 * plain["busbw_gb_per_s"]
    assert "efficiency" in refusal(capfd, "--efficiency", "2")
    assert "flows" in refusal(capfd, "--flows", "0")


def test_a_forced_protocol(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("--algorithm", "ring", "--protocol", "LL", "--sizes", "1G", "--format", "json")
    point = json.loads(answer(capfd, *words))["points"][0]
    assert (point["algorithm"], point["protocol"]) == ("ring", "LL")
    plain = answer(capfd, "--protocol", "simple", "--sizes", "1G", "--format", "json")
    assert json.loads(plain)["points"][0]["protocol"] == "Simple"
    assert "there are auto, LL, LL128, Simple" in refusal(capfd, "--protocol", "LL64")


def test_a_log_that_does_not_name_its_test(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """All-to-all has no run in place: it is not to be laid beside an all-reduce."""
    log = tmp_path / "log"
    row = "1073741824 8388608 float none -1 22000 48.8 47.3 0 N/A N/A N/A N/A\n"
    log.write_text(row)
    assert json.loads(answer(capfd, "--measured", log, "--format", "json"))["collective"] == (
        "all-to-all"
    )
    log.write_text(row.replace(" 0 N/A", " N/A N/A"))
    assert main(["estimate", str(EXAMPLE), "--measured", str(log)]) == 0
    assert "does not say which test" not in capfd.readouterr().err  # no in-place time either
    log.write_text(row.replace("0 N/A N/A N/A N/A", "N/A 22000 48.8 47.3 N/A"))
    assert main(["estimate", str(EXAMPLE), "--measured", str(log)]) == 0
    assert "does not say which test it is of: taken for all-reduce" in capfd.readouterr().err


def test_the_table_says_what_its_numbers_are(capfd: pytest.CaptureFixture[str]) -> None:
    """The limit is a bus bandwidth; the rate of the wires that cross the cut is another number."""
    lines = answer(capfd, "--sizes", "1G", "--gpus", "8").splitlines()
    limit = next(line for line in lines if line.startswith("# limit "))
    assert "875.0 GB/s: " in limit  # 2 x 7/8 x 500, for NVLS adds up
    assert "(500 GB/s in all) join GPU 0 of " in limit
    assert limit.endswith("to the other 7 GPUs, with switches that add up on the way")
    assert any("nvls could reach at 1073741824 bytes" in line for line in lines)


def test_what_costs_nothing_has_no_sign() -> None:
    assert [_percent(x) for x in (-0.0001, 0.0, -0.004, 0.0961)] == [
        "0.0%",
        "0.0%",
        "-0.4%",
        "9.6%",
    ]


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ((), ""),
        (("--sharp",), ""),
        (("--sharp", "--collective", "alltoall"), "libraries do not use it for all-to-all"),
        (("--sharp", "--gpus", "8"), "SHARP has no effect: all GPUs are in one server"),
        (("--efficiency", "0.5", "--gpus", "8"), "state of the network have no effect"),
        (("--algorithm", "nvls"), "nvls takes SHARP between the servers"),
        (("--algorithm", "nvls", "--gpus", "8"), ""),
        (("--flows", "4"), "the number of flows has no effect"),
        (("--flows", "4", "--routing", "ecmp"), ""),
    ],
)
def test_settings_without_effect_are_named(
    words: tuple[str, ...], note: str, capfd: pytest.CaptureFixture[str]
) -> None:
    text = answer(capfd, "--sizes", "1G", *words)
    assert ("# note: " in text) == bool(note)
    assert note in text


def test_the_help_names_what_can_be_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "--help"]) == 0
    text = re.sub(r"(?<=\w)-\s+", "-", capfd.readouterr().out)
    words = set(re.findall(r"[\w-]+", text))
    assert {*Collective, *ALGORITHMS, *PROTOCOLS, *TRANSPORTS, *ROUTINGS} <= words
