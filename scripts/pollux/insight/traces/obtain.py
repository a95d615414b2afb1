# SPDX-License-Identifier: BSD-3-Clause
"""Takes traces, and records of untraced runs to compare them with, from the executables."""

import errno
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pollux.core.advice import makes
from pollux.core.campaign.sampling import judge_ending, read_records
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import executable_path
from pollux.core.executables.process import Ended, run_process
from pollux.core.executables.variables import binding
from pollux.core.paths import BUILDS
from pollux.core.records import DEFAULT_KERNELS, failed_check, kernels_option
from pollux.core.runtimes.found import target_named
from pollux.core.statuses import BAD_USAGE
from pollux.core.text import counted
from pollux.insight.graphs.model import Instance
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Trace

SECONDS_LIMIT = 3600.0
WARMUP = 3  # a virtual processor that was idle may be slow for some tenths of a second
LONG = 1e9  # ns of a repetition: the measured one warms up long enough before the traced one
SEED = 42  # the executables' default
TRACE_BYTES = 1 << 33
FILE_TOO_LARGE = os.strerror(errno.EFBIG)  # in the last line of a program whose file is


@dataclass(frozen=True)
class RunRequest:
    """What to run, and how often."""

    instance: Instance
    threads: int
    target: str  # a build, or a combination such as gcc+libomp19
    seed: int = SEED
    repeat: int = 1
    warmup: int = WARMUP
    traced: int = 1  # repetitions after the measured ones
    kernels: str = DEFAULT_KERNELS
    extra: tuple[str, ...] = ()  # further options of the executable
    variables: Mapping[str, str] = field(default_factory=dict)  # besides the target's

    def arguments(self) -> list[str]:
        return [
            *self.instance.arguments(),
            *arguments(
                kernels=kernels_option(self.kernels),
                threads=self.threads,
                seed=self.seed,
                repeat=self.repeat,
                warmup=self.warmup,
                format="json",
            ),
            *self.extra,
        ]

    def __str__(self) -> str:
        team = counted(self.threads, "thread")
        return f"{self.instance}, {self.kernels} kernels, {team}, {self.target}"


def warmups_after(known: Trace | None) -> int:
    """Of a run that takes at least as long as one that is known."""
    return WARMUP if known is None or known.region < LONG else 0


def take_trace(request: RunRequest, *, ompt: bool = False, build_root: Path = BUILDS) -> Trace:
    """The trace of one more repetition after the measured ones."""
    return take_traces(request, ompt=ompt, build_root=build_root)[0]


def take_traces(
    request: RunRequest, *, ompt: bool = False, build_root: Path = BUILDS
) -> list[Trace]:
    """The traces of the repetitions after the measured ones; their label is the target's.

    With `ompt` they contain the tasks' creation times, if the runtime has OMPT.
    """
    return take_with_records(request, ompt=ompt, build_root=build_root)[0]


def take_with_records(
    request: RunRequest, *, ompt: bool = False, build_root: Path = BUILDS
) -> tuple[list[Trace], list[dict[str, Any]]]:
    """Traces, and the records of the measured repetitions before them in the same process.

    With `ompt` there are none: the tool would see all tasks of the process.
    """
    with tempfile.TemporaryDirectory(prefix="pollux-") as folder:
        path = Path(folder) / "trace.jsonl"
        records = run(tracing(request, path, ompt=ompt), build_root)
        return traces_of(request, path), records


def tracing(request: RunRequest, path: Path, *, ompt: bool) -> RunRequest:
    """The same with its traces."""
    options = arguments(trace=path, traced=request.traced, ompt=ompt)
    return replace(request, extra=(*request.extra, *options))


def traces_of(request: RunRequest, path: Path) -> list[Trace]:
    """The traces that a request's program wrote."""
    if not path.is_file():
        raise MachineError(f"{request}: the program wrote no trace; {makes('a new one')}")
    traces = read_traces(path)
    if len(traces) != request.traced:
        raise MachineError(f"{request}: {len(traces)} traces instead of {request.traced}")
    for trace in traces:
        check_record(trace.record, request)
        if trace.instance != request.instance:
            raise MachineError(f"{request}: the program traced {trace.instance}")
    return [replace(trace, label=request.target) for trace in traces]


def run(request: RunRequest, build_root: Path = BUILDS) -> list[dict[str, Any]]:
    """Run the executable; return the records of its untraced repetitions, all checked."""
    command, variables = command_of(request, build_root)
    ended = run_process(command, variables, SECONDS_LIMIT, file_bytes=TRACE_BYTES)
    return records_of(request, ended)


def records_of(request: RunRequest, ended: Ended) -> list[dict[str, Any]]:
    """The records of the untraced repetitions of a process that has ended, all checked."""
    printed = read_records(ended.stdout)
    for record in printed.records:
        check_record(record, request)
    check_ending(ended, request)
    if printed.unread is not None or not printed.records:
        raise MachineError(f"{request}: the program printed no records")
    return [r for r in printed.records if not r.get("traced")]


def command_of(request: RunRequest, build_root: Path) -> tuple[list[str], dict[str, str]]:
    """The command of a request, and the environment that it runs in."""
    executable, variables = program_of(request, build_root)
    return [str(executable), *request.arguments()], variables


def program_of(request: RunRequest, build_root: Path) -> tuple[Path, dict[str, str]]:
    """The executable of a request, and the environment that it runs in."""
    target = target_named(request.target, build_root)
    executable = executable_path(build_root, target.preset, request.instance.benchmark)
    return executable, binding() | target.variables | dict(request.variables)


def check_ompt(request: RunRequest, build_root: Path) -> None:
    """Refuse a request whose tasks' creation cannot be traced; nothing is computed."""
    executable, variables = program_of(request, build_root)
    options = arguments(version=True, trace=Path("trace"), ompt=True)
    check_ending(run_process([str(executable), *options], variables, SECONDS_LIMIT), request)


def check_record(record: dict[str, Any], request: RunRequest) -> None:
    if not record["passed"]:
        raise MachineError(f"{request}: {failed_check(record)}")


def check_ending(ended: Ended, request: RunRequest) -> None:
    """Raise an error with the last line of a process that ended badly."""
    problem = judge_ending(ended)
    if problem is None:
        return
    if FILE_TOO_LARGE in ended.last_line:
        raise MachineError(
            f"{request}: its trace is larger than a file may be ({TRACE_BYTES >> 30} GiB, or "
            "less by ulimit -f); larger tiles make it smaller"
        )
    if ended.status == BAD_USAGE:
        raise BadUsageError(f"{request.target}: {ended.last_line or problem[1]}")
    raise MachineError(f"{request}: {problem[1]}")
