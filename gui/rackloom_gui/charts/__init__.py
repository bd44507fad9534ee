# SPDX-License-Identifier: Apache-2.0
"""Charts of what the fabric will do."""
