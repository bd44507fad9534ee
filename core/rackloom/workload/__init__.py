# SPDX-License-Identifier: Apache-2.0
"""What the job gets: training steps and inference of transformers on a drawn fabric."""

from rackloom.workload.answer import Warned, Workload
from rackloom.workload.errors import WorkloadError
from rackloom.workload.figures import PRECISIONS, Given
from rackloom.workload.layout import Parallel
from rackloom.workload.memory import Memory
from rackloom.workload.models import Latent, Model, find_model, models, own_model
from rackloom.workload.network import Channel
from rackloom.workload.run import workload
from rackloom.workload.settings import MODES, OVERLAPS, RECOMPUTE, Settings
from rackloom.workload.training import Split

__all__ = [
    "MODES",
    "OVERLAPS",
    "PRECISIONS",
    "RECOMPUTE",
    "Channel",
    "Given",
    "Latent",
    "Memory",
    "Model",
    "Parallel",
    "Settings",
    "Split",
    "Warned",
    "Workload",
    "WorkloadError",
    "find_model",
    "models",
    "own_model",
    "workload",
]
