# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark that writes its graphs: fake_graph_program.py BENCHMARK OPTION…"""

import json
import os
import sys
from pathlib import Path

from task_graphs import GRAPHS, graph_lines, write_graph


def listing(benchmark: str) -> list[dict[str, object]]:
    variants = ["seq", *(v for b, v in GRAPHS if b == benchmark), "later"]
    return [
        {
            "benchmark": benchmark,
            "variant": name,
            "summary": f"does {name}",
            "needs": None,
            "available": name != "later",
            "reason": "needs a newer compiler" if name == "later" else "",
            "digest_group": benchmark,
        }
        for name in variants
    ]


def main(benchmark: str, arguments: list[str]) -> None:
    if "--list" in arguments:
        print(json.dumps(listing(benchmark)))
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
