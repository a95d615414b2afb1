# SPDX-License-Identifier: BSD-3-Clause
"""A folder of somebody else's, also for root, whom no mode of a file keeps out."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Refuse any look at what is in a folder."""
    look: Callable[..., os.stat_result] = os.stat

    def stat(path: str | bytes | Path | int, **options: int | None) -> os.stat_result:
        if str(path).startswith(f"{folder}/"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return look(path, **options)

    monkeypatch.setattr(os, "stat", stat)
    return folder
