# SPDX-License-Identifier: Apache-2.0
"""What the left button does on the drawing: one tool at a time, one object per gesture."""
