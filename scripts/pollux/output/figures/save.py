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
FOLDER = "a folder that exists or can be made"


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(folder, error, FOLDER) from error


def save(
    figure: Figure, folder: Path, formats: Sequence[str], inputs: Iterable[Path] = ()
) -> list[Path]:
    """Write a figure, under its label, in each of these formats; returns the files.

    None of them may be one of the `inputs`.
    """
    name = file_name(str(figure.get_label()))
    paths = {kind: folder / f"{name}.{kind}" for kind in formats}
    for kind, path in paths.items():
        check_outputs({"--output": path}, inputs)
        write(path, render(figure, kind))
    return [*paths.values()]


def file_name(label: str) -> str:
    """The label without anything that has a meaning in a path."""
    return re.sub(r"[^\w.+-]+", "_", label).lstrip(".")


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
