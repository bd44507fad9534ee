# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a catalogue, said in one sentence."""


class CatalogError(ValueError):
    """A catalogue entry cannot be read; the message says which, where and what to do."""
