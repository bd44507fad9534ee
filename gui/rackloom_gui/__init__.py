# SPDX-License-Identifier: Apache-2.0
"""The Qt application on top of the library."""
