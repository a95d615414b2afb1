# SPDX-License-Identifier: BSD-3-Clause
"""The variables of the environment that OpenMP runtimes and BLAS read, and those set for a run."""

import os
from collections.abc import Iterable, Mapping

from pollux.core.control_groups import processors_of_quota
from pollux.core.text import counted

# Prefixes of the variables that executables record: `prefixes` in common/ of the C sources, where
# tests/scripts/executables/test_variables.py compares them.
RECORDED = (
    *("OMP_", "GOMP_", "KMP_", "LIBOMP_", "OPENBLAS_", "BLIS_", "MKL_", "ABT_", "NX_"),
    *("XKAAPI_", "KAAPI_", "XKRT_", "LOGGER_VERBOSE", "MPIX_DETACH"),
    *("GOTO_NUM_THREADS", "LD_LIBRARY_PATH", "LD_PRELOAD"),
)
# A variable that executables read and a shell may have set: the runtime that they must find.
OWN = ("POLLUX_EXPECT_RUNTIME",)
# Threads that stay on their cores give steadier times; what the user's shell sets is kept.
BINDING = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}


def relevant(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that influence an executable, in order of name.

    Bytes that are no UTF-8 have a replacement character, as in records of executables.
    """
    prefixes = (*RECORDED, *OWN)
    return {n: as_text(v) for n, v in sorted(environment.items()) if n.startswith(prefixes)}


def as_text(value: str) -> str:
    return value.encode(errors="surrogateescape").decode(errors="replace")


def binding() -> dict[str, str]:
    """The variables that bind threads, less those that the user's shell sets."""
    return {name: value for name, value in BINDING.items() if name not in os.environ}


def as_restarted(settings: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """The variables with which an executable need not restart itself (docs/method.md).

    `settings` are those that it would set, `variables` those that it is started with. It records
    both as if it had restarted: the marks are those of common/process/environment.c.
    """
    if not settings:
        return dict(variables)
    environment = {**os.environ, **variables}
    found = {f"POLLUX_FOUND_{n}": environment[n] for n in settings if n in environment}
    return {**variables, **settings, **found, "POLLUX_RESTARTED": ",".join(settings)}


def threads_of_environment(variables: Mapping[str, str] | None = None) -> int | None:
    """The threads that OMP_NUM_THREADS asks for; a list gives those of the outermost level.

    `variables` are those that are added to the environment of this process.
    """
    text = (variables or {}).get("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", ""))
    first = text.partition(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else None


def default_threads(variables: Mapping[str, str] | None = None) -> int:
    """Threads of a process that is given no number: as the environment asks, else one for each
    processor that it may use, as far as its CPU quota goes."""
    return threads_of_environment(variables) or fitting_threads()


def fitting_threads() -> int:
    """One thread for each processor that this process may use, as far as its CPU quota goes."""
    return threads_within(usable_processors(), processors_of_quota())


def usable_processors() -> int:
    return len(os.sched_getaffinity(0))


def threads_within(processors: int, quota: float | None) -> int:
    """The largest team that a quota of processors does not stop, one at least (docs/method.md)."""
    return processors if quota is None else min(processors, max(int(quota), 1))


def quota_notes(teams: Iterable[tuple[object, Mapping[str, str]]]) -> list[str]:
    """A line where a quota makes one of these teams smaller, since it is given no number.

    Of each the threads that are asked for, if any, and the variables that its process gets.
    """
    quota, usual, fitting = processors_of_quota(), usable_processors(), fitting_threads()
    are_given = (threads or threads_of_environment(variables) for threads, variables in teams)
    if quota is None or fitting >= usual or all(are_given):
        return []
    why = f"because of a CPU quota of {quota:.3g} processors; --threads overrides it"
    return [f"{counted(fitting, 'thread')}, not {usual}, {why}"]
