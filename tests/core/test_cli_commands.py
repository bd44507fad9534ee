# SPDX-License-Identifier: Apache-2.0
"""The command line as scripts and people use it: outputs, exit codes, one-line errors."""

from __future__ import annotations

import csv
import io
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook
from tests.builders import small_design

import rackloom
from rackloom.cli import main
from rackloom.cli import output as output_module
from rackloom.cli.errors import CommandError
from rackloom.cli.names import resolve
from rackloom.design import Draft, edits
from rackloom.files import load, save
from rackloom.reports import cable_schedule

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(ROOT / p) for p in ("core", "gui", "resources")),
}


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A saved small design."""
    path = tmp_path / "hall.rackloom"
    save(path, small_design())
    return path


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    status = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return status, out, err


def complaint(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line of a command that ends with status 2 and writes nothing else."""
    status, out, err = run(capfd, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("rackloom: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("bom", "HALL", "-o", "-", "--spares", "cable=1e-9999"), "is not a percentage"),
        (("bom", "HALL", "-o", "-", "--prices", ""), "--prices: the name of the file is empty"),
        (("power", "HALL", "-o", ""), "-o: the name of the file is empty"),
        (("trays", "HALL", "-o", ""), "-o: the name of the file is empty"),
        (("bom", "HALL", "-o", "x" * 300), "the name must end in .csv or .xlsx"),
        (("catalog", "add", ""), "the name of a file is empty"),
    ],
)
def test_arguments_that_say_nothing_are_refused(
    hall: Path, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    given = [str(hall) if word == "HALL" else word for word in arguments]
    assert says in complaint(capfd, *given)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device without an end is needed")
def test_files_without_an_end_are_given_up(
    hall: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their size says 0: only what was read tells that they are too long."""
    monkeypatch.setenv("RACKLOOM_DATA_DIR", str(tmp_path))
    assert "too long for a catalogue" in complaint(capfd, "catalog", "add", "/dev/zero")
    assert "price list" in complaint(capfd, "bom", hall, "-o", "-", "--prices", "/dev/zero")
    assert "a log is not longer" in complaint(capfd, "estimate", hall, "--measured", "/dev/zero")


def test_names_of_other_people_cannot_command_the_terminal(
    hall: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """ESC would move the cursor or hide a finding, U+202E turn the line round; JSON keeps both."""
    odd = "leaf\x1b[2K\x9b1A\u202e\rend"
    draft = Draft(load(hall).design)
    for device in list(draft.devices):
        edits.rename(draft, device, f"{odd}{device}")
    save(hall, draft.close("Odd names")[0])
    for command in (("check", hall, "--fail-on", "never"), ("estimate", hall), ("power", hall)):
        _, out, err = run(capfd, *command)
        assert "leaf\ufffd[2K\ufffd1A\ufffd\ufffdend" in out + err
        assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(out + err)
    status, out, _ = run(capfd, "check", hall, "--format", "json", "--fail-on", "never")
    assert status == 0
    assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(out)
    assert any(odd in finding["message"] for finding in json.loads(out)["findings"])
    assert "\x1b" not in complaint(capfd, "check", "no\x1b[31m.rackloom")


# What is there


def test_help_names_the_commands_that_exist_and_no_others(
    capfd: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capfd, "--help")
    assert status == 0
    for command in ("new", "check", "summary", "bom", "cables", "labels", "power", "trays"):
        assert f"\n    {command} " in out
    for command in ("estimate", "render", "catalog"):
        assert f"\n    {command} " in out
        assert run(capfd, command, "--help")[0] == 0
    for later in ("import", "export", "compare"):
        assert f"\n    {later} " not in out
        assert "no command" in complaint(capfd, later, "x", "y")


def test_the_version_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "--version")[:2] == (0, f"rackloom {rackloom.__version__}\n")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from rackloom.cli import main\n"
        "main(['--help'])\n"
        "heavy = {'numpy', 'scipy', 'pydantic', 'yaml', 'networkx', 'openpyxl', 'PySide6'}\n"
        "sys.exit(f'{heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_library_has_the_functions_under_the_names_of_the_commands() -> None:
    code = (
        "import sys, rackloom\n"
        "assert 'pydantic' not in sys.modules\n"
        "missing = [n for n in rackloom.__all__ if not hasattr(rackloom, n)]\n"
        "assert not missing, missing\n"
        "assert not hasattr(rackloom, 'no_such_name')\n"
        "assert set(rackloom.__all__) <= set(dir(rackloom))\n"
        "assert rackloom.summary(rackloom.Design())['racks'] == 0\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# Tables


def test_the_bom_goes_to_standard_output(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "bom", hall, "-o", "-")
    assert (status, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["category"] for row in rows} >= {"server", "switch", "cable", "fibre", "rack"}
    assert next(r for r in rows if r["category"] == "server")["quantity"] == "2"


def test_the_schedule_is_the_same_as_csv_and_xlsx(
    hall: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("cables.csv", "cables.xlsx"):
        assert run(capfd, "cables", hall, "-o", tmp_path / name) == (0, "", "")
    rows = list(csv.reader((tmp_path / "cables.csv").read_text("utf-8").splitlines()))
    sheet = load_workbook(tmp_path / "cables.xlsx").active
    assert sheet is not None
    cells = [["" if v is None else str(v) for v in r] for r in sheet.iter_rows(values_only=True)]
    assert [[c.removesuffix(".0") for c in row] for row in cells] == rows
    assert len(rows) == 1 + len(cable_schedule(small_design()))


def test_an_output_is_replaced_but_never_the_input(
    hall: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "bom.csv"
    target.write_text("old")
    assert run(capfd, "bom", hall, "-o", target)[0] == 0
    assert target.read_text().startswith("part_number")
    before = hall.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(hall)
    hard = tmp_path / "hard.csv"
    hard.hardlink_to(hall)
    for same in (link, hard):
        assert "is the file that is read" in complaint(capfd, "bom", hall, "-o", same)
    assert hall.read_bytes() == before


def test_an_output_of_another_kind_is_refused(
    hall: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert ".csv or .xlsx" in complaint(capfd, "bom", hall, "-o", tmp_path / "bom.ods")
    assert ".svg, .pdf or .png" in complaint(capfd, "render", hall, "-o", tmp_path / "x.gif")
    assert "folder does not exist" in complaint(capfd, "bom", hall, "-o", tmp_path / "no" / "b.csv")
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    assert "directory" in complaint(capfd, "bom", hall, "-o", folder)
    long = tmp_path / f"{'a' * 300}.csv"
    assert "the name is too long" in complaint(capfd, "bom", hall, "-o", long)


def test_a_device_can_be_written_to(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "bom", hall, "-o", "/dev/null") == (0, "", "")


# Check


def test_check_ends_by_severity(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # gpu-02 has no power cord at all, and gpu-01 one of six: findings there are.
    status, out, _ = run(capfd, "check", hall, "--fail-on", "warning")
    assert status == 1
    assert "gpu-02" in out
    assert run(capfd, "check", hall, "--fail-on", "never")[0] == 0


def test_check_of_an_empty_design_is_fine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.rackloom"
    save(path, rackloom.Design())
    for level in ("error", "warning", "never"):
        assert run(capfd, "check", path, "--fail-on", level)[0] == 0


# New


@pytest.mark.parametrize("size", [("--servers", "4"), ("--gpus", "32")])
def test_new_makes_a_whole_design(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], size: tuple[str, str]
) -> None:
    path = tmp_path / "new.rackloom"
    assert run(capfd, "new", "rail-fat-tree", *size, "-o", path)[0] == 0
    found = rackloom.summary(load(path).design)
    assert (found["servers"], found["gpus"]) == (4, 32)
    assert found["cables"]
    # The way on: everything that is drawn can be counted and estimated.
    assert run(capfd, "check", path)[0] == 0
    assert run(capfd, "estimate", path)[0] == 0


def test_new_takes_options(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.rackloom"
    arguments = ("new", "rail-fat-tree", "--servers", 64, "-o", path)
    assert run(capfd, *arguments)[0] == 0
    full = rackloom.summary(load(path).design)["links"]["leaf-spine"]
    assert run(capfd, *arguments, "--set", "oversubscription=2")[0] == 0
    assert rackloom.summary(load(path).design)["links"]["leaf-spine"] < full


def test_new_says_what_is_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = ("-o", tmp_path / "x.rackloom")
    new = "rail-fat-tree"
    assert "did you mean rail-fat-tree" in complaint(
        capfd, "new", "rail-fattree", "--servers", 4, *out
    )
    assert "--servers N or --gpus N" in complaint(capfd, "new", new, *out)
    assert "not a number" in complaint(capfd, "new", new, "--servers", "0", *out)
    assert "not a number" in complaint(capfd, "new", new, "--servers", "1e9", *out)
    assert "not allowed with" in complaint(capfd, "new", new, "--servers", 4, "--gpus", 8, *out)
    assert "KEY=VALUE" in complaint(capfd, "new", new, "--servers", 4, "--set", "tiers", *out)
    assert "tires" in complaint(capfd, "new", new, "--servers", 4, "--set", "tires=2", *out)
    assert "no-such" in complaint(
        capfd, "new", new, "--servers", 4, "--set", "server=no-such", *out
    )
    assert "required: -o" in complaint(capfd, "new", new, "--servers", 4)
    assert not list(tmp_path.iterdir())


# Estimate


def test_the_estimate_as_a_table_and_as_csv(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ("estimate", hall, "--sizes", "1M:1G:4", "--gpus", "gpu-01")
    status, out, _ = run(capfd, *arguments)
    assert status == 0
    lines = [line for line in out.splitlines() if not line.startswith("#")][1:]
    assert [int(line.split()[0]) for line in lines] == [2**20 * 4**n for n in range(6)]
    assert "limited by" in out
    status, out, _ = run(capfd, *arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [int(row["size_bytes"]) for row in rows] == [2**20 * 4**n for n in range(6)]
    assert all(float(row["busbw_gb_per_s"]) > 0 for row in rows)


def test_what_fails_can_be_named(capfd: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "resources/rackloom_resources/examples/dgx-h100-4.rackloom"
    design = load(path).design
    leaf = next(d for d in design.devices.values() if d.role == "leaf")
    cable = design.index.cables_of_device[leaf.id][0]
    whole = run(capfd, "estimate", path, "--format", "csv")
    for names in ((leaf.name,), (leaf.id,), (cable, "--fail", leaf.name)):
        status, out, _ = run(capfd, "estimate", path, "--format", "csv", "--fail", *names)
        assert (status, out != whole[1]) == (0, True), names
    near = complaint(capfd, "estimate", path, "--fail", leaf.name + "x")
    assert f"did you mean {leaf.name}" in near
    assert "no device or cable is called 'zzz'\n" in complaint(
        capfd, "estimate", path, "--fail", "zzz"
    )


def test_a_name_that_two_things_have_is_refused() -> None:
    draft = rackloom.Draft(small_design())
    edits.rename(draft, "d7", "leaf-01")
    design, _ = draft.close("Rename")
    assert resolve(design, ["gpu-01", "d7", "c9", "=DANGER()"]) == {"d4", "d7", "c9"}
    with pytest.raises(CommandError, match=r"2 things are called 'leaf-01': give an id \(d6, d7\)"):
        resolve(design, ["leaf-01"])


def test_the_estimate_says_what_is_wrong(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "no collective" in complaint(capfd, "estimate", hall, "--collective", "all-produce")
    assert "message size" in complaint(capfd, "estimate", hall, "--sizes", "8:lots:2")
    assert "gpu-77" in complaint(capfd, "estimate", hall, "--gpus", "gpu-77")
    assert "999" in complaint(capfd, "estimate", hall, "--gpus", "999")
    assert "algorithm" in complaint(capfd, "estimate", hall, "--algorithm", "magic")


# Catalogue and presets


def test_the_catalogue_can_be_searched(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "catalog", "list")
    assert status == 0
    assert len(out.splitlines()) == len(rackloom.load_bundled())
    assert run(capfd, "catalog", "list", "qm9700")[1].startswith("nvidia-qm9700 ")
    status, out, _ = run(capfd, "catalog", "show", "nvidia-qm9700")
    assert "power_max_w: unknown" in out
    assert "\nsource " in out
    assert "did you mean nvidia-qm9700" in complaint(capfd, "catalog", "show", "qm970")
    assert "required: ACTION" in complaint(capfd, "catalog")


def test_the_users_own_parts_are_in_the_catalogue(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKLOOM_DATA_DIR", str(tmp_path))
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "mine.yaml").write_text(
        "parts:\n- {id: my-rack, kind: rack, manufacturer: Me, model: Mine, rack_units: 30,"
        " width_mm: 600, depth_mm: 1000}\n"
    )
    (folder / "broken.yaml").write_text("parts: [")
    status, out, err = run(capfd, "catalog", "show", "my-rack")
    assert (status, out.splitlines()[0]) == (0, "Me Mine")
    assert "broken.yaml" in err
    assert err.count("\n") == 1


def test_the_presets_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "presets")
    assert status == 0
    assert "rail-fat-tree:" in out
    assert "  oversubscription " in out


# Bad input


@pytest.mark.parametrize("command", ["check", "summary", "bom", "cables", "estimate", "render"])
def test_a_broken_file_is_one_line_and_status_2(
    command: str, hall: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = {"bom": "x.csv", "cables": "x.xlsx", "render": "x.svg"}
    rest = ["-o", tmp_path / output[command]] if command in output else []
    hall.write_bytes(hall.read_bytes()[:700])
    assert str(hall) in complaint(capfd, command, hall, *rest)
    assert "does not exist" in complaint(capfd, command, tmp_path / "none", *rest)
    assert "directory" in complaint(capfd, command, tmp_path, *rest)
    assert not [p for p in tmp_path.iterdir() if p != hall]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "x", "y"),
        ("check", "x", "--nonsense"),
        ("check", "x", "--fail-on", "sometimes"),
        ("--nonsense",),
        ("summary", "x", "--format", "yaml"),
        ("bom", "x"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert "--help" in complaint(capfd, *arguments)


def test_a_complaint_names_the_command_to_ask_for_help(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["check"]) == 2
    assert capfd.readouterr().err.endswith("(see rackloom check --help)\n")
    assert main(["catalog", "show"]) == 2
    assert capfd.readouterr().err.endswith("(see rackloom catalog show --help)\n")


@pytest.mark.parametrize("names", ["", ",", " , "])
def test_a_group_without_names_is_not_called_failed(
    hall: Path, names: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["estimate", str(hall), "--gpus", names]) == 2
    assert "names no GPU" in capfd.readouterr().err


def test_an_empty_file_name_is_not_the_folder_we_are_in(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", ""]) == 2
    assert "the name of the file is empty" in capfd.readouterr().err


def test_a_mistyped_command_is_not_taken_for_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'check'" in complaint(capfd, "chekc", "x.rackloom")
    assert "did you mean 'check'" in complaint(capfd, "chekc")
    assert "does not exist" in complaint(capfd, "hall.rackloom")


def test_a_line_break_in_a_name_does_not_make_two_lines(capfd: pytest.CaptureFixture[str]) -> None:
    complaint(capfd, "check", "a\nb")


def test_a_mistake_of_ours_is_no_traceback(
    hall: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("d4")

    monkeypatch.setattr("rackloom.reports.summary", fail)
    monkeypatch.delenv("RACKLOOM_DEBUG", raising=False)
    assert "KeyError" in complaint(capfd, "summary", hall)
    monkeypatch.setenv("RACKLOOM_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["summary", str(hall)])


def test_without_qt_the_editor_says_what_to_install(
    hall: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert "PySide6" in complaint(capfd)
    assert "PySide6" in complaint(capfd, hall)
    assert "PySide6" in complaint(capfd, "render", hall, "-o", tmp_path / "x.svg")
    assert "one file" in complaint(capfd, hall, hall)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are X11's or Wayland's")
def test_without_a_display_the_editor_says_so(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert "no display" in complaint(capfd)


# Processes


def test_a_reader_that_goes_away_is_no_error(hall: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "rackloom", "catalog", "list", "--format", "json"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    with child.stderr as errors:
        assert errors.read() == b""
    assert child.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["catalog list", "presets --format json"])
def test_a_full_disk_behind_standard_output_is_one_line(arguments: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rackloom", *arguments.split()],
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "no space left" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="closes file descriptors")
def test_closed_streams_are_no_traceback(hall: Path) -> None:
    command = f"exec {sys.executable} -m rackloom summary {hall} >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], env=ENVIRONMENT, check=False).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_ctrl_c_ends_quietly() -> None:
    # Where tests run in the background, Ctrl+C is ignored, and the child would inherit that.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from rackloom.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, "catalog", "list", "--format", "json"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    # It has begun to write, and cannot end before somebody reads: a pipe holds 64 kB.
    assert select.select([child.stdout], [], [], 60)[0]
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, b"")


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with output_module.progress("checking"):
        assert screen.getvalue() == "rackloom: checking ..."
    assert screen.getvalue().endswith("\r")
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    with output_module.progress("checking"):
        pass
    assert plain.getvalue() == ""
