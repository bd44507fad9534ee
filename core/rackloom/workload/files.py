# SPDX-License-Identifier: Apache-2.0
"""The data files of this package."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml reads the same, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]


def read_yaml(name: str) -> Any:
    """Content of a file of the workload resources."""
    text = (files("rackloom_resources") / "workload" / name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=_Loader)
