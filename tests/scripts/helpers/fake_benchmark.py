# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark executable; each of its variants goes wrong in its own way.

Called as: fake_benchmark.py BENCHMARK PRESET OPTION…; FAKE_VARIANTS names the variants it lists, or
FAKE_VARIANTS_LU_CW those of lu-cw alone.
"""

import json
import os
import signal
import sys
from typing import Any

from run_record import record

SPEED = {"libgomp": 10.0, "libomp": 12.5}
MEMORY_MAPPED_BY_ALL = "/proc/self/exe"  # something that exists, for a runtime's path


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
        for name in variants(benchmark)
    ]


def variants(benchmark: str) -> list[str]:
    own = f"FAKE_VARIANTS_{benchmark.upper().replace('-', '_')}"
    return os.environ.get(own, os.environ["FAKE_VARIANTS"]).split(",")


def version(benchmark: str, preset: str) -> str:
    """What --version says, as far as scripts read it."""
    path = os.environ.get("FAKE_RUNTIME", os.path.realpath(MEMORY_MAPPED_BY_ALL))
    return (
        f"pollux {benchmark} 0.1.0\n"
        "compiler  gcc 12.2.0, Release\n"
        f"runtime   {preset} 12, GOMP entry points, {path}\n"
        "blas      OpenBLAS 0.3.21, Haswell kernels, pthread build with one thread per call, /b\n"
        f"priority  {os.environ.get('FAKE_PRIORITY', 'in force')}\n"
    )


def make_record(benchmark: str, preset: str, options: dict[str, str]) -> dict[str, Any]:
    variant, size = options["--variant"], int(options["--size"])
    cell = benchmark, variant, size, options.get("--tile", "64")
    made = record(cell, preset, int(options["--seed"]), SPEED[preset])
    made["digest"] = f"good{options['--seed']}"
    if variant == "differ" and preset == "libomp":
        made["digest"] = "bad"
    if variant == "fail":
        made["passed"] = False
        made["residuals"][0] |= {"value": 99.0, "passed": False}
    return made


def misbehave(variant: str, preset: str) -> None:
    """Go wrong in the way that the variant is named after; some do so on one preset alone."""
    if variant == "crash" or (variant == "half" and preset == "libomp"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if variant == "hang":
        signal.pause()
    if variant == "silent":
        sys.exit(0)
    if variant == "refuse":
        print("lu: 999 threads are more than this machine has", file=sys.stderr)
        sys.exit(3)
    if variant == "torn":
        print('{"schema": "pollux-', flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


def main(benchmark: str, preset: str, *arguments: str) -> int:
    if arguments[0] == "--list":
        print(json.dumps(listing(benchmark)))
        return 0
    if arguments[0] == "--version":
        print(version(benchmark, preset), end="")
        return 0
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    misbehave(options["--variant"], preset)
    made = make_record(benchmark, preset, options)
    print(json.dumps(made))
    return 0 if made["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
