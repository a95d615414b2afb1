# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark that writes its graphs: fake_graph_program.py BENCHMARK OPTION…"""

import sys
from collections.abc import Sequence
from pathlib import Path

from task_graphs import graph_lines, write_graph


def main(benchmark: str, arguments: Sequence[str]) -> None:
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    if options["--variant"] == "forkjoin":
        sys.exit(f"{benchmark}: --graph needs a runtime with OMPT")
    size, nb = int(options["--size"]), int(options["--tile"])
    rows = int(options.get("--rows", size)) // nb
    lines = graph_lines(benchmark, options["--variant"], size // nb, rows=rows, nb=nb)
    write_graph(Path(options["--graph"]), lines)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
