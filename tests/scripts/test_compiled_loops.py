# SPDX-License-Identifier: BSD-3-Clause
"""Compiled functions work where their result cannot be kept for the next process."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from pollux.core.compiled import compiled, compiled_within
from pollux.insight.graphs.model import Ints


@compiled_within
def twice(value: int) -> int:
    return 2 * value


@compiled
def twice_each(values: Ints) -> Ints:
    found = np.zeros(len(values), np.int64)
    for place in range(len(values)):
        found[place] = twice(values[place])
    return found


def test_without_room_for_what_is_kept_it_is_computed_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved = []

    def full(*_: object) -> None:
        saved.append(True)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    assert twice_each(np.arange(3)).tolist() == [0, 2, 4]
    assert len(saved) in (0, 2)  # none where no folder can be written at all


def test_where_nothing_is_compiled_functions_are_python_s_own() -> None:
    program = """
from pollux.core.compiled import compiled
def own(): pass
print(compiled(own) is own)"""
    child = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stdout == "True\n", child.stderr
