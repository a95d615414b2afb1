# SPDX-License-Identifier: BSD-3-Clause
"""What a process of a campaign will need: its time, its time limit, its memory."""

import os
import resource
from pathlib import Path

from pollux.campaign.lines import Configuration
from pollux.campaign.model import Campaign
from pollux.executables.variables import default_threads
from pollux.tiles import Tile

# What a program takes by itself depends on the processor; other tiles need about as much memory.
DEFAULT_TILE = {"cholesky": 192, "lu": 192, "lu-cw": 192, "qr": 256}
DEFAULT_INNER = 64
LINE = 8  # doubles in a cache line
BAD_STRIDE = 128  # doubles: no leading dimension is a multiple (common/matrix/tile_matrix.c)
PROBES = 4  # vectors of --check fast

START_SECONDS = 0.05  # of a process: loading, libraries, self-test, the team
# Share of a core's dgemm speed that a factorization reaches, to be on the slow side of what tile
# algorithms do on few cores; forkjoin and one thread differ by less than this is off.
EFFICIENCY = {"cholesky": 0.6, "lu": 0.5, "lu-cw": 0.5, "qr": 0.4}
# Elements that one core makes of the random matrix in a second, twice per verified repetition.
GENERATED_PER_SECOND = 1.0e8
FULL_CHECK_GFLOPS = 2.0  # of one core: verification is plain code of its own, on purpose
LIMIT_FACTOR = 10.0
LIMIT_SECONDS = 10.0


def option(configuration: Configuration, name: str) -> str | None:
    """The value of an option among a configuration's arguments."""
    arguments = configuration.arguments
    return arguments[arguments.index(name) + 1] if name in arguments else None


def dimensions(configuration: Configuration) -> tuple[int, int]:
    """Rows and columns."""
    return configuration.rows or configuration.size, configuration.size


def thread_count(configuration: Configuration) -> int:
    """Threads of the team: as asked for, else OMP_NUM_THREADS, else the allowed processors."""
    if configuration.threads is not None:
        return configuration.threads
    return team_size(configuration)


def team_size(configuration: Configuration) -> int:
    """Threads of a process that was given none."""
    return default_threads(configuration.variables)


def flops(benchmark: str, m: int, n: int) -> float:
    """Leading terms of the operation count (docs/method.md)."""
    least, most = min(m, n), max(m, n)
    if benchmark == "cholesky":
        return n**3 / 3
    lu = most * least**2 - least**3 / 3
    return 2 * lu if benchmark == "qr" else lu


def allowed_cores() -> int:
    """Cores among the processors that this process may use; hardware threads share one."""
    siblings = set()
    for processor in os.sched_getaffinity(0):
        topology = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        try:
            siblings.add(topology.read_text())
        except OSError:
            siblings.add(str(processor))
    return len(siblings)


def estimate_seconds(
    configuration: Configuration,
    campaign: Campaign,
    gflops_per_core: float,
    measured_gflops: float | None,
) -> float:
    """The time of a whole process, from its measured speed or else a share of the machine's."""
    m, n = dimensions(configuration)
    cores = max(1, min(thread_count(configuration), allowed_cores()))
    assumed = gflops_per_core * cores * EFFICIENCY[configuration.benchmark]
    rate = 1e9 * max(measured_gflops or assumed, 1e-6)
    one = flops(configuration.benchmark, m, n) / rate + check_seconds(configuration, campaign)
    return START_SECONDS + (campaign.repetitions + campaign.warmup) * one


def check_seconds(configuration: Configuration, campaign: Campaign) -> float:
    """Generation of the matrix and verification of the factors, for one repetition."""
    m, n = dimensions(configuration)
    cores = max(1, min(team_size(configuration), allowed_cores()))
    generation = m * n / GENERATED_PER_SECOND / cores
    if campaign.check == "none":
        return generation
    if campaign.check == "fast":
        return 2 * generation + 2 * PROBES * 2 * m * n / (1e9 * FULL_CHECK_GFLOPS * cores)
    return 2 * generation + 4 * m * n * max(m, n) / (1e9 * FULL_CHECK_GFLOPS * cores)


def time_limit(
    configuration: Configuration,
    campaign: Campaign,
    gflops_per_core: float,
    measured_gflops: float | None,
) -> float:
    """Seconds after which a process counts as hanging: what the campaign says, or ample time."""
    if campaign.time_limit is not None:
        return campaign.time_limit
    estimate = estimate_seconds(configuration, campaign, gflops_per_core, measured_gflops)
    return LIMIT_SECONDS + LIMIT_FACTOR * estimate


# Resident memory of a process besides its data: libraries, and the buffers that OpenBLAS keeps for
# each thread that calls it (27 MiB at N = 64 with OpenBLAS 0.3.21; test_estimate.py compares).
BASE_BYTES = 32 * 2**20
THREAD_BYTES = 2 * 2**20
# What a runtime may keep of each task of a graph with dependences. libomp 19 does not limit how
# many there are: 2.0 to 3.3 kB after one repetition, up to 6.9 kB after several. libgomp 12 does:
# up to 0.8 kB. Both measured at N = 2048, NB = 16 to 64.
TASK_BYTES = 7500
TASK_BYTES_LIBGOMP = 1000
# Tasks for each pair of a row and a column of tiles that a step updates (docs/variants.md).
TASKS = {"cholesky": 0.55, "lu": 1.1, "lu-cw": 1.1, "qr": 1.1}
TREE_TASKS = 2.2  # of QR's tree, which has two kernels where the flat tree has one
WITHOUT_DEPENDENCES = ("seq", "forkjoin")
DOUBLE = 8


def leading_dimension(rows: int) -> int:
    """Doubles between two columns of a tile, as common/matrix/tile_matrix.c has it."""
    doubles = -(-rows // LINE) * LINE
    return doubles + LINE if doubles % BAD_STRIDE == 0 else doubles


def tile_matrix_bytes(m: int, n: int, mb: int, nb: int) -> int:
    """Storage of a matrix whose tiles all have slots of equal size."""
    slot = leading_dimension(min(mb, m)) * min(nb, n)
    return -(-m // mb) * -(-n // nb) * slot * DOUBLE


def memory_bytes(configuration: Configuration) -> int:
    """Peak memory of a process at most: its data, and what the runtime keeps of the task graph."""
    return data_bytes(configuration) + task_bytes(configuration)


def data_bytes(configuration: Configuration) -> int:
    """What a process needs whatever its runtime: the sum of docs/method.md, and a base."""
    m, n = dimensions(configuration)
    team = thread_count(configuration)
    # `seq` is planned without --threads: its factors are verified by all.
    threads = team if option(configuration, "--threads") else max(team, team_size(configuration))
    tile = tile_size(configuration)
    nb = min(tile.nb, max(m, n))
    ib = min(int(option(configuration, "--inner") or DEFAULT_INNER), nb)
    data = matrix_bytes(configuration.benchmark, m, n, tile)
    data += factor_bytes(configuration.benchmark, (m, n), tile, ib, threads)
    data += check_bytes(option(configuration, "--check") or "fast", (m, n), tile, threads)
    selftest = DOUBLE * nb * nb * (threads + 2)
    return max(data, selftest) + BASE_BYTES + THREAD_BYTES * threads


def tile_size(configuration: Configuration) -> Tile:
    """As asked for, else about what the program takes by itself."""
    return configuration.tile or Tile.square(DEFAULT_TILE[configuration.benchmark])


def matrix_bytes(benchmark: str, m: int, n: int, tile: Tile) -> int:
    """The matrix; Cholesky writes the tiles on and below the diagonal only."""
    whole = tile_matrix_bytes(m, n, tile.mb, tile.nb)
    return whole // 2 + whole // (2 * -(-n // tile.mb)) if benchmark == "cholesky" else whole


def factor_bytes(benchmark: str, shape: tuple[int, int], tile: Tile, ib: int, threads: int) -> int:
    """What a benchmark keeps beside the matrix of this shape."""
    m, n = shape
    if benchmark == "cholesky":
        return 0
    if benchmark == "qr":
        rows = -(-m // tile.mb)
        return tile_matrix_bytes(rows * ib, n, ib, tile.nb) + 2 * DOUBLE * tile.nb * ib * threads
    return DOUBLE * leading_dimension(m) * min(tile.nb, n) + 4 * min(m, n)


def task_bytes(configuration: Configuration) -> int:
    """What the runtime keeps of the task graph: each step updates what is left of the tiles."""
    if configuration.variant in WITHOUT_DEPENDENCES:
        return 0
    tree = configuration.variant == "tree"
    each = TREE_TASKS if tree else TASKS[configuration.benchmark]
    (m, n), tile = dimensions(configuration), tile_size(configuration)
    mt, nt = -(-m // tile.mb), -(-n // tile.nb)
    updates = sum((mt - k * tile.nb // tile.mb) * (nt - k) for k in range(tile.steps(m, n)))
    return int(each * updates * bytes_of_a_task(configuration))


def bytes_of_a_task(configuration: Configuration) -> int:
    """For the runtime that is expected, or else the one that the build's name tells."""
    parts = Path(configuration.executable).parts
    build = parts[-3] if len(parts) > 2 else configuration.runtime
    runtime = configuration.variables.get("POLLUX_EXPECT_RUNTIME", build)
    return TASK_BYTES_LIBGOMP if runtime.startswith("libgomp") else TASK_BYTES


def check_bytes(check: str, shape: tuple[int, int], tile: Tile, threads: int) -> int:
    """Vectors or blocks of columns, and a tile for each thread."""
    if check == "none":
        return 0
    most = max(shape)
    nb = min(tile.nb, most)
    columns = nb * threads if check == "full" else PROBES
    one = tile_matrix_bytes(min(tile.mb, shape[0]), nb, tile.mb, nb)
    return 3 * DOUBLE * most * columns + one * threads


def memory_available() -> int:
    """Bytes that a process may take: the least of what the kernel and the limits on it leave."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits = [system_available(), *group_available(Path("/sys/fs/cgroup"))]
    return min([*limits, limit] if limit != resource.RLIM_INFINITY else limits)


def system_available() -> int:
    """MemAvailable of /proc/meminfo."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def group_available(root: Path) -> list[int]:
    """What the control group of this process and those around it leave (cgroup v2)."""
    own = next((x for x in process_groups() if x.startswith("0::")), "0::/")[3:].lstrip("/")
    left = []
    for folder in (root / own, *(root / own).parents):
        if folder.is_relative_to(root):
            limit, used = number_in(folder / "memory.max"), number_in(folder / "memory.current")
            if limit is not None and used is not None:
                left.append(max(0, limit - used))
    return left


def process_groups() -> list[str]:
    try:
        return Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []


def number_in(path: Path) -> int | None:
    """A number in a file of the kernel; "max" and a missing file mean no limit."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
