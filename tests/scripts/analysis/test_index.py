# SPDX-License-Identifier: BSD-3-Clause
"""The index of a file of records changes nothing but the time, and is never trusted blindly."""

import errno
import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from energy_records import energy, give_energy
from micro_campaigns import clomp, configuration, metg, write_micro_campaign
from pollux.core.analysis import columns, index, loading
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import Outcome, PartOf
from pollux.core.campaign.reading import read_lines
from pollux.core.cli import app
from run_record import record
from synthetic import write_campaign
from test_comparison import change_samples
from typer.testing import CliRunner

RUNTIMES = {"libgomp": 1.0, "libomp": 1.05}
CELLS = (("cholesky", "depend", 2048, 192), ("lu", "depend", 2048, "384x192"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of any size and age have an index."""
    monkeypatch.setattr(index, "SMALLEST", 1)
    monkeypatch.setattr(index, "SETTLED_SECONDS", -1.0)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "c.jsonl"
    outcomes = {("libomp", "depend"): Outcome.HANG}
    write_campaign(path, RUNTIMES, CELLS, rounds=4, disturbed_rounds=[2], outcomes=outcomes)
    return path


def read(*paths: Path, indexed: bool = True) -> str:
    """All that a dataset contains, to the last bit, NaN included."""
    return repr(vars(load(paths, indexed=indexed)))


@contextmanager
def without_lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In which no file of records is read line by line."""

    def refuse(path: Path) -> Iterator[Any]:
        raise AssertionError(f"{path} is read although it has an index")

    with monkeypatch.context() as changed:
        changed.setattr(loading, "read_lines", refuse)
        yield


def is_used(monkeypatch: pytest.MonkeyPatch, path: Path) -> bool:
    try:
        with without_lines(monkeypatch):
            load([path])
    except AssertionError:
        return False
    return True


def with_energy(path: Path) -> None:
    write_campaign(path, RUNTIMES, CELLS, rounds=3)
    give_energy(path, lambda name, _: energy(3.25, 1.5 if name == "libomp" else None))


def with_times(path: Path) -> None:
    times = [(configuration("libgomp", "a", benchmark="clomp"), 300.0)]
    write_micro_campaign(path, times, make=clomp)


def with_curves(path: Path) -> None:
    write_micro_campaign(path, [(configuration("libgomp", "independent"), 300.0)], make=metg)


def of_executables(path: Path) -> None:
    records = [record(CELLS[0], name, seed, 50.0) for name in RUNTIMES for seed in (1, 2**64 - 1)]
    records.append(record(CELLS[0], "libgomp", 3, 50.0, traced=True))
    records[0] |= {"passed": False, "preemptions": 7}
    records[0]["residuals"] = [
        {"name": "A-LLT", "value": None, "threshold": 30.0, "passed": False},
        {"name": "A-QR", "value": 0.25, "threshold": 30.0, "passed": True},
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))


def damaged(path: Path) -> None:
    write_campaign(path, RUNTIMES, CELLS, rounds=3, until_decided=0.03)
    lines = path.read_text().splitlines()
    kept = [line for line in lines if '"event":"block","block":1' not in line]
    early = [kept[0], *kept[2:8], kept[1], "no JSON", *kept[8:]]
    path.write_text("\n".join(early)[:-20])


def of_a_job(path: Path) -> None:
    part = PartOf(campaign="one", number=1, of=2, node="n1")
    write_campaign(path, RUNTIMES, CELLS, rounds=2, part=part)


@pytest.mark.parametrize(
    "make", [with_energy, with_times, with_curves, of_executables, damaged, of_a_job]
)
def test_a_file_and_its_index_contain_the_same(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "c.jsonl", tmp_path / "other.jsonl"
    make(path)
    write_campaign(other, RUNTIMES, rounds=2)
    plain = [read(path, indexed=False), read(other, path, indexed=False)]
    assert [read(path), read(other, path)] == plain
    with without_lines(monkeypatch):
        assert [read(path), read(other, path)] == plain


def test_compare_prints_the_same(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compared() -> str:
        return CliRunner().invoke(app, ["compare", str(campaign), "--format", "json"]).stdout

    first = compared()
    assert '"hang"' in first
    with without_lines(monkeypatch):
        assert compared() == first


def test_comparing_speeds_reads_no_runs(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load([campaign])
    with without_lines(monkeypatch):
        kept = load([campaign])
    monkeypatch.setattr(columns.Column, "values", property(refuse_to_read))
    compare(kept)
    with pytest.raises(AssertionError, match=r"s\.runs"):
        _ = kept.samples[0].runs[0]


def refuse_to_read(column: columns.Column) -> None:
    raise AssertionError(f"{column.name} is read")


@pytest.mark.parametrize("digest", ["00ff00ff00ff00ff", "00FF00FF00FF00FF", "ff", "other"])
def test_digests_of_any_form_are_kept(
    digest: str, campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(line: dict[str, Any]) -> None:
        for own in line["records"]:
            own["digest"] = digest

    change_samples(campaign, change)
    plain = read(campaign, indexed=False)
    assert digest in plain
    load([campaign])
    with without_lines(monkeypatch):
        assert read(campaign) == plain


def edit(path: Path) -> None:
    """A figure in the middle, of the same length, under the former time."""
    before, text = path.stat(), path.read_text()
    at = text.index('"gflops":{"value":', len(text) // 2) + len('"gflops":{"value":')
    old = text[at : text.index(",", at)]
    new = f"9{old[1:]}" if old[0] != "9" else f"8{old[1:]}"
    path.write_text(text.replace(old, new))
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def append(path: Path) -> None:
    lines = path.read_text().splitlines()
    last = next(line for line in reversed(lines) if '"event":"sample"' in line)
    with path.open("a") as file:
        file.write(last.replace('"round":3', '"round":4') + "\n")


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size * 2 // 3)


def replace(path: Path) -> None:
    write_campaign(path, RUNTIMES, CELLS, rounds=4, seed=7)


@pytest.mark.parametrize("change", [edit, append, truncate, replace])
def test_a_file_that_was_changed_is_read_anew(
    campaign: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(campaign)
    change(campaign)
    changed = read(campaign)
    assert changed == read(campaign, indexed=False) != before
    assert is_used(monkeypatch, campaign)


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "bit", "other", "folder"])
def test_a_damaged_index_is_not_used_and_made_anew(
    campaign: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, place = read(campaign), index.index_of(campaign)
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.unlink()
    if damage == "folder":
        place.mkdir()
    elif damage != "gone":
        cut = content[: len(content) // 2]
        written = {"empty": bytearray(), "cut": cut, "bit": content, "other": bytearray(b"x" * 99)}
        place.write_bytes(written[damage])
    assert not is_used(monkeypatch, campaign)
    assert read(campaign) == right
    assert is_used(monkeypatch, campaign) == (damage != "folder")


def test_an_index_of_other_code_or_another_file_is_not_used(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = read(campaign)
    other = tmp_path / "other.jsonl"
    write_campaign(other, RUNTIMES, CELLS, rounds=4, seed=7)
    index.index_of(other).write_bytes(index.index_of(campaign).read_bytes())
    assert read(other) == read(other, indexed=False)
    with monkeypatch.context() as later:
        later.setattr(index, "code", lambda: "a later version")
        assert not is_used(later, campaign)
        assert read(campaign) == right
        assert is_used(later, campaign)
    assert not is_used(monkeypatch, campaign)


def test_an_index_that_fits_no_disk_leaves_nothing_behind(campaign: Path) -> None:
    right = read(campaign, indexed=False)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        assert read(campaign) == right
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [*campaign.parent.iterdir()] == [campaign]


def test_a_folder_that_cannot_be_written_needs_no_index(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _: bytes) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(index, "replace_file", refuse)
    assert read(campaign) == read(campaign, indexed=False)


def test_a_file_that_is_still_written_gets_no_index(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SETTLED_SECONDS", 1e6)
    load([campaign])
    assert not index.index_of(campaign).exists()
    monkeypatch.setattr(index, "SETTLED_SECONDS", -1.0)

    def meanwhile(path: Path) -> Iterator[Any]:
        yield from read_lines(path)
        append(path)

    monkeypatch.setattr(loading, "read_lines", meanwhile)
    load([campaign])
    assert not index.index_of(campaign).exists()


def test_small_files_and_pipes_have_none(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SMALLEST", campaign.stat().st_size + 1)
    load([campaign])
    monkeypatch.setattr(index, "SMALLEST", 1)
    pipe = campaign.with_name("pipe")
    os.mkfifo(pipe)
    assert index.fingerprint(pipe) is None
    assert {*campaign.parent.iterdir()} == {campaign, pipe}
