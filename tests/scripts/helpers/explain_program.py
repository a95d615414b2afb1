# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for the benchmarks that writes traces and graphs without computing anything.

Run as `explain_program.py PRESET NAME OPTION…`; kernels of libgomp take a tenth longer with several
threads, those of libomp a hundredth. EXPLAIN_FAIL=N:FILE makes the N-th traced run fail, and
counts in the file; with EXPLAIN_SEQUENTIAL, all run with one thread, as seq does.
"""

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from task_graphs import graph_lines, write_graph
from traces import trace_lines, usual_duration, write_lines

SLOW_DOWN = {"libgomp": 1.1, "libomp": 1.01}


def main(preset: str, name: str, options: list[str]) -> int:
    if "--version" in options:  # with --ompt
        print(f"{name}: {preset} has no OMPT" if preset == "libgomp" else "", file=sys.stderr)
        return 3 if preset == "libgomp" else 0
    values = dict(zip(options[::2], options[1::2], strict=True))
    tiles = int(values["--size"]) // int(values["--tile"])
    graph = graph_lines(name, values["--variant"], tiles, nb=int(values["--tile"]))
    if "--graph" in values:
        write_graph(Path(values["--graph"]), graph)
        return 0
    if is_to_fail():
        print(f"{name}: the machine is on fire", file=sys.stderr)
        return 3
    threads = 1 if "EXPLAIN_SEQUENTIAL" in os.environ else int(values["--threads"])
    rng = random.Random(f"{preset} {threads} {values['--seed']}")
    factor = SLOW_DOWN[preset] if threads > 1 else 1.0

    def traced(repetition: int) -> list[str]:
        return trace_lines(
            graph,
            threads=threads,
            duration=duration(factor, rng),
            runtime=preset,
            gap=500,
            seed=int(values["--seed"]),
            repetition=repetition,
        )

    traces = [traced(1 + number) for number in range(int(values["--traced"]))]
    write_lines(Path(values["--trace"]), *traces)
    print(json.dumps(json.loads(traces[0][0])["record"] | {"traced": False, "repetition": 0}))
    return 0


def duration(factor: float, rng: random.Random) -> Callable[[tuple[str, int, int, int]], int]:
    """A thousandth more or less from run to run."""
    shake = 1 + 0.001 * rng.random()
    return lambda call: int(usual_duration(call) * factor * shake)


def is_to_fail() -> bool:
    """Counts the traced runs in a file."""
    if "EXPLAIN_FAIL" not in os.environ:
        return False
    number, file = os.environ["EXPLAIN_FAIL"].split(":", 1)
    count = Path(file)
    count.write_text(count.read_text() + "x" if count.exists() else "x")
    return len(count.read_text()) == int(number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
