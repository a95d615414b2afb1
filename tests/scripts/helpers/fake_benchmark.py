# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a benchmark executable; each of its variants goes wrong in its own way.

Of the micro-benchmark, one has times that are not known, and `wrong` fails.

Called as: fake_benchmark.py BENCHMARK PRESET OPTION…; FAKE_VARIANTS names the variants it lists, or
FAKE_VARIANTS_LU_CW those of lu-cw alone. FAKE_WITHOUT_TUNED says why the tuned kernels cannot run,
FAKE_PARAMETERS (JSON) which parameters a benchmark has, FAKE_SPREAD which one has ranks.
"""

from __future__ import annotations

import os
import sys

from listings import listing, parameters_of, variant
from micro_runs import MICRO, records_for
from micro_runs import listing as micro_listing
from quick_json import dumps
from run_record import record

TYPE_CHECKING = False  # that of typing, which takes long to load
if TYPE_CHECKING:
    from typing import Any

SPEED = {"libgomp": 10.0, "libomp": 12.5}
MEMORY_MAPPED_BY_ALL = "/proc/self/exe"  # something that exists, for a runtime's path


def described(benchmark: str, options: dict[str, str]) -> dict[str, object]:
    names = variants(benchmark)
    if benchmark in MICRO:
        return micro_listing(benchmark, names, options, parameters_of(benchmark))
    reasons = {"unavailable": "needs a newer compiler"}
    found = [variant(n, benchmark, reason=reasons.get(n, "")) for n in names]
    return listing(benchmark, found, options, os.environ.get("FAKE_WITHOUT_TUNED", ""))


def variants(benchmark: str) -> list[str]:
    own = f"FAKE_VARIANTS_{benchmark.upper().replace('-', '_')}"
    return os.environ.get(own, os.environ["FAKE_VARIANTS"]).split(",")


def version(benchmark: str, preset: str) -> str:
    """What --version says, as far as scripts read it."""
    path = os.environ.get("FAKE_RUNTIME", os.path.realpath(MEMORY_MAPPED_BY_ALL))
    priority = "off" if benchmark in MICRO else os.environ.get("FAKE_PRIORITY", "in force")
    return (
        f"pollux {benchmark} 0.1.0\n"
        "compiler  gcc 12.2.0, Release\n"
        f"runtime   {preset} 12, GOMP entry points, {path}\n"
        "blas      OpenBLAS 0.3.21, Haswell kernels, pthread build with one thread per call, /b\n"
        f"priority  {priority}\n"
    )


def make_record(benchmark: str, preset: str, options: dict[str, str]) -> dict[str, Any]:
    name, size = options["--variant"], int(options["--size"])
    cell = benchmark, name, size, options.get("--tile", "64")
    made = record(cell, preset, int(options["--seed"]), SPEED[preset])
    made["kernels"] = options["--kernels"]
    made["digest"] = f"good{options['--seed']}"
    made["host"] |= levers_now()
    if name == "differ" and preset == "libomp":
        made["digest"] = "bad"
    if name == "fail":
        made["passed"] = False
        made["residuals"][0] |= {"value": 99.0, "passed": False}
    return made


def levers_now() -> dict[str, Any]:
    """What the files of levers say while this runs, below the root of a machine that is given."""
    root = os.environ.get("POLLUX_SYSTEM_ROOT")
    if root is None:
        return {}
    from pathlib import Path  # slow to load

    cpu = Path(root, "sys/devices/system/cpu")
    if not (cpu / "intel_pstate/no_turbo").exists():
        return {}
    return {
        "turbo": {"0": "on", "1": "off"}[(cpu / "intel_pstate/no_turbo").read_text().strip()],
        "governor": (cpu / "cpufreq/policy0/scaling_governor").read_text().strip(),
    }


def misbehave(name: str, preset: str) -> None:
    """Go wrong in the way that the variant is named after; some do so on one preset alone."""
    if name in ("good", "depend"):
        return
    import signal  # slow to load

    if name == "crash" or (name == "half" and preset == "libomp"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hang":
        signal.pause()
    if name == "silent":
        sys.exit(0)
    if name == "refuse":
        print("lu: 999 threads are more than this machine has", file=sys.stderr)
        sys.exit(3)
    if name == "torn":
        print('{"schema": "pollux-', flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


def main(benchmark: str, preset: str, *arguments: str) -> int:
    if arguments[0] == "--list":
        options = dict(zip(arguments[1::2], arguments[2::2], strict=True))
        print(dumps(described(benchmark, options)))
        return 0
    if arguments[0] == "--version":
        print(version(benchmark, preset), end="")
        return 0
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    if benchmark in MICRO:
        records = records_for(preset, options)
        print("\n".join(map(dumps, records)))
        return 0 if all(made["passed"] for made in records) else 1
    misbehave(options["--variant"], preset)
    seed = int(options["--seed"])
    for repetition in range(int(options.get("--repeat", "1"))):
        made = make_record(benchmark, preset, options | {"--seed": str(seed + repetition)})
        print(dumps(made | {"repetition": repetition}))
    return 0 if made["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
