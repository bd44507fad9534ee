# SPDX-License-Identifier: Apache-2.0
"""Data shipped with Rackloom: catalogue, calibration, examples, icons, help."""
