# SPDX-License-Identifier: Apache-2.0
"""Rackloom's library: draw AI-cluster fabrics, check them, and estimate what they will do."""

__version__ = "0.1.0"
