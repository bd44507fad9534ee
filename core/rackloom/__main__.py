# SPDX-License-Identifier: Apache-2.0
"""``python -m rackloom`` is the ``rackloom`` command."""

import sys

from rackloom.cli import main

if __name__ == "__main__":
    sys.exit(main())
