# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs of `depend` with tall tiles."""

from pathlib import Path

from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from task_graphs import GRAPHS, Program, write_graph


def read_tall(folder: Path, benchmark: str, rows: int, columns: int, height: int) -> Graph:
    """For rows × columns blocks of NB × NB; tiles are `height` such blocks high."""
    made = Program(benchmark, "depend", rows, columns, height=height)
    GRAPHS[benchmark, "depend"](made)
    path = folder / f"{benchmark}-{rows}-{columns}-{height}.jsonl"
    return read_graph(write_graph(path, made.lines()))
