# SPDX-License-Identifier: BSD-3-Clause
"""The environment of programs under test: nothing of it that changes how they run is the user's."""

import os

SETTINGS = tuple("OMP_ GOMP_ KMP_ LIBOMP_ OPENBLAS_ GOTO_ LD_ MPIX_ TSAN_ ARCHER_ POLLUX_".split())


def environment(**extra: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    return {**kept, **extra}


def kernels_chosen() -> dict[str, str]:
    """What of the user's environment chooses OpenBLAS' kernels, for programs that measure."""
    names = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {name: os.environ[name] for name in names if name in os.environ}
