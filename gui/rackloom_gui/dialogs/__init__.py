# SPDX-License-Identifier: Apache-2.0
"""Windows that come and go: command palette, shortcuts, settings."""
