# SPDX-License-Identifier: BSD-3-Clause
"""The environment of programs under test: nothing of it that changes how they run is the user's."""

import os

SETTINGS = tuple("OMP_ GOMP_ KMP_ LIBOMP_ OPENBLAS_ GOTO_ LD_ MPIX_ TSAN_ ARCHER_ POLLUX_".split())


def environment(**extra: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    return {**kept, **extra}
