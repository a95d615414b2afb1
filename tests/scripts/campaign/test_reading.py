# SPDX-License-Identifier: BSD-3-Clause
"""Lines that are no records are skipped, counted and named, each with its own reason."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mutations import Mutator
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.loading import load
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.reading import (
    NotARecordError,
    Unreadable,
    read_line,
    read_lines,
    sentences,
)
from pollux.core.errors import BadUsageError
from pollux.core.schemas import KINDS, kind_of
from pollux.insight.graphs.file import read_graphs
from pollux.insight.traces.file import read_traces
from run_record import record
from synthetic import write_campaign
from task_graphs import graph_lines
from traces import trace_lines

CELL = ("cholesky", "depend", 2048, 192)
RECORD = record(CELL, "libgomp", 7, 50.0)
Change = Callable[[dict[str, Any]], object]


SERIAL = {"requested": [2, 4], "given": [2, 1]}


def reason_of(text: bytes) -> str:
    with pytest.raises(NotARecordError) as raised:
        read_line(text)
    return raised.value.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: r.pop("gflops"), "gflops is missing"),
        (lambda r: r.update(gflops=float("nan")), "gflops should be a finite number"),
        (lambda r: r.update(gflops=1e300), "gflops should be less than"),
        (lambda r: r.update(n="2048"), "n should be a valid integer"),
        (lambda r: r.update(n=True), "n should be a valid integer"),
        (lambda r: r.update(n=0), "n should be greater than or equal to 1"),
        (lambda r: r.update(gflops=51.0), "its quantity gflops is not its gflops"),
        (lambda r: r.update(quantities={}), "it has no quantity"),
        (lambda r: r.update(kernels=None), "it has m, but no kernels"),
        (lambda r: r.update(nb=100, mb=150), "mb = 150 is no multiple of nb = 100"),
        (lambda r: r["host"].update(allowed=None), "host.allowed should be a valid integer"),
        (lambda r: r["runtime"].update(env=[]), "runtime.env should be"),
        (lambda r: r.update(passed=False), "whether it passed does not fit"),
        (lambda r: r.update(levels=SERIAL), "whether it passed does not fit its status"),
        (lambda r: r["residuals"][0].update(value=2.5e15), "whether A-LLT passed does not fit"),
        (lambda r: r.update(schema="pollux-run/99"), "the record of a run of a later version"),
        (lambda r: r.update(schema="pollux-trace/1"), "this is a trace (pollux-trace/1)"),
        (lambda r: r.update(schema="other"), "of an unknown schema ('other')"),
        (lambda r: r.pop("schema"), "an object without a schema"),
    ],
)
def test_a_record_that_is_not_whole_is_refused_with_the_reason(change: Change, reason: str) -> None:
    changed = json.loads(json.dumps(RECORD))
    change(changed)
    assert reason in reason_of(json.dumps(changed).encode())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"my notes", "this is not JSON"),
        (b"[1, 2]", "this is JSON, but not an object"),
        (b"[" * 5000, "this is not JSON"),
        (b'{"schema":"pollux-run/1","benchm', "cut off"),
        (json.dumps(RECORD).encode() + b"\r\n", "carriage return at its end"),
        (b"notes\r\n", "carriage return at its end"),
        (b'{"schema":"pollux-campaign/1","event":"dance"}', "dance"),
    ],
)
def test_what_is_no_json_object_is_refused_with_the_reason(text: bytes, reason: str) -> None:
    assert reason in reason_of(text)


def test_a_record_is_read_with_spaces_around_it_and_without_a_line_feed() -> None:
    text = json.dumps(RECORD).encode()
    assert read_line(text + b"\n") == read_line(b" " + text + b" ") == read_line(text)


def test_the_list_of_a_threads_processors_may_be_long() -> None:
    """As of one of two sockets whose processors take turns."""
    bindings = [",".join(str(p) for p in range(0, 512, 2))]
    assert read_line(json.dumps(RECORD | {"bindings": bindings}).encode())


@pytest.mark.parametrize("given", [[2, 4], [2, None]])
def test_a_nested_record_passes_only_with_the_threads_requested(given: list[int | None]) -> None:
    nested = RECORD | {"levels": SERIAL | {"given": given}}
    assert read_line(json.dumps(nested).encode())
    assert read_line(json.dumps(RECORD | {"levels": SERIAL, "passed": False}).encode())
    assert "does not fit" in reason_of(json.dumps(nested | {"passed": False}).encode())


def campaign(path: Path) -> list[bytes]:
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, [CELL], rounds=3)
    return path.read_bytes().splitlines(keepends=True)


def test_samples_with_records_of_a_later_version_are_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.loads(line) for line in campaign(path)]
    place = max(i for i, line in enumerate(lines) if line["event"] == "sample")
    for own in lines[place]["records"]:
        own["schema"] = "pollux-run/99"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (warning,) = [w for w in compare(load([path])).warnings if "cannot be read" in w]
    assert warning.startswith("1 line cannot be read: written by a later version of Pollux")
    assert f":{place + 1}: it contains " in warning and "pollux-run/99" in warning


def test_without_a_valid_sample_no_compilers_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [line for line in campaign(path) if b'"event":"sample"' not in line]
    path.write_bytes(b"".join(lines) + b'{"schema":"pollux-campaign/1","event":"sample"}\n')
    assert not [w for w in compare(load([path])).warnings if "compilers" in w]


def test_unreadable_lines_are_counted_and_named_by_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = campaign(path)
    later = b'{"schema":"pollux-campaign/7","event":"sample"}\n'
    path.write_bytes(b"notes\n" + b"".join(lines) + b"{}\n" * 3 + later + lines[-1][:20])
    warnings = " ".join(compare(load([path])).warnings)
    last = len(lines) + 6
    assert (
        f"1 line cannot be read: cut off, as a process leaves it that is killed while it "
        f"writes ({path}:{last})" in warnings
    )
    assert (
        f"written by a later version of Pollux; a newer pollux reads them ({path}:{last - 1}:"
        in warnings
    )
    assert (
        f"4 lines cannot be read: damaged, or of another program ({path}:1: this is not JSON"
        in warnings
    )
    assert "and 1 more)" in warnings


def test_lines_of_windows_are_counted_named_and_explained_and_the_others_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    lines = campaign(path)
    samples = [i for i, line in enumerate(lines) if b'"event":"sample"' in line]
    for place in samples[:4]:
        lines[place] = lines[place].replace(b"\n", b"\r\n")
    path.write_bytes(b"".join(lines))
    dataset = load([path])
    assert len(dataset.samples) == len(samples) - 4
    named = "; ".join(f"{path}:{place + 1}" for place in samples[:3])
    assert (
        "4 lines cannot be read: carriage returns at the ends of lines, as on Windows; dos2unix "
        f"converts the file ({named} and 1 more)"
    ) in " ".join(compare(dataset).warnings)


def test_a_campaign_whose_lines_are_of_windows_is_not_resumed(tmp_path: Path) -> None:
    """Its samples would all be taken again."""
    path = tmp_path / "a.jsonl"
    before = b"".join(campaign(path)).replace(b"\n", b"\r\n")
    path.write_bytes(before)
    with pytest.raises(BadUsageError, match=r"a.jsonl, line 1: carriage .* dos2unix converts"):
        Journal(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read", [read_graphs, read_traces])
def test_traces_and_graphs_with_lines_of_windows_are_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    graph = graph_lines("lu", "depend", 3)
    path.write_text(
        "".join(f"{x}\n" for x in (graph if read is read_graphs else trace_lines(graph)))
    )
    read(path)
    head, feed, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(head + feed + rest.replace(b"\n", b"\r\n"))
    with pytest.raises(BadUsageError, match=r"t.jsonl, line 2: carriage returns .* dos2unix"):
        read(path)


def test_a_file_of_another_kind_is_named_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"schema":"pollux-trace/1"}\n[1,2]\n')
    with pytest.raises(BadUsageError, match=r"contains no records; .*this is a trace"):
        load([path])


def test_samples_outlive_the_damaged_line_of_their_configuration(tmp_path: Path) -> None:
    """A resumed campaign writes that line again, below the samples."""
    path = tmp_path / "a.jsonl"
    lines = campaign(path)
    place = next(i for i, line in enumerate(lines) if b'"configuration","hash"' in line)
    damaged = [*lines[:place], b"#" + lines[place], *lines[place + 1 :]]
    path.write_bytes(b"".join(damaged))
    lost = load([path])
    assert len(lost.samples) == 3
    assert [u.reason for u in lost.unreadable][1:] == [
        "no line describes the configuration of this sample"
    ] * 3
    path.write_bytes(b"".join([*damaged, lines[place]]))
    assert len(load([path]).samples) == 6


def test_samples_outlive_the_damaged_line_of_their_block(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [line for line in campaign(path) if b'"event":"block"' not in line]
    path.write_bytes(b"".join(lines))
    assert len(load([path]).used) == 6


def test_mutated_lines_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    """Whatever a line contains, the other lines are read as if it were not there."""
    path = tmp_path / "a.jsonl"
    lines = campaign(path)
    mutator = Mutator(11)
    plain = json.dumps(RECORD).encode() + b"\n"
    mutated = [
        mutator.json_object(mutator.rng.choice([*lines, plain])).text.replace(b"\n", b" ") + b"\n"
        for _ in range(3000)
    ]
    path.write_bytes(b"".join([*lines, *mutated]))
    found = [line for _, line in read_lines(path)]
    refused = [line for line in found if isinstance(line, Unreadable)]
    assert 1500 < len(refused) < 3000
    assert all(line.reason and len(line.reason) < 250 for line in refused)
    assert all(map(str.isprintable, sentences(refused)))
    dataset = load([path])
    assert isinstance(dataset, Dataset)
    assert set(map(str, load_of(tmp_path, lines).samples)) <= set(map(str, dataset.samples))
    compare(dataset)


def load_of(folder: Path, lines: list[bytes]) -> Dataset:
    path = folder / "intact.jsonl"
    path.write_bytes(b"".join(lines))
    return load([path])


def test_every_schema_that_is_written_is_known_with_its_version() -> None:
    """The modules that read or write a schema state its version; a later one is called so."""
    root = Path(__file__).resolve().parents[3]
    known = {f"{name}/{newest}" for name, (_, newest) in KINDS.items()}
    for module, schema in (
        ("core/campaign/lines.py", "pollux-campaign/1"),
        ("insight/traces/header.py", "pollux-trace/1"),
        ("insight/graphs/header.py", "pollux-graph/1"),
        ("core/campaign/tuned.py", "pollux-tuned/1"),
        ("machine/conformance/results.py", "pollux-conformance-result/1"),
    ):
        assert schema in known
        assert f'"{schema}"' in (root / "scripts/pollux" / module).read_text(), module
    assert kind_of("pollux-trace/3").startswith("a trace of a later version of Pollux")


def test_a_configuration_asks_for_a_tile_or_leaves_the_choice_to_others(tmp_path: Path) -> None:
    line = next(x for x in campaign(tmp_path / "a.jsonl") if b'"tile_asked":"192"' in x)
    for good in (b"default", b"tuned", b"1024x128"):
        read_line(line.replace(b'"tile_asked":"192"', b'"tile_asked":"' + good + b'"'))
    wrong = line.replace(b'"tile_asked":"192"', b'"tile_asked":"[/]"')
    assert "configuration.tile_asked" in reason_of(wrong)
