# SPDX-License-Identifier: Apache-2.0
"""Why an edit was refused."""


class EditError(ValueError):
    """An edit cannot be made; the message says what, where and why, for the user to read.

    ``where`` holds the ids of what stands in the way.
    """

    def __init__(self, message: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.where = where
