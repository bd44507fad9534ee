# SPDX-License-Identifier: Apache-2.0
"""The shape of the project: what lies where, what imports what, and what gets installed."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("core/rackloom", "gui/rackloom_gui", "resources/rackloom_resources")
TOP_LEVEL = {
    *("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile"),
    *("core", "gui", "resources", "tests", "packaging", ".ci"),
}
# What a working copy has beside the sources (and .gitignore names).
MADE_BY_TOOLS = {"build", "dist", "demo-output", "__pycache__"}
QT = ("PySide6", "shiboken6", "pyqtgraph", "PyQt5", "PyQt6", "PySide2")


def source_files(directory: Path) -> list[Path]:
    """Give the files below a directory that are not made by Python."""
    return sorted(
        path
        for path in directory.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and path.suffix not in {".pyc", ".pyo", ".journal"}
        and not any(part.endswith(".egg-info") for part in path.parts)
    )


def test_top_level_holds_only_what_belongs_there() -> None:
    names = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert names - TOP_LEVEL - MADE_BY_TOOLS == set()
    missing = {name for name in TOP_LEVEL if not (ROOT / name).exists()}
    assert missing == set()


def test_every_python_file_names_its_licence_on_line_one() -> None:
    directories = [
        ROOT / name for name in (".ci", "core", "gui", "resources", "tests", "packaging")
    ]
    files = [path for one in directories for path in source_files(one)]
    scripts = [path for path in files if path.suffix in {".py", ".spec"}]
    assert len(scripts) > 20
    bare = [
        str(path.relative_to(ROOT))
        for path in scripts
        if path.read_text("utf-8").split("\n", 1)[0] != "# SPDX-License-Identifier: Apache-2.0"
    ]
    assert bare == []


def run_python(code: str) -> str:
    """Run code in a fresh interpreter and give what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_library_or_the_command_line_pulls_in_no_qt() -> None:
    """Also module by module, the door to the GUI included: it opens only when called."""
    code = (
        "import importlib, pkgutil, sys, rackloom, rackloom.cli\n"
        "names = [m.name for m in pkgutil.walk_packages(rackloom.__path__, 'rackloom.')]\n"
        "for name in names:\n"
        "    if not name.endswith('__main__'):\n"
        "        importlib.import_module(name)\n"
        f"qt = {QT!r} + ('rackloom_gui',)\n"
        "print(len(names), sorted(m for m in sys.modules if m.partition('.')[0] in qt))\n"
    )
    count, _, loaded = run_python(code).strip().partition(" ")
    assert int(count) > 10
    assert loaded == "[]"


def test_the_door_to_the_gui_is_the_only_one_and_opens_late() -> None:
    """Only cli/gui_door.py names rackloom_gui, and never while it is itself imported."""
    doors: dict[str, bool] = {}
    for path in source_files(ROOT / "core"):
        if path.suffix != ".py":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        inside_functions = {
            id(inner)
            for outer in ast.walk(tree)
            if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef))
            for inner in ast.walk(outer)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            if any(name.partition(".")[0] in {"rackloom_gui", *QT} for name in names):
                late = id(node) in inside_functions
                key = path.relative_to(ROOT / "core").as_posix()
                doors[key] = doors.get(key, True) and late
    assert doors == {"rackloom/cli/gui_door.py": True}


# What must not be: which module, what it would import.
VIOLATIONS = {
    "rackloom.design.harm_a": "PySide6",
    "rackloom.checks.harm_b": "pyqtgraph",
    "rackloom.reports.harm_c": "rackloom_gui.canvas",
    "rackloom_resources.harm_d": "shiboken6",
    "rackloom.catalog.harm_e": "rackloom.design",
    "rackloom.checks.harm_f": "rackloom.fabric",
    "rackloom.files.harm_g": "rackloom.cli",
}


@pytest.fixture(scope="module")
def copy_of_the_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the three source roots to do harm to."""
    target = tmp_path_factory.mktemp("sources")
    for name in ("core", "gui", "resources"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def lint_imports(sources: Path) -> tuple[int, str]:
    """Run the import contracts on a copy; give exit status and output."""
    roots = os.pathsep.join(str(sources / name) for name in ("core", "gui", "resources"))
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=sources,
        env={**os.environ, "PYTHONPATH": roots},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_import_contracts_hold(copy_of_the_sources: Path) -> None:
    status, output = lint_imports(copy_of_the_sources)
    assert status == 0, output
    assert "2 kept, 0 broken" in output


def test_import_contracts_catch_every_kind_of_violation(copy_of_the_sources: Path) -> None:
    written = []
    for module, imported in VIOLATIONS.items():
        package = module.partition(".")[0]
        root = "core" if package == "rackloom" else "resources"
        file = copy_of_the_sources / root / (module.replace(".", "/") + ".py")
        file.write_text(f"import {imported}\n", "utf-8")
        written.append(file)
    try:
        status, output = lint_imports(copy_of_the_sources)
    finally:
        for file in written:
            file.unlink()
    assert status == 1, output
    assert "0 kept, 2 broken" in output
    unseen = [
        f"{module} -> {imported}"
        for module, imported in VIOLATIONS.items()
        if f"{module} -> {imported} (l.1)" not in output
    ]
    assert unseen == [], output


def test_wheel_holds_the_three_packages_with_their_data_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        described = archive.read(metadata).decode()
        (scripts,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        assert "rackloom = rackloom.cli:main" in archive.read(scripts).decode()
    expected = {
        path.relative_to(ROOT / package).as_posix()
        for package in (one.partition("/")[0] for one in PACKAGES)
        for path in source_files(ROOT / package)
    }
    assert packed == expected
    assert {name.partition("/")[0] for name in packed} == {
        one.partition("/")[2] for one in PACKAGES
    }
    assert any(name.startswith("rackloom_resources/catalog/") for name in packed)
    assert any(name.endswith(".rackloom") for name in packed), "the bundled example"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Requires-Python: {project['requires-python']}" in described
