# SPDX-License-Identifier: BSD-3-Clause
"""Measures what tasks cost in a runtime, for simulations that measure its kernels."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pollux.core.errors import MachineError
from pollux.core.executables.builds import executable_path
from pollux.core.executables.listing import describe
from pollux.core.executables.process import run_process
from pollux.core.executables.variables import binding, default_threads
from pollux.core.runtimes.found import target_named
from pollux.insight.simulation.overheads import EXECUTABLE, Overheads

TASKS = 4096  # of a graph, about
REPEAT = 9
SECONDS_LIMIT = 300.0


def measured_overheads(benchmarks: Sequence[str], label: str, build_root: Path) -> Overheads:
    """The costs of a target's tasks, in the graphs of those benchmarks that are patterns."""
    target = target_named(label, build_root)
    program = executable_path(build_root, target.preset, EXECUTABLE)
    known = {variant.variant for variant in describe(program, target.variables).variants}
    own = [name for name in dict.fromkeys(benchmarks) if name in known]
    if not own:
        return Overheads(label, {}, is_given=False)
    threads = sorted({1, default_threads()})
    with tempfile.TemporaryDirectory(prefix="pollux-") as folder:
        records = Path(folder) / "costs.jsonl"
        command = [str(program), "--pattern", ",".join(own), "--tasks", str(TASKS)]
        command += ["--threads", ",".join(map(str, threads)), "--repeat", str(REPEAT)]
        command += ["--output", str(records)]
        ended = run_process(command, binding() | target.variables, SECONDS_LIMIT)
        if ended.status != 0 or not records.is_file():
            raise MachineError(
                f"{EXECUTABLE} on {label}: {ended.failure}; --overheads takes records of it, "
                "--ideal does without"
            )
        return replace(Overheads.read([records], f"--measure {label}"), is_given=False)
