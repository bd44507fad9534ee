# SPDX-License-Identifier: Apache-2.0
"""Designs of the sizes the speed table names, made once a run.

131,072 GPUs take minutes; set RACKLOOM_BENCH_LARGE=1 to have them too.
"""

import os
from functools import cache
from pathlib import Path

import pytest

from rackloom.catalog import Catalog, load_bundled
from rackloom.design import Design
from rackloom.files import save
from rackloom.generate import generate

SIZES_GPUS = [1024, 16384] + ([131072] if os.environ.get("RACKLOOM_BENCH_LARGE") else [])


@cache
def catalog() -> Catalog:
    return load_bundled()


@cache
def fabric_design(gpus: int) -> Design:
    """A rail-optimised fat tree of DGX H100."""
    return generate("rail-fat-tree", catalog(), gpus=gpus).design


@pytest.fixture(params=SIZES_GPUS, ids=lambda gpus: f"{gpus}_gpus")
def gpus(request: pytest.FixtureRequest) -> int:
    size: int = request.param
    return size


@pytest.fixture
def design(gpus: int) -> Design:
    return fabric_design(gpus)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("projects")


@pytest.fixture
def project_file(gpus: int, folder: Path) -> Path:
    path = folder / f"{gpus}.rackloom"
    if not path.exists():
        save(path, fabric_design(gpus))
    return path
