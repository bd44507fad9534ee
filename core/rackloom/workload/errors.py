# SPDX-License-Identifier: Apache-2.0
"""Why there is no answer for a workload, in one sentence."""


class WorkloadError(ValueError):
    """The workload cannot be answered for; the message says what stands in the way and what to do.

    ``where`` holds the ids of what it is about.
    """

    def __init__(self, message: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.where = where
