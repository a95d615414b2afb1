# SPDX-License-Identifier: BSD-3-Clause
"""Replaces closed standard streams, before any file is opened that would take their numbers."""

import os
import sys

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # by descriptor: 0, 1, 2


def open_closed_streams() -> None:
    """Open the null device for each of the descriptors 0, 1 and 2 that is closed.

    Otherwise a file of records could become standard output, of the command and of the programs
    that it starts.
    """
    for descriptor, (name, mode) in enumerate(STREAMS):
        if not is_open(descriptor):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
