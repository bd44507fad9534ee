# SPDX-License-Identifier: Apache-2.0
"""Whole fabrics from a few numbers."""

from rackloom.generate.choices import choices
from rackloom.generate.errors import GenerateError
from rackloom.generate.presets import Generated, Preset, generate, presets

__all__ = ["GenerateError", "Generated", "Preset", "choices", "generate", "presets"]
