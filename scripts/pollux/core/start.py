# SPDX-License-Identifier: BSD-3-Clause
"""Starts the command `pollux`; Ctrl-C ends it quietly even while its modules are loaded."""

import sys

from pollux.core.statuses import INTERRUPTED


def main() -> None:
    """Load and run the command line; never returns."""
    try:
        from pollux.core import cli
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    cli.main()
