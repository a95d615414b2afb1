# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark executable; each of its variants goes wrong in its own way.

Called as: fake_benchmark.py BENCHMARK PRESET OPTION…; FAKE_VARIANTS names the variants it lists.
"""

import json
import os
import signal
import sys
from pathlib import Path


def listing(benchmark: str) -> list[dict[str, object]]:
    return [
        {
            "benchmark": benchmark,
            "variant": name,
            "summary": f"does {name}",
            "needs": None,
            "available": name != "unavailable",
            "reason": "needs a newer compiler" if name == "unavailable" else "",
            "digest_group": benchmark,
        }
        for name in os.environ["FAKE_VARIANTS"].split(",")
    ]


def record(benchmark: str, preset: str, options: dict[str, str]) -> dict[str, object]:
    variant = options["--variant"]
    passed = variant != "fail"
    differs = variant == "differ" and preset == "libomp"
    size = int(options["--size"])
    return {
        "schema": "pollux-run/1",
        "benchmark": benchmark,
        "variant": variant,
        **{"m": size, "n": size, "nb": 64, "ib": None, "threads": 2},
        "seed": int(options["--seed"]),
        "gflops": {"libgomp": 10.0, "libomp": 12.5}[preset],
        "residuals": [
            {"name": "A-LLT", "value": 0.5 if passed else 99.0, "threshold": 30.0, "passed": passed}
        ],
        "passed": passed,
        "digest": "bad" if differs else f"good{options['--seed']}",
        "runtime": {"name": preset, "version": "1"},
        "blas": {"version": "0.3", "core": "Haswell"},
    }


def misbehave(variant: str, output: Path) -> None:
    if variant == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if variant == "hang":
        signal.pause()
    if variant == "silent":
        sys.exit(0)
    if variant == "refuse":
        sys.exit("lu: 999 threads are more than this machine has")
    if variant == "torn":
        output.write_text(output.read_text() + '{"schema": "pollux-')
        os.kill(os.getpid(), signal.SIGKILL)


def main(benchmark: str, preset: str, *arguments: str) -> int:
    if arguments[0] == "--list":
        print(json.dumps(listing(benchmark)))
        return 0
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    output = Path(options["--output"])
    misbehave(options["--variant"], output)
    written = record(benchmark, preset, options)
    with output.open("a") as file:
        file.write(json.dumps(written) + "\n")
    return 0 if written["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
