# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of a process's time and memory, the latter against real processes."""

import json
import math
import os
import resource
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from imagined_campaign import Imagined
from pollux.core.campaign import estimate, needs
from pollux.core.campaign.estimate import machine_with
from pollux.core.campaign.lines import Configuration, Needs
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.needs import tile_updates, with_needs
from pollux.core.executables import variables
from pollux.core.executables.builds import executables_in
from pollux.core.executables.listing import describe
from pollux.core.tiles import Tile
from project import ROOT

MIB = 2**20
BUILDS = ROOT / "build"
FAKE = Path(__file__).parents[1] / "helpers/fake_benchmark.py"
PRESETS = [p for p in ("libgomp", "libomp") if (BUILDS / p / "bin" / "qr").is_file()]
WAITING = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # more threads than there may be cores
needs_a_build = pytest.mark.skipif(not PRESETS, reason="there are no builds")


def campaign(**changes: object) -> Campaign:
    return Campaign.model_validate({"name": "t", "grid": {"size": 8}, **changes})


def configuration(  # noqa: PLR0913, PLR0917
    benchmark: str = "lu",
    variant: str = "depend",
    size: int = 2048,
    tile: int | str | None = None,
    threads: int | None = None,
    check: str = "fast",
    preset: str = "libgomp",
) -> Configuration:
    options = {"--variant": variant, "--size": size, "--tile": tile, "--threads": threads}
    options |= {"--check": check, "--repeat": 1, "--warmup": 0}
    return Configuration(
        runtime=preset,
        benchmark=benchmark,
        variant=variant,
        size=size,
        tile=None if tile is None else Tile.parse(tile),
        threads=threads,
        executable=str(BUILDS / preset / "bin" / benchmark),
        arguments=[x for n, v in options.items() if v is not None for x in (n, str(v))],
        needs=Needs(threads=2, bytes=8 * size**2, flops=2 * size**3 / 3, tasks=1000),
    )


def stated(c: Configuration) -> Configuration:
    """The configuration with what its executable states that it needs."""
    check = c.arguments[c.arguments.index("--check") + 1]
    return with_needs([c], check)[0]


# A process that is started counts its parent's size as its own peak: one small one stands between.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_bytes(c: Configuration) -> int:
    """Maximum resident set size of a process, from the system's own accounting."""
    done = subprocess.run(
        [sys.executable, "-ISc", STARTER, c.executable, *c.arguments],
        env=WAITING,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


# Their peak is that of many tasks, or of threads alone: so it depends on the runtime.
OF_RUNTIMES = [
    ("lu", "depend", 2048, 32, 2, "none"),
    ("lu", "column", 1024, 64, 8, "full"),
    ("qr", "tree", 2048, 64, 8, "fast"),
    ("cholesky", "depend", 64, None, None, "fast"),
]
OF_MATRICES = [
    ("cholesky", "depend", 2048, None, None, "fast"),
    ("lu", "seq", 2048, None, None, "fast"),
    ("lu", "depend", 2048, 512, None, "fast"),
    ("lu-cw", "cw", 2048, 256, 2, "full"),
    ("qr", "depend", 2048, None, None, "fast"),
    ("cholesky", "depend", 2048, "1024x64", None, "fast"),
    ("lu", "column", 1000, "512x64", 2, "full"),
    ("qr", "depend", 2048, "4096x128", 2, "fast"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "benchmark", "variant", "size", "tile", "threads", "check"),
    [
        *((preset, *case) for preset in PRESETS for case in OF_RUNTIMES),
        *((preset, *case) for preset in PRESETS[-1:] for case in OF_MATRICES),
    ],
)
def test_memory_is_never_below_what_a_process_takes_nor_far_above(  # noqa: PLR0913, PLR0917
    preset: str,
    benchmark: str,
    variant: str,
    size: int,
    tile: int | str | None,
    threads: int | None,
    check: str,
) -> None:
    c = stated(configuration(benchmark, variant, size, tile, threads, check, preset))
    measured, expected = peak_bytes(c), estimate.memory_bytes(c)
    assert measured <= expected
    # How much of the task graph lives at once is the runtime's affair: the data alone are close.
    assert estimate.data_bytes(c) <= 1.5 * measured + 48 * MIB


@needs_a_build
def test_memory_is_that_of_the_matrix_and_little_more() -> None:
    preset, matrix = PRESETS[0], 8 * 8192**2
    taken = {
        name: estimate.data_bytes(stated(configuration(name, size=8192, tile=256, preset=preset)))
        for name in ("cholesky", "lu", "qr")
    }
    assert 1.0 < taken["lu"] / matrix < 1.5
    assert 0.5 < taken["cholesky"] / matrix < 0.9
    assert taken["qr"] > matrix * 1.125


@needs_a_build
def test_tall_tiles_need_fewer_tasks_and_no_more_matrix() -> None:
    preset = PRESETS[0]
    wanted = [configuration(size=8192, tile=tile, preset=preset) for tile in (64, "1024x64")]
    square, tall = with_needs(wanted, "fast")
    assert estimate.data_bytes(tall) == pytest.approx(estimate.data_bytes(square), rel=0.15)
    assert 13 < estimate.task_bytes(square) / estimate.task_bytes(tall) < 17


def variants_with_dependences() -> list[tuple[str, str]]:
    """Those whose tasks have dependences, of all benchmarks of a build."""
    return [
        (path.name, v.variant)
        for path in (executables_in(BUILDS / PRESETS[0]) if PRESETS else [])
        for v in describe(path, {}).variants
        if v.available and v.tasks_per_update > 0
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("benchmark", "variant"), variants_with_dependences())
def test_no_variant_has_more_tasks_than_its_bound(benchmark: str, variant: str) -> None:
    c = stated(configuration(benchmark, variant, 512, 16, 2, "none", PRESETS[0]))
    command = [c.executable, *c.arguments, "--format", "json"]
    output = subprocess.run(command, env=WAITING, capture_output=True, text=True, check=True)
    tasks = json.loads(output.stdout.splitlines()[0])["tasks"]
    assert c.needs is not None
    assert 0 < tasks <= c.needs.tasks


def test_the_updates_of_all_steps_are_counted_without_a_loop() -> None:
    for rows, columns, height in product((1, 2, 5, 8), (1, 3, 7, 12), (1, 2, 3, 16)):
        for steps in range(min(rows * height, columns) + 1):
            counted = sum((rows - k // height) * (columns - k) for k in range(steps))
            assert tile_updates(rows, columns, height, steps) == counted
    most = 2**31 - 1
    assert tile_updates(most, most, 1, most) == most * (most + 1) * (2 * most + 1) // 6


@needs_a_build
def test_no_machine_has_the_memory_for_the_largest_order() -> None:
    c = stated(configuration(size=2**31 - 16, tile=1, preset=PRESETS[0]))
    assert c.needs is not None
    assert c.needs.bytes == 2**63 - 1


def test_one_call_of_an_executable_answers_for_many_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend")
    calls, executable = tmp_path / "calls", tmp_path / "unheard-of"
    executable.write_text(
        f'#!/bin/sh\necho >> "{calls}"\nexec "{sys.executable}" "{FAKE}" unheard-of libgomp "$@"\n'
    )
    executable.chmod(0o755)
    wanted = [
        configuration("unheard-of", "depend", size, tile, threads).model_copy(
            update={"executable": str(executable), "needs": None}
        )
        for size in (512, 300)
        for tile in (32, "128x64")
        for threads in (1, 4)
    ]
    found = with_needs(wanted, "fast")
    assert len(calls.read_text().splitlines()) == 1
    for c in found:
        assert c.needs is not None
        assert (c.needs.threads, c.needs.bytes) == (c.threads, 8 * c.size**2)
        assert estimate.estimate_seconds(c, campaign(), machine_with(40.0), None) > 0
    assert found[0].needs is not None and found[2].needs is not None
    assert found[0].needs.tasks > 4 * found[2].needs.tasks
    assert [c.hash() for c in found] == [c.hash() for c in wanted]


def test_no_call_of_an_executable_asks_for_more_than_it_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def listed(_: object, __: object, **options: Any) -> Any:  # noqa: ANN401
        values = (options[name] for name in ("size", "tile", "threads"))
        asked.append(math.prod(text.count(",") + 1 for text in values))
        return SimpleNamespace(instances=[None] * asked[-1])

    monkeypatch.setattr(needs, "describe", listed)
    sizes = [(size, 128, threads) for size in range(64, 16385, 64) for threads in (1, 2)]
    tiles = [(8192, tile, 1) for tile in range(4, 1025, 4)]
    wanted = [configuration("lu", "depend", *own) for own in (*sizes, *tiles)]
    found = needs.ask(wanted, "none")
    assert found.keys() >= {needs.point(c) for c in wanted}
    assert max(asked) <= 100_000  # INSTANCES_MOST in common/driver/listing.c


HERE = machine_with(40.0)


def test_time_grows_with_the_operations_and_the_repetitions() -> None:
    small, large = configuration(size=2048), configuration(size=4096)
    times = [estimate.estimate_seconds(c, campaign(), HERE, None) for c in (small, large)]
    assert 6 < times[1] / times[0] < 8
    many = campaign(repetitions=9, warmup=1)
    assert estimate.estimate_seconds(small, many, HERE, None) > 4 * times[0]


def test_a_measured_speed_is_preferred_to_a_guess() -> None:
    c = configuration(size=8192, threads=1)
    slow = estimate.estimate_seconds(c, campaign(), HERE, 1.0)
    assert slow > 2 * (8192**3 * 2 / 3) / 1e9
    assert slow > 5 * estimate.estimate_seconds(c, campaign(), HERE, None)


def test_one_thread_checks_its_factors_alone() -> None:
    machine = estimate.Machine(gflops=10.0, cores=64, threads=64)
    needed = 4 * 8192**3 / (1e9 * estimate.FULL_CHECK_GFLOPS)
    alone, all_of_them = (
        estimate.check_seconds(configuration(size=8192, threads=t), campaign(check="full"), machine)
        for t in (1, None)
    )
    assert needed < alone < 1.1 * needed
    assert all_of_them < needed / 32


def test_the_time_limit_is_ample_or_what_the_campaign_says() -> None:
    c = configuration()
    assert estimate.time_limit(c, campaign(), 2.0) == 10 + 10 * 2.0
    assert estimate.time_limit(c, campaign(time_limit=3.0), 9.0) == 3


def test_threads_are_those_of_the_configuration_s_environment() -> None:
    c = configuration().model_copy(update={"variables": {"OMP_NUM_THREADS": "3,2"}})
    assert estimate.thread_count(c, HERE) == 3
    assert estimate.thread_count(configuration(threads=5), HERE) == 5


@pytest.mark.parametrize("goal", ["fixed", "until decided"])
def test_the_processors_are_counted_once_for_all_of_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goal: str
) -> None:
    trial = Imagined(tmp_path, monkeypatch, dict.fromkeys(range(100, 120), (0.3, 0.01)))
    read: Counter[str] = Counter()
    read_text = Path.read_text

    def counted(path: Path, *args: str | None, **kwargs: str | None) -> str:
        read[path.name] += 1
        return read_text(path, *args, **kwargs)

    def no_quota() -> None:
        read["quota"] += 1

    monkeypatch.setattr(Path, "read_text", counted)
    monkeypatch.setattr(variables, "processors_of_quota", no_quota)
    if goal == "fixed":
        trial.run_fixed(processes=2)
    else:
        trial.run()
    assert read["thread_siblings_list"] <= len(os.sched_getaffinity(0))
    assert read["quota"] == 1


def test_available_memory_is_at_most_what_the_kernel_says() -> None:
    assert 0 < estimate.memory_available() <= estimate.system_available() * 1.5


@pytest.mark.parametrize(("user", "threads"), [(1000, 400), (0, 500)])
def test_threads_are_the_least_that_limits_leave(
    monkeypatch: pytest.MonkeyPatch, user: int, threads: int
) -> None:
    """The limit on those of a user does not bind root."""
    monkeypatch.setattr(estimate, "tasks_left", lambda read: 500)
    monkeypatch.setattr(estimate, "threads_of_user", lambda: 300)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (700, 700))
    monkeypatch.setattr(os, "getuid", lambda: user)
    assert estimate.threads_available() == threads


def test_what_this_user_has_is_counted() -> None:
    assert estimate.threads_of_user() >= 1
    assert estimate.files_available() > 0
