# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark that writes its graphs: fake_graph_program.py BENCHMARK OPTION…"""

import json
import os
import sys
from pathlib import Path

from listings import listing, variant
from task_graphs import GRAPHS, graph_lines, write_graph


def described(benchmark: str) -> dict[str, object]:
    names = ["seq", *(v for b, v in GRAPHS if b == benchmark)]
    later = variant("later", benchmark, reason="needs a newer compiler")
    return listing(benchmark, [*(variant(name, benchmark) for name in names), later])


def main(benchmark: str, arguments: list[str]) -> None:
    if "--list" in arguments:
        print(json.dumps(described(benchmark)))
    elif "--version" in arguments:
        print(f"runtime   libomp 14, KMP entry points, {os.path.realpath('/proc/self/exe')}")
    else:
        options = dict(zip(arguments[::2], arguments[1::2], strict=True))
        if options["--variant"] == "forkjoin":
            sys.exit(f"{benchmark}: --graph needs a runtime with OMPT")
        size, nb = int(options["--size"]), int(options["--tile"])
        rows = int(options.get("--rows", size)) // nb
        lines = graph_lines(benchmark, options["--variant"], size // nb, rows=rows, nb=nb)
        write_graph(Path(options["--graph"]), lines)


main(sys.argv[1], sys.argv[2:])
