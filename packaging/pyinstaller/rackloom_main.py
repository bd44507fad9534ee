# SPDX-License-Identifier: Apache-2.0
"""Where the frozen program starts: the same door as the ``rackloom`` command."""

import sys

from rackloom.cli import main

if __name__ == "__main__":
    sys.exit(main())
