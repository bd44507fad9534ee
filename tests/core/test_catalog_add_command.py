# SPDX-License-Identifier: Apache-2.0
"""``rackloom catalog add``: from a file to the catalogue, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rackloom.cli import main

SWITCH = """
manufacturer: Acme
model: Leaf 32
slug: acme-leaf-32
u_height: 1
interfaces:
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A device type of a switch; the user's data lies in a folder of the test."""
    monkeypatch.setenv("RACKLOOM_DATA_DIR", str(tmp_path / "data"))
    ports = "".join(f"  - {{name: p{n}, type: 100gbase-x-qsfp28}}\n" for n in range(1, 33))
    path = tmp_path / "leaf.yaml"
    path.write_text(SWITCH + ports, encoding="utf-8")
    return path


def test_a_device_type_is_added_with_its_doubts_and_found(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["catalog", "add", str(file)]) == 0
    out = capfd.readouterr().out
    assert out.startswith("added acme-leaf-32 (Acme Leaf 32) from leaf.yaml")
    assert "  ? power unknown, and no power ports" in out
    assert main(["catalog", "show", "acme-leaf-32"]) == 0
    assert "QSFP28" in capfd.readouterr().out


def test_json_lists_doubts(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "add", "--as", "server", "--format", "json", str(file)]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["schema"] == 1
    (added,) = report["added"]
    assert (added["id"], added["kind"], added["netbox"]) == ("acme-leaf-32", "server", True)
    assert any("no GPUs" in doubt for doubt in added["doubts"])


def test_a_refused_file_ends_in_one_line_and_status_2(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file.write_text(file.read_text().replace("acme-leaf-32", "nvidia-qm9700"))
    assert main(["catalog", "add", str(file)]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert "leaf.yaml" in line
    assert "--replace" in line
    assert main(["catalog", "add", "--replace", str(file)]) == 0


def test_of_several_files_the_good_ones_are_added(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = [str(file.with_name(f"{n}.yaml")) for n in (1, 2)]
    assert main(["catalog", "add", *bad, str(file)]) == 2
    captured = capfd.readouterr()
    assert "added acme-leaf-32" in captured.out
    assert captured.out.count("refused: ") == 2
    assert captured.err.strip().endswith("(and 1 more file refused)")
