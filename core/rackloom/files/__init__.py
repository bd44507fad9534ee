# SPDX-License-Identifier: Apache-2.0
"""The project file: schema, versions, safe saving, recovery."""

from rackloom.files.errors import FileError
from rackloom.files.journal import Journal
from rackloom.files.project import SUFFIX, Project, load, save
from rackloom.files.recovery import (
    Recovery,
    WaitingJournal,
    discard,
    others_at_work,
    recover,
    waiting_journals,
)
from rackloom.files.schema import Extras

__all__ = [
    "SUFFIX",
    "Extras",
    "FileError",
    "Journal",
    "Project",
    "Recovery",
    "WaitingJournal",
    "discard",
    "load",
    "others_at_work",
    "recover",
    "save",
    "waiting_journals",
]
