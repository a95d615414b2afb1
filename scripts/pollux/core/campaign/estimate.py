# SPDX-License-Identifier: BSD-3-Clause
"""What a process of a campaign will need: its time, its time limit, its memory."""

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pollux.core.campaign.lines import Configuration, Needs
from pollux.core.campaign.model import Campaign
from pollux.core.control_groups import memory_limits, tasks_left
from pollux.core.executables.variables import fitting_threads, threads_of_environment
from pollux.core.kernel_files import allowed_cores, read_file

PROBES = 4  # vectors of --check fast

START_SECONDS = 0.05  # of a process: loading, libraries, self-test, the team
# Share of a core's dgemm speed that a factorization reaches, to be on the slow side of what tile
# algorithms do on few cores; their kernels and variants differ by less than this is off.
EFFICIENCY = 0.4
FFTW_GFLOPS = 2.0  # of one core in FFTW's transforms: kernel set `fftw`
LOOPS_GFLOPS = 0.5  # of one core in loops that wait for memory: kernel set `loops`
# Elements that one core makes of the random matrix in a second, twice per verified repetition.
GENERATED_PER_SECOND = 1.0e8
FULL_CHECK_GFLOPS = 2.0  # of one core: verification is plain code of its own, on purpose
LIMIT_FACTOR = 10.0
LIMIT_SECONDS = 10.0
# Of a repetition without operations to count: its own, and of each task.
UNCOUNTED_SECONDS = 0.05
TASK_SECONDS = 2e-5
UNCOUNTED_LIMIT_SECONDS = 120.0  # at least: nothing tells how long it takes on a new runtime


def needs_of(configuration: Configuration) -> Needs:
    """What the executable stated when the configuration was planned."""
    if configuration.needs is None:
        raise ValueError(f"{configuration.label()} is not of a plan")
    return configuration.needs


def dimensions(configuration: Configuration) -> tuple[int, int]:
    """Rows and columns."""
    return configuration.rows or configuration.size, configuration.size


@dataclass(frozen=True)
class Machine:
    """What estimates are made for; made once for many of them, since it reads many small files."""

    gflops: float  # of a core in dgemm
    cores: int  # that processes may use
    threads: int  # of a team whose number nothing names


def machine_with(gflops: float) -> Machine:
    """This machine, if its cores have this speed."""
    return Machine(gflops, allowed_cores(), fitting_threads())


def thread_count(configuration: Configuration, machine: Machine) -> int:
    """Threads of the team: as asked for, else as the program chooses."""
    given = configuration.threads or threads_of_environment(configuration.variables)
    return given or machine.threads


def cores_of(configuration: Configuration, machine: Machine) -> int:
    """Cores that a process uses, the matrix and its check included."""
    return max(1, min(thread_count(configuration, machine), machine.cores))


def estimate_seconds(
    configuration: Configuration,
    campaign: Campaign,
    machine: Machine,
    measured_gflops: float | None,
    repetitions: int | None = None,
) -> float:
    """The time of a whole process, from its measured speed or else a share of the machine's."""
    repeats = (repetitions or campaign.repetitions) + campaign.warmup
    if needs_of(configuration).flops == 0:
        one = UNCOUNTED_SECONDS + TASK_SECONDS * needs_of(configuration).tasks
        return START_SECONDS + repeats * one
    cores = cores_of(configuration, machine)
    own = {"loops": LOOPS_GFLOPS, "fftw": FFTW_GFLOPS}.get(configuration.kernels or "")
    assumed = cores * (own or machine.gflops * EFFICIENCY)
    rate = 1e9 * max(measured_gflops or assumed, 1e-6)
    one = needs_of(configuration).flops / rate + check_seconds(configuration, campaign, machine)
    return START_SECONDS + repeats * one


def check_seconds(configuration: Configuration, campaign: Campaign, machine: Machine) -> float:
    """Generation of the matrix and verification of the factors, for one repetition."""
    m, n = dimensions(configuration)
    cores = cores_of(configuration, machine)
    generation = m * n / GENERATED_PER_SECOND / cores
    if campaign.check == "none":
        return generation
    if campaign.check == "fast":
        return 2 * generation + 2 * PROBES * 2 * m * n / (1e9 * FULL_CHECK_GFLOPS * cores)
    return 2 * generation + 4 * m * n * max(m, n) / (1e9 * FULL_CHECK_GFLOPS * cores)


def time_limit(configuration: Configuration, campaign: Campaign, expected_seconds: float) -> float:
    """Seconds after which a process counts as hanging: what the campaign says, or ample time."""
    if campaign.time_limit is not None:
        return campaign.time_limit
    is_counted = needs_of(configuration).flops > 0
    least = LIMIT_SECONDS if is_counted else UNCOUNTED_LIMIT_SECONDS
    return least + LIMIT_FACTOR * expected_seconds


# Resident memory of a process besides its data: libraries, and the buffers that OpenBLAS keeps for
# each thread that calls it (27 MiB at N = 64 with OpenBLAS 0.3.21; test_estimate.py compares).
BASE_BYTES = 32 * 2**20
THREAD_BYTES = 3 * 2**20
# What a runtime may keep of each task of a graph with dependences. libomp 19 does not limit how
# many there are: 2.0 to 3.3 kB after one repetition, up to 6.9 kB after several. libgomp 12 does:
# up to 0.8 kB, and 1.2 kB where many processes wanted the processors. Measured at N = 2048,
# NB = 16 to 64.
TASK_BYTES = 7500
TASK_BYTES_LIBGOMP = 1500


def memory_bytes(configuration: Configuration) -> int:
    """Peak memory of a process at most: its data, and what the runtime keeps of the task graph."""
    return data_bytes(configuration) + task_bytes(configuration)


def data_bytes(configuration: Configuration) -> int:
    """What a process needs whatever its runtime: its data, and a base."""
    needs = needs_of(configuration)
    return needs.bytes + BASE_BYTES + THREAD_BYTES * needs.threads


def task_bytes(configuration: Configuration) -> int:
    """What the runtime keeps of the task graph, if all of it lives at once."""
    return needs_of(configuration).tasks * bytes_of_a_task(configuration)


def bytes_of_a_task(configuration: Configuration) -> int:
    """For the runtime that is expected, or else the one that the build's name tells."""
    parts = Path(configuration.executable).parts
    build = parts[-3] if len(parts) > 2 else configuration.runtime
    runtime = configuration.variables.get("POLLUX_EXPECT_RUNTIME", build)
    return TASK_BYTES_LIBGOMP if runtime.startswith("libgomp") else TASK_BYTES


def memory_available() -> int:
    """Bytes that a process may take: the least of what the kernel and the limits on it leave."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    groups = memory_limits(lambda path: read_file(Path("/") / path))
    limits = [system_available(), *(group.left for group in groups)]
    return min([*limits, limit] if limit != resource.RLIM_INFINITY else limits)


def threads_available() -> float:
    """Threads that processes may make: the least of what `ulimit -u` and control groups leave."""
    left = tasks_left(lambda path: read_file(Path("/") / path))
    limits = [inf if left is None else left]
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if limit != resource.RLIM_INFINITY and os.getuid() != 0:  # whom it does not bind
        limits.append(limit - threads_of_user())
    return min(limits)


def threads_of_user() -> int:
    """Those of all processes of this one's user."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if folder.stat().st_uid == os.getuid():
                found += sum(1 for _ in (folder / "task").iterdir())
    return found


def files_available() -> int:
    """Files that this process may still open."""
    opened = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] - opened


def system_available() -> int:
    """MemAvailable of /proc/meminfo."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
