# SPDX-License-Identifier: BSD-3-Clause
"""The tables of `pollux graph`, `runtimes` and `tune` fit terminals of 80 and of 120 columns."""

from pathlib import Path

import pytest
from pollux.core.campaign.tuned import Entry, Host, Point
from pollux.core.runtimes.found import Found, Library
from pollux.core.runtimes.places import Build
from pollux.core.tiles import Tile
from pollux.insight.graphs.analysis import Analysis, analyse
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.show import print_table
from pollux.insight.graphs.trim import without_last_wait
from pollux.insight.simulation.weights import by_calls
from pollux.machine.commands.runtimes import show
from pollux.machine.tuning.outcome import Tuned
from pollux.machine.tuning.show import show_points, show_summary
from pollux.machine.tuning.targets import Target
from tall_graphs import read_tall
from task_graphs import GRAPHS, graph_lines, write_graph
from terminals import WIDTHS, assert_readable

LABEL = "gcc+libompss2-2024.11-nosv"


def analysed(folder: Path) -> list[Analysis]:
    """All graphs of all benchmarks with many tiles, and LU and QR with tall ones."""
    weigh = by_calls()
    graphs = [read_tall(folder, name, 9, 6, 3) for name in ("lu", "qr")]
    for number, (benchmark, variant) in enumerate(GRAPHS):
        path = write_graph(folder / str(number), graph_lines(benchmark, variant, 12))
        graphs.append(read_graph(path))
    trimmed = [without_last_wait(one) for one in graphs]
    return [analyse(one, weigh.of(one)) for one in trimmed]


@pytest.mark.parametrize("width", WIDTHS)
def test_graphs_side_by_side(tmp_path: Path, width: int) -> None:
    found = analysed(tmp_path)
    text = assert_readable(lambda console: print_table(console, found, "calls weigh 1"), width)
    for a in found:
        assert f" {a.shape.edges}" in text
        assert f" {a.surplus.ordered}" in text


def libraries() -> list[Library]:
    made = []
    for number, folder in enumerate(
        ("/usr/lib/x86_64-linux-gnu", "/opt/spack/linux-sapphirerapids/gcc-13.2.0/llvm-19.1.7/lib")
    ):
        path = Path(folder) / "libomp.so.5"
        abi = ("GOMP", "KMP", "Nanos6")[: number + 2]
        ways = ("build libgomp", "linker cache", folder)
        label = f"libompss2-2024.11-{number}"
        made.append(Library(label, "libompss2", "2024.11", path, "88dd4c1b4080ff", abi, None, ways))
    problem = "undefined symbol: __kmpc_omp_task_with_deps"
    broken = Path("/opt/runtimes/libkomp-1.0/lib/libkomp.so")
    none = Library("-", "", None, broken, None, (), None, ("runtimes/",), problem)
    return [*made, none]


@pytest.mark.parametrize("width", WIDTHS)
def test_runtimes_with_long_paths(width: int) -> None:
    builds = [Build(f"preset-of-runtime-{k}", Path("bin/lu"), Path("lib.so")) for k in range(9)]
    found = Found(libraries(), builds)
    text = assert_readable(lambda console: show(found, console), width)
    for library in found.libraries:
        assert str(library.path) in text
        assert library.name in text


def point(mb: int, nb: int, ratio: float | None, problem: str | None = None) -> Point:
    low, high = (ratio - 0.0123, ratio + 0.0123) if ratio else (None, None)
    speed = 12345.67 * ratio if ratio else None
    values = {"mb": mb, "nb": nb, "ib": 64, "gflops": speed, "runs": 137}
    return Point(**values, ratio=ratio, low=low, high=high, problem=problem)


def tuned(size: int) -> Tuned:
    runtime = {"runtime": LABEL, "runtime_name": "libompss2", "runtime_version": "2024.11"}
    target = Target(
        LABEL, "cholesky", "forkjoin", "openblas", size, 128, Path("/cholesky"), "cholesky"
    )
    problem = "hang: no end after 300.0 s, and all threads wait in nosv_submit"
    points = [point(33088, 704, 1.0), point(704, 704, 0.9123), point(32, 32, None, problem)]
    entry = Entry(
        host=Host(cpu="a processor", cores=128, processors=256),
        **{"benchmark": "cholesky", "variant": "forkjoin", "n": size, "threads": 128},
        **{"kernels": "tuned", "parameters": {}},
        **{"threads_asked": 128, "runtime_build_id": None, "blas_version": None},
        **{"blas_core": None, "mb": 33088, "nb": 704, "ib": 64, "gflops": 12345.67},
        **{"low": 12245.67, "high": 12445.67, "points": points, "runs": 1371, "seconds": 98765.4},
        **{"method": "halving", "date": "2026-07-14T00:00:00+00:00"},
        **runtime,
    )
    return Tuned(target, entry, points, 1371, 98765.4, 12345, 876543.2, ["NB=704 is the largest"])


@pytest.mark.parametrize("width", WIDTHS)
def test_tuned_tiles(width: int) -> None:
    found = [tuned(4096), tuned(131072)]
    text = assert_readable(lambda console: show_points(console, found[0]), width)
    for words in ("33088x704", "1.000 (0.988–1.012)", "12345.7", "11263.0"):
        assert words in text
    text = assert_readable(lambda console: show_summary(console, found), width)
    for words in (str(Tile(33088, 704)), "12345.7 (12245.7–12445.7)", "131072", LABEL):
        assert text.count(words) >= 1
