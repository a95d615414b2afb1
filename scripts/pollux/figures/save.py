# SPDX-License-Identifier: BSD-3-Clause
"""Writes figures to files: whole or not at all, and byte for byte the same from the same data."""

import errno
import io
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pollux.analysis.files import current_umask
from pollux.errors import BadUsageError, MachineError
from pollux.figures.style import DOTS_PER_INCH, house_style

# Metadata that would differ from one run to the next, by format; None leaves it out.
DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)  # not for the user's want of care


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(folder, error) from error


def save(figure: Figure, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write a figure, under its label, in each of these formats; returns the files."""
    name = file_name(str(figure.get_label()))
    paths = []
    for kind in formats:
        paths.append(folder / f"{name}.{kind}")
        write(paths[-1], render(figure, kind))
    return paths


def file_name(label: str) -> str:
    """The label without anything that has a meaning in a path."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "_", label).lstrip(".")


def render(figure: Figure, kind: str) -> bytes:
    FigureCanvasAgg(figure)  # no display is needed, whatever MPLBACKEND says
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=DATES[kind])
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there: a full disk leaves no half of it."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            temporary.chmod(0o666 & ~current_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise refusal(path, error) from error


def refusal(path: Path, error: OSError) -> BadUsageError | MachineError:
    if error.errno in MACHINE:
        return MachineError(f"cannot write {path} ({error.strerror}); --output takes another place")
    return BadUsageError(
        f"cannot write {path} ({error.strerror}); --output takes a folder that can be written"
    )
