# SPDX-License-Identifier: Apache-2.0
"""Other people's formats, in and out."""
