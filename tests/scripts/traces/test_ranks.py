# SPDX-License-Identifier: BSD-3-Clause
"""Traces of runs over MPI: the files of all ranks on one clock, and charts of them."""

import base64
import gzip
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from pollux.core.errors import BadUsageError
from pollux.insight.commands.gantt import gantt
from pollux.insight.traces import layout
from pollux.insight.traces.lanes import packed_rows, with_lane
from pollux.insight.traces.layout import ARROWS_ON_PAGE, caption_of
from pollux.insight.traces.merge import read_runs
from pollux.insight.traces.model import Trace
from pollux.insight.traces.page import own
from pollux.insight.traces.perfetto import perfetto_json
from pollux.insight.traces.rank import CANDIDATE
from pollux.insight.traces.view import make_view, panels, step_spans
from rank_traces import Run, rank_lines, run_on_ranks, skewed, write_ranks
from task_graphs import graph_lines

CHOLESKY = graph_lines("cholesky", "depend", 5)


def made(ranks: int = 3) -> Run:
    return run_on_ranks(CHOLESKY, ranks=ranks)


def merged(paths: list[Path]) -> Trace:
    [(path, trace)] = read_runs(paths)
    assert path == paths[0]
    return trace


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_put_on_the_clock_of_rank_0(tmp_path: Path, seed: int) -> None:
    run = made()
    run.skew = skewed(seed, run.ranks)
    trace = merged(write_ranks(tmp_path, run))
    nodes = sorted(run.nodes, key=lambda node: (node.start, node.end, node.thread))
    assert trace.thread.tolist() == [node.thread for node in nodes]
    assert np.abs(trace.start - [node.start for node in nodes]).max() <= 2  # roundings
    assert np.abs(trace.end - [node.end for node in nodes]).max() <= 2
    assert trace.ranks is not None
    assert trace.ranks.error.tolist() == [0, 400, 400]
    sent = sorted((m.sent, m.received, m.sender, m.receiver) for m in run.messages)
    m = trace.ranks.messages
    found = sorted(zip(m.sent, m.received, m.sender, m.receiver, strict=True))
    assert np.abs(np.array(sent) - np.array(found)).max() <= 2
    assert trace.graph_instance.benchmark == "cholesky"


def test_ranks_on_one_machine_read_one_clock(tmp_path: Path) -> None:
    run = made()
    run.skew = ((0, 0.0), (300, 0.0), (500, 0.0))  # within the error, and beyond it
    trace = merged(write_ranks(tmp_path, run, machine=0))
    assert trace.ranks is not None
    assert trace.ranks.error.tolist() == [0, 0, 400]
    assert trace.ranks.begin.tolist() == [0, 300, 0]


def test_messages_of_one_name_are_matched_in_order(tmp_path: Path) -> None:
    run = made(2)
    first = run.messages[0]
    again = type(first)(
        first.sender, first.receiver, first.tile, first.sent + 7, first.received + 7
    )
    run.messages.append(again)
    trace = merged(write_ranks(tmp_path, run))
    assert trace.ranks is not None
    m = trace.ranks.messages
    own = (m.i == first.tile[0]) & (m.j == first.tile[1]) & (m.receiver == first.receiver)
    assert (m.received[own] - m.sent[own] == first.received - first.sent).all()
    assert own.sum() == 2


def test_other_traces_stay_as_they_are(tmp_path: Path) -> None:
    run = made(2)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    paths = write_ranks(tmp_path / "a", run)
    others = write_ranks(tmp_path / "b", run)
    for path in others:
        path.write_text(path.read_text().replace('"run":"r1"', '"run":"r2"'))
    found = read_runs([paths[1], others[0], others[1], paths[0]])
    assert [path for path, _ in found] == [paths[1], others[0]]


def test_a_rank_that_is_missing_is_named(tmp_path: Path) -> None:
    paths = write_ranks(tmp_path, made())
    with pytest.raises(BadUsageError, match=r"run of 3 ranks, of which 1 is not given"):
        read_runs([paths[0], paths[2]])
    copy = tmp_path / "copy"
    copy.write_text(paths[0].read_text())
    with pytest.raises(BadUsageError, match="both are of rank 0"):
        read_runs([*paths, copy])


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (r"\[1,1,", "[1,9,", "there are 2 ranks"),
        (r"\[1,1,", "[7,1,", "neither a message nor a wait"),
        (r"\[1,1,0,", "[1,1,-1,", "negative"),
        (r"\[1,1,0,.*", "[1,1,0,1,0,8,5,4,3]", "not in order"),
        (r"\[1,1,0,.*", '[1,1,0,"x"]', "no array of integers"),
        (r"\[1,1,0,1,0", "[1,1,0,4,4", "sent and received differ"),
        (r"\[1,1,0,.*\n", "", "instead of"),
        (r'"ranks":2', '"ranks":0', "ranks"),
        (r'"rank":0,', '"rank":5,', "numbered from 0"),
        (r'\{"schema":"pollux-messages/1"\}[^{]*', "", "messages are missing"),
    ],
)
def test_damaged_files_are_refused_with_one_line(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    paths = write_ranks(tmp_path, made(2))
    text, count = re.subn(old, new, paths[0].read_text(), count=1)
    assert count
    paths[0].write_text(text)
    with pytest.raises(BadUsageError, match=problem) as found:
        read_runs(paths)
    assert "\n" not in str(found.value)


def test_a_file_cut_off_in_its_messages_lacks_its_last_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(2)
    lines = rank_lines(run, 0)
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(f"{line}\n" for line in [*lines, *lines[:-1]]))
    with pytest.raises(BadUsageError, match="1 is not given"):
        read_runs([path])
    (warning,) = capsys.readouterr().err.splitlines()
    assert "left out" in warning


def test_only_what_is_missing_at_the_end_is_cut_off(tmp_path: Path) -> None:
    """A trace without its messages before another, and one message too many, are other errors."""
    lines = rank_lines(made(2), 0)
    start = next(n for n, line in enumerate(lines) if "pollux-messages" in line)
    path = tmp_path / "both.jsonl"
    for wrong, words in (
        ([*lines[:start], *lines], "line 1: the trace is not whole: its messages are missing"),
        ([*lines, *lines[:start], *lines], f"line {len(lines) + 1}: the trace is not whole: its"),
        ([*lines, *lines, lines[-1]], f"line {2 * len(lines) + 1}: .* lines instead of"),
    ):
        path.write_text("".join(f"{line}\n" for line in wrong))
        with pytest.raises(BadUsageError, match=words):
            read_runs([path])


def test_perfetto_groups_by_rank_and_has_an_arrow_for_each_message(tmp_path: Path) -> None:
    run = made()
    trace = merged(write_ranks(tmp_path, run))
    events = json.loads(perfetto_json(make_view([trace])))["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert [f"rank {r} on node{r}" in names[r + 1] for r in range(3)] == [True] * 3
    slices = [e for e in events if e["ph"] == "X"]
    kernels = [e for e in slices if e["cat"] == "kernel"]
    assert sorted((e["pid"] - 1) * 2 + e["tid"] for e in kernels) == sorted(trace.thread.tolist())
    leaving = {e["id"]: e for e in events if e["ph"] == "s"}
    arriving = {e["id"]: e for e in events if e["ph"] == "f"}
    assert len(leaving) == len(arriving) == len(run.messages)
    for number, source in leaving.items():
        for end, what in ((source, "send"), (arriving[number], "receive")):
            [own] = [
                s
                for s in slices
                if (s["pid"], s["tid"]) == (end["pid"], end["tid"])
                and s["ts"] <= end["ts"] < s["ts"] + s["dur"]
            ]
            assert own["name"].startswith(what)
            assert own["args"]["from" if what == "send" else "to"] == end["pid"] - 1
    by_track: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for s in slices:
        by_track.setdefault((s["pid"], s["tid"]), []).append((s["ts"], s["ts"] + s["dur"]))
    for spans in by_track.values():
        spans.sort()
        assert all(a[1] <= b[0] + 1e-6 for a, b in itertools.pairwise(spans))


def test_rows_are_the_fewest_in_which_nothing_overlaps() -> None:
    begin, end = np.array([0, 2, 5, 1]), np.array([4, 6, 7, 2])
    assert packed_rows(begin, end).tolist() == [0, 1, 0, 1]


def test_the_lane_of_messages_shows_when_some_were_under_way(tmp_path: Path) -> None:
    run = made()
    trace = merged(write_ranks(tmp_path, run))
    assert trace.ranks is not None
    laned = with_lane(trace, trace.ranks)
    assert laned.threads == 9
    assert laned.ranks is not None
    assert [laned.ranks.name_of(t) for t in range(6)] == ["0.0", "0.1", "0.m", "1.0", "1.1", "1.m"]
    own = laned.kernel == laned.kernels.index("message")
    for rank in range(3):
        lane = own & (laned.thread == 3 * rank + 2)
        shown = np.zeros(run.end, bool)
        for a, b in zip(laned.start[lane], laned.end[lane], strict=True):
            assert not shown[a:b].any()
            shown[a:b] = True
        meant = np.zeros(run.end, bool)
        for m in run.messages:
            if m.receiver == rank:
                meant[m.sent : m.received] = True
        assert (shown == meant).all()
    assert (~own).sum() == len(trace)


def test_messages_are_of_steps_but_no_kernels_of_them(tmp_path: Path) -> None:
    """Neither those that come late, nor those of single columns of the matrix."""
    run = made()
    late = replace(run.messages[-1], tile=(0, 0), sent=run.end - 90, received=run.end - 20)
    run.messages.append(late)
    trace = merged(write_ranks(tmp_path, run))
    assert trace.ranks is not None
    m = trace.ranks.messages
    m.what[::2] = CANDIDATE
    m.i[::2] = m.j[::2] = trace.instance.nb * np.minimum(m.i, m.j)[::2] + 3
    laned = with_lane(trace, trace.ranks)
    is_message = laned.kernel == laned.kernels.index("message")
    assert set(laned.step[is_message]) <= set(trace.step)
    for shown, meant in zip(step_spans(laned), step_spans(trace), strict=True):
        assert shown.tolist() == meant.tolist()
    begun = panels(laned)
    assert laned.start[begun].tolist() == trace.start[panels(trace)].tolist()
    assert not (begun & is_message).any()


def test_charts_draw_the_messages(tmp_path: Path) -> None:
    run = made(2)
    paths = write_ranks(tmp_path, run)
    app = typer.Typer(rich_markup_mode=None)
    app.command()(gantt)
    formats = [f"--format={kind}" for kind in ("svg", "html", "paje")]
    out = tmp_path / "out"
    assert app([*map(str, paths), *formats, "--output", str(out)], standalone_mode=False) == 0
    svg = (out / "gantt.svg").read_text()
    assert 'id="messages"' in svg
    assert ">1.m<" in svg
    assert "2 ranks of 2 threads" in svg
    page = (out / "gantt.html").read_text()
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    messages = data["traces"][0]["messages"]
    numbers = np.frombuffer(gzip.decompress(base64.b64decode(messages["packed"])), "<i4")
    source, target, sent, received, _, _ = numbers.reshape(6, -1)
    found = sorted(zip(sent, received, source // 3, target // 3, strict=True))
    assert found == sorted((m.sent, m.received, m.sender, m.receiver) for m in run.messages)
    assert messages["lanes"] == ["0.0", "0.1", "0.m", "1.0", "1.1", "1.m"]
    assert '"thread 1.m"' in (out / "gantt.paje.trace").read_text()


def test_captions_speak_of_lines_only_where_there_are_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view([merged(write_ranks(tmp_path, made(2)))])
    assert "Lines lead from" in caption_of(view)
    assert "Lines lead from" in caption_of(view, is_page=True)
    monkeypatch.setattr(layout, "ARROWS_MOST", 3)
    monkeypatch.setattr(layout, "ARROWS_ON_PAGE", 4)
    assert "With at most 3 messages of a run in view" in caption_of(view)
    assert "--from and --to show fewer" in caption_of(view)
    assert "With at most 4 messages of a run in view" in caption_of(view, is_page=True)
    assert view.traces[0].ranks is not None
    first = int(view.traces[0].ranks.messages.sent.min())
    assert "Lines lead from" in caption_of(make_view(view.traces, end=first + 1))
    assert f"const ARROWS = {ARROWS_ON_PAGE};" in own("gantt_runs.js")
