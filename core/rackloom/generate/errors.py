# SPDX-License-Identifier: Apache-2.0
"""Why a design could not be generated."""


class GenerateError(ValueError):
    """The numbers asked for do not make a fabric; the message says why and what would."""


class UplinkError(GenerateError):
    """Nothing joins the switches as they are split: split otherwise, something may."""
