# SPDX-License-Identifier: BSD-3-Clause
"""Loops over large arrays, compiled when first called; the result is kept for the next process.

What is kept is forgotten when the function's own file changes, not when a file that it imports
does: after such a change, empty the folders __pycache__.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function, compiled by numba without Python objects; takes numbers and numpy arrays."""
    try:
        return cast(Function, numba.njit(cache=True)(function))
    except RuntimeError:  # neither the package's folder nor the user's own can be written
        return cast(Function, numba.njit(function))
