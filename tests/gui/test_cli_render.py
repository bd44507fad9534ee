# SPDX-License-Identifier: Apache-2.0
"""``rackloom render`` and ``rackloom FILE``: the door from the command line to Qt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.builders import small_design

import rackloom_gui.app
from rackloom.cli import main
from rackloom.files import save

ROOT = Path(__file__).parents[2]
MAGIC = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A saved small design."""
    path = tmp_path / "hall.rackloom"
    save(path, small_design())
    return path


@pytest.mark.parametrize("view", ["racks", "fabric", "floor"])
def test_each_view_is_drawn_in_each_format_without_a_display(hall: Path, view: str) -> None:
    """In a process of its own, as on a server: no display, no platform chosen."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / p) for p in ("core", "gui", "resources")),
    }
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    for kind, magic in MAGIC.items():
        target = hall.with_name(f"drawing.{kind}")
        command = [sys.executable, "-m", "rackloom", "render", str(hall), "--view", view]
        done = subprocess.run(
            [*command, "--side", "rear", "-o", str(target)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert target.read_bytes().startswith(magic)


def test_a_drawing_shows_the_names(hall: Path, qapp: object) -> None:
    target = hall.with_name("racks.svg")
    assert main(["render", str(hall), "-o", str(target)]) == 0
    assert b"gpu-01" in target.read_bytes()


def test_a_drawing_that_cannot_be_written_is_one_line(
    hall: Path, qapp: object, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", str(hall), "-o", str(hall.parent / "no" / "x.svg")]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_file_opens_in_the_editor(hall: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[list[str]] = []

    def editor(argv: list[str]) -> int:
        opened.append(argv)
        return 0

    monkeypatch.setattr(rackloom_gui.app, "main", editor)
    assert main([str(hall)]) == 0
    assert main([]) == 0
    assert opened == [["rackloom", str(hall)], ["rackloom"]]


def test_labels_are_printed_on_sheets(
    hall: Path, qapp: object, capfd: pytest.CaptureFixture[str]
) -> None:
    target = hall.with_name("labels.pdf")
    arguments = ["labels", str(hall), "-o", str(target)]
    assert main([*arguments, "--sheet", "letter-3x10", "--skip", "29"]) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert target.read_bytes().count(b"/MediaBox [0 0 612") == 2  # the second label turns the page
    assert main([*arguments, "--sheet", "a5"]) == 2
    assert "there are a4-3x8" in capfd.readouterr().err
