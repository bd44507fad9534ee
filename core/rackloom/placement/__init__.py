# SPDX-License-Identifier: Apache-2.0
"""Where things sit, how cables run and how long they are, and which part joins two ports."""
