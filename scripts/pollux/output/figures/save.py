# SPDX-License-Identifier: BSD-3-Clause
"""Writes figures to files: whole or not at all, and byte for byte the same from the same data."""

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pollux.core.writing import check_outputs, refusal, replace_file
from pollux.output.figures.style import DOTS_PER_INCH, house_style

# Metadata that would differ from one run to the next, by format; None leaves it out.
DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
NAME_MOST = 180  # bytes; file systems take 255, with a number, a suffix and what a draft adds
FOLDER = "a folder that exists or can be made"


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(folder, error, FOLDER) from error


def files_of(path: Path, formats: Sequence[str]) -> dict[str, Path]:
    """A file for each format, of a path less its suffix."""
    return {kind: path.with_name(f"{path.name}.{kind}") for kind in formats}


def check_files(paths: Iterable[Path], formats: Sequence[str], inputs: Sequence[Path]) -> None:
    """Refuse, before the first is written, what cannot be written or is one of the `inputs`."""
    for path in paths:
        for file in files_of(path, formats).values():
            check_outputs({"--output": file}, inputs)


def save(figure: Figure, path: Path, formats: Sequence[str]) -> list[Path]:
    """Write a figure to a path, less its suffix, in each of these formats; returns the files."""
    paths = files_of(path, formats)
    for kind, file in paths.items():
        write(file, render(figure, kind))
    return [*paths.values()]


def file_name(label: str) -> str:
    """The label without anything that has a meaning in a path, and no longer than a name may be."""
    name = re.sub(r"[^\w.+-]+", "_", label).lstrip(".")
    return name.encode()[:NAME_MOST].decode(errors="ignore")


def free_name(label: str, taken: set[str]) -> str:
    """A file name for a label that no other label has, which is then taken."""
    first = name = file_name(label)
    number = 1
    while name in taken:
        number += 1
        name = f"{first}-{number}"
    taken.add(name)
    return name


def render(figure: Figure, kind: str) -> bytes:
    FigureCanvasAgg(figure)  # no display is needed, whatever MPLBACKEND says
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=DATES[kind])
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        raise refusal(path, error, FOLDER) from error
