# SPDX-License-Identifier: Apache-2.0
"""What ends a command with exit status 2."""


class CommandError(Exception):
    """Wrong usage, or input that cannot be used; the message is the one line the user sees."""
