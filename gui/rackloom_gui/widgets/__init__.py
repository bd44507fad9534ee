# SPDX-License-Identifier: Apache-2.0
"""Small widgets that panels and dialogs share; none knows of designs."""
