# SPDX-License-Identifier: Apache-2.0
"""What the user draws on: the view, its tools, and the layers of the scene."""
