# SPDX-License-Identifier: Apache-2.0
"""Packages that import their modules when a name is asked for: the same names, later."""

import subprocess
import sys

import pytest

import rackloom.checks
from rackloom.checks import engine, finding, registry, report


def test_every_name_of_the_checks_is_that_of_its_module() -> None:
    homes = (engine, finding, registry, report)
    for name in rackloom.checks.__all__:
        found = getattr(rackloom.checks, name)
        assert any(getattr(home, name, None) is found for home in homes), name


def test_a_name_that_is_not_there_is_told_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match=r"module 'rackloom\.checks' has no attribute 'rune'"):
        rackloom.checks.rune  # type: ignore[attr-defined]  # noqa: B018


def test_no_late_name_is_hidden_by_a_module_of_the_package() -> None:
    """Importing ``package.name`` would put the module in the place of the name."""
    program = (
        "import pkgutil, rackloom.checks as p\n"
        "print(*{m.name for m in pkgutil.iter_modules(p.__path__)} & set(p.__all__))"
    )
    assert _run(program) == ""


def test_asking_for_a_finding_does_not_load_the_rules() -> None:
    program = (
        "import sys\nfrom rackloom.checks import Finding, Severity\n"
        "print('rackloom.checks.finding' in sys.modules, 'rackloom.checks.engine' in sys.modules)"
    )
    assert _run(program) == "True False"


def _run(program: str) -> str:
    path = f"import sys; sys.path[:0] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", path + program],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip()
