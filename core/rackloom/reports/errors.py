# SPDX-License-Identifier: Apache-2.0
"""What a report says where it cannot be made as it was asked for."""


class ReportError(ValueError):
    """A wish or an input that cannot be used: one sentence for the user."""
