# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the file of tuned tiles: which entry counts, and that it is never lost."""

import errno
import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pollux.core import models
from pollux.core.campaign.tuned import Entry, Host, by_target, lookup, read, store, this_host
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables import variables

HERE = Host(cpu="a processor", cores=4, processors=8)
DATE = "2026-01-02T03:04:05+00:00"


def entry(**changes: Any) -> Entry:  # noqa: ANN401
    values: dict[str, Any] = {
        "host": HERE,
        **{"benchmark": "qr", "variant": "depend", "n": 2048, "threads": 8, "threads_asked": None},
        **{"runtime": "libomp", "runtime_name": "libomp", "runtime_version": "19"},
        **{"runtime_build_id": "ab", "blas_version": "0.3.21", "blas_core": "Haswell"},
        **{"kernels": "tuned", "parameters": {}},
        **{"nb": 192, "ib": 32, "gflops": 50.0, "low": 49.0, "high": 51.0, "points": []},
        **{"runs": 100, "seconds": 30.0, "method": "a search", "date": DATE},
    }
    return Entry(**({"mb": changes.get("nb", 192)} | values | changes))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    return tmp_path / "tuned.json"


def ask(path: Path, **changes: Any) -> tuple[int | str, int | None] | None:  # noqa: ANN401
    asked: dict[str, Any] = {"benchmark": "qr", "variant": "depend", "size": 2048}
    asked["kernels"] = "tuned"
    asked |= {"threads": None, "runtime": "libomp", "host": HERE}
    found = lookup(by_target(path), **(asked | changes))
    return found and (found[0].brief(), found[1])


def test_what_was_stored_is_found(path: Path) -> None:
    store(path, [entry()])
    assert ask(path) == (192, 32)


@pytest.mark.parametrize(
    "asked",
    [
        {"benchmark": "lu"},
        {"variant": "tree"},
        {"kernels": "openblas"},
        {"runtime": "libgomp"},
        {"threads": 4},
        {"parameters": (("sweeps", 8),)},
        {"host": Host(cpu="another processor", cores=4, processors=8)},
        {"host": Host(cpu="a processor", cores=2, processors=8)},
    ],
)
def test_a_tile_of_something_else_does_not_count(path: Path, asked: dict[str, Any]) -> None:
    store(path, [entry()])
    assert ask(path, **asked) is None


def test_without_a_file_nothing_is_tuned(path: Path) -> None:
    assert ask(path) is None


def test_the_nearest_n_counts_and_its_tile_is_not_scaled(path: Path) -> None:
    store(path, [entry(n=1024, nb=96), entry(n=3072, nb=256)])
    assert ask(path, size=2048) == (256, 32)
    assert ask(path, size=1100) == (96, 32)


def test_an_n_more_than_twice_as_large_or_small_does_not_count(path: Path) -> None:
    store(path, [entry(n=2048)])
    assert ask(path, size=1024) == ask(path, size=4096) == (192, 32)
    assert ask(path, size=1023) is ask(path, size=4097) is None


def test_of_two_equally_near_the_smaller_counts(path: Path) -> None:
    store(path, [entry(n=4096, nb=256), entry(n=1024, nb=96)])
    assert ask(path, size=2048) == (96, 32)


def test_tiles_are_cut_at_n_and_inner_blocks_at_the_tile(path: Path) -> None:
    store(path, [entry(n=20, nb=20, ib=16)])
    assert ask(path, size=10) == (10, 10)


def test_threads_by_default_are_not_threads_asked_for(path: Path) -> None:
    store(path, [entry(threads=8), entry(threads=2, threads_asked=2, nb=64)])
    assert ask(path, threads=2) == (64, 32)
    assert ask(path, threads=8) == (192, 32)
    assert ask(path, threads=None) == (192, 32)


def test_the_shell_may_say_how_many_threads(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(path, [entry(threads=8), entry(threads=2, threads_asked=2, nb=64)])
    monkeypatch.setenv("OMP_NUM_THREADS", "2,1")
    assert ask(path, threads=None) == (64, 32)


def test_the_sequential_variant_asks_for_no_threads(path: Path) -> None:
    store(path, [entry(variant="seq", threads=1)])
    assert ask(path, variant="seq", threads=8) == (192, 32)


def test_of_two_versions_of_a_runtime_the_newest_entry_counts(path: Path) -> None:
    newer = entry(runtime_version="20", date="2026-02-01T00:00:00+00:00", nb=256)
    store(path, [newer, entry()])
    assert ask(path) == (256, 32)
    assert len(read(path).entries) == 2


def test_an_entry_of_equal_key_is_replaced_and_others_stay(path: Path) -> None:
    store(path, [entry(), entry(benchmark="lu", ib=None)])
    store(path, [entry(nb=224)])
    assert ask(path) == (224, 32)
    assert ask(path, benchmark="lu") == (192, None)
    assert len(read(path).entries) == 2


@pytest.mark.parametrize(
    "text", ["", '{"schema": "pollux-tuned/1", "ent', '{"schema": "other", "entries": []}', "[1]"]
)
def test_a_damaged_file_is_reported_in_a_line_and_kept(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(BadUsageError, match=r"is (damaged|of an unknown)") as raised:
        ask(path)
    assert "\n" not in str(raised.value)
    with pytest.raises(BadUsageError, match=r"is (damaged|of an unknown)"):
        store(path, [entry()])
    assert path.read_text() == text


def test_tall_tiles_are_kept_as_they_were_measured(path: Path) -> None:
    store(path, [entry(mb=4096, nb=128)])
    assert ask(path) == ask(path, size=1024) == ("4096x128", 32)
    store(path, [entry(n=64, mb=128, nb=64)])
    assert ask(path, size=32) == (32, 32)


def test_rows_of_a_tile_that_are_no_multiple_of_its_columns_are_damage(path: Path) -> None:
    store(path, [entry()])
    path.write_text(path.read_text().replace('"mb": 192', '"mb": 200'))
    with pytest.raises(BadUsageError, match="MB = 200 is no multiple of NB"):
        ask(path)


def test_a_tile_of_zero_is_damage(path: Path) -> None:
    store(path, [entry()])
    path.write_text(path.read_text().replace('"nb": 192', '"nb": 0'))
    with pytest.raises(BadUsageError, match=r"entries\.0\.nb"):
        ask(path)


def test_what_cannot_be_written_is_an_error_of_the_machine(path: Path) -> None:
    path.write_text("a file, no folder")
    with pytest.raises(MachineError, match="cannot write"):
        store(path / "tuned.json", [entry()])


def test_a_write_that_fails_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(path, [entry()])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(models, "replace_file", full)
    with pytest.raises(MachineError, match="No space left"):
        store(path, [entry(nb=224)])
    assert ask(path) == (192, 32)


def test_entries_stored_at_the_same_time_are_all_kept(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store(path, [entry(n=n)]), range(1, 25)))
    assert sorted(e.n for e in read(path).entries) == list(range(1, 25))


def refuse_to_lock(descriptor: int, operation: int) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_where_there_are_no_locks_entries_are_stored_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", refuse_to_lock)
    store(path, [entry()])
    assert ask(path) == (192, 32)


def test_this_host_is_described() -> None:
    host = this_host()
    assert host.cpu
    assert host.cores >= 1
    assert 1 <= host.processors <= len(os.sched_getaffinity(0))


def test_a_host_under_a_cpu_quota_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    found = []
    for quota in (None, 2.5, 8.0):
        monkeypatch.setattr(variables, "processors_of_quota", lambda quota=quota: quota)
        found.append(this_host.__wrapped__().processors)
    assert found == [8, 2, 8]


def test_searches_with_other_parameters_are_other_entries(path: Path) -> None:
    four, eight = (("sweeps", 4), ("form", "short")), (("sweeps", 8), ("form", "short"))
    store(path, [entry(nb=64, parameters=dict(four)), entry(nb=128, parameters=dict(eight))])
    assert [ask(path, parameters=own) for own in (four, eight, ())] == [(64, 32), (128, 32), None]
