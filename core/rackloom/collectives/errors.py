# SPDX-License-Identifier: Apache-2.0
"""Why there is no estimate, in one sentence."""


class EstimateError(ValueError):
    """There is nothing to estimate; the message says what stands in the way and what to do.

    ``where`` holds the ids of what it is about.
    """

    def __init__(self, message: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.where = where
