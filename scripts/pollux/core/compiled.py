# SPDX-License-Identifier: BSD-3-Clause
"""Loops over large arrays, compiled when first called; the result is kept for the next process.

What is kept is forgotten when the function's own file changes, not when a file that it imports
does: after such a change, empty the folders __pycache__.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])
# Of numpy's type: for a literal, numba would compile what is called with it once more.
ZERO = cast(int, np.int64(0))


def compiled(function: Function) -> Function:
    """The function, compiled by numba without Python objects; takes numbers and numpy arrays."""
    return made(function)


def compiled_within(function: Function) -> Function:
    """The same for a function that compiled ones alone call: Python would crash if it did.

    It lacks what Python calls it by, which takes as long to compile as many a function.
    """
    return made(function, no_cpython_wrapper=True)


def made(function: Function, **options: bool) -> Function:
    compile_ = partial(numba.njit, no_cfunc_wrapper=True, **options)  # by which C would call it
    try:
        found = compile_(cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's own can be written
        return cast(Function, compile_()(function))
    if (cache := getattr(found, "_cache", None)) is None:  # NUMBA_DISABLE_JIT
        return cast(Function, found)
    save = cache.save_overload  # what numba calls as soon as it has compiled it

    def save_if_there_is_room(*given: object) -> None:
        with suppress(OSError):
            save(*given)

    cache.save_overload = save_if_there_is_room
    return cast(Function, found)
