# SPDX-License-Identifier: Apache-2.0
"""Add up the test runs: one line a run, the tests that failed, and the sum as the last line.

Usage: ``summary.py DIRECTORY NAME=EXIT_STATUS...`` where ``DIRECTORY/NAME.xml`` is the JUnit file
that pytest wrote. A run that died before it could write one (a crash in Qt, say), or that ended
badly without a failed test (nothing collected, a wrong option), counts as one failure.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree


def main(arguments: list[str]) -> int:
    """Print the summary; 0 when every run was fine, else 1."""
    directory = Path(arguments[0])
    passed_total = failed_total = skipped_total = 0
    for outcome in arguments[1:]:
        name, status = outcome.rsplit("=", 1)
        cases, bad = read_cases(directory / f"{name}.xml")
        skipped = sum(case.find("skipped") is not None for case in cases)
        passed = len(cases) - skipped - len(bad)
        if status != "0" and not bad:
            bad = [f"the run itself (exit status {status})"]
        print(f"{name}: {passed} passed, {len(bad)} failed, {skipped} skipped")
        for test in bad:
            print(f"  FAILED {test}")
        passed_total += passed
        failed_total += len(bad)
        skipped_total += skipped
    line = f"{passed_total} passed, {failed_total} failed"
    print(line + (f", {skipped_total} skipped" if skipped_total else ""))
    return 1 if failed_total else 0


def read_cases(file: Path) -> tuple[list[ElementTree.Element], list[str]]:
    """Give all test cases of a JUnit file, and the names of those that failed."""
    try:
        root = ElementTree.parse(file).getroot()
    except (OSError, ElementTree.ParseError):
        return [], []
    cases = list(root.iter("testcase"))
    # A test may fail and then fail again in its teardown: pytest writes two cases of one name.
    bad = {
        f"{case.get('classname')}::{case.get('name')}": None
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    names = {(case.get("classname"), case.get("name")): case for case in cases}
    return list(names.values()), list(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
