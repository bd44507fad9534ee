# SPDX-License-Identifier: Apache-2.0
"""What is around the program: the sum of the test runs, the menu entry, the file type, the icon."""

import configparser
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"

PASSING = '<testcase classname="a" name="one"/><testcase classname="a" name="two"/>'
FAILING = '<testcase classname="a" name="three"><failure message="no"/></testcase>'
SKIPPED = '<testcase classname="a" name="four"><skipped message="no display"/></testcase>'
TORN_DOWN_BADLY = '<testcase classname="a" name="three"><error message="leak"/></testcase>'


@pytest.mark.parametrize(
    ("cases", "status", "exit_status", "last_line"),
    [
        (PASSING, 0, 0, "2 passed, 0 failed"),
        (PASSING + SKIPPED, 0, 0, "2 passed, 0 failed, 1 skipped"),
        (PASSING + FAILING, 1, 1, "2 passed, 1 failed"),
        (PASSING + FAILING + TORN_DOWN_BADLY, 1, 1, "2 passed, 1 failed"),
        (PASSING + TORN_DOWN_BADLY, 1, 1, "2 passed, 1 failed"),
        ("", 5, 1, "0 passed, 1 failed"),  # nothing collected
        (PASSING, 3, 1, "2 passed, 1 failed"),  # pytest itself broke afterwards
        (None, 139, 1, "0 passed, 1 failed"),  # Qt crashed: no file was written
        ("<testcase", -11, 1, "0 passed, 1 failed"),  # it crashed while writing
    ],
)
def test_the_sum_of_the_runs_never_hides_a_failure(
    tmp_path: Path, cases: str | None, status: int, exit_status: int, last_line: str
) -> None:
    if cases is not None:
        text = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
        (tmp_path / "gui.xml").write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, ROOT / ".ci/summary.py", tmp_path, f"gui={status}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == exit_status
    assert done.stdout.splitlines()[-1] == last_line


def test_the_desktop_entry_opens_the_file_type_that_the_mime_file_declares() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(ROOT / "packaging/linux/rackloom.desktop", "utf-8")
    mime = ElementTree.parse(ROOT / "packaging/linux/rackloom-mime.xml").getroot()
    (kind,) = mime.findall(f"{MIME}mime-type")
    patterns = [glob.get("pattern") for glob in kind.findall(f"{MIME}glob")]
    assert patterns == ["*.rackloom"]
    assert entry["Desktop Entry"]["MimeType"] == f"{kind.get('type')};"
    assert entry["Desktop Entry"]["Exec"] == "rackloom %f"


def test_the_desktop_files_install_below_any_prefix(tmp_path: Path) -> None:
    script = ROOT / "packaging/linux/install.sh"
    subprocess.run([script, tmp_path / "usr"], check=True, capture_output=True)
    share = tmp_path / "usr/share"
    icon = (ROOT / "resources/rackloom_resources/icons/rackloom.svg").read_bytes()
    for installed in ("apps/rackloom.svg", "mimetypes/application-x-rackloom.svg"):
        assert (share / "icons/hicolor/scalable" / installed).read_bytes() == icon
    assert (share / "applications/rackloom.desktop").is_file()
    assert (share / "mime/packages/rackloom.xml").is_file()


def test_the_icon_is_a_square_drawing_without_anything_from_outside() -> None:
    icon = ElementTree.parse(ROOT / "resources/rackloom_resources/icons/rackloom.svg").getroot()
    _, _, width, height = (icon.get("viewBox") or "").split()
    assert width == height
    tags = {element.tag.partition("}")[2] for element in icon.iter()}
    assert tags & {"path", "rect"}
    assert not tags & {"image", "script", "style", "text", "use", "foreignObject"}
