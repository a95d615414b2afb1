# SPDX-License-Identifier: BSD-3-Clause
"""The report on micro-benchmarks: times in tables of their own, figures, commands that repeat."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from micro_campaigns import configuration, write_micro_campaign
from micro_runs import REASON
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.errors import BadUsageError
from pollux.machine.conformance.stored import StoredGate, sort_files
from pollux.output.figures.costs import plan_costs
from pollux.output.figures.selection import Request
from pollux.output.report import pictures
from pollux.output.report.page import make_page
from pollux.output.report.reproduce import commands
from synthetic import write_campaign

OWN = {"executable": "build/bin/task-overhead", "arguments": ["--pattern", "chain"]}
TIMES = [
    (configuration(runtime, pattern, **OWN), ns)
    for pattern in ("chain", "fan-in")
    for runtime, ns in (("libgomp", 400.0), ("libomp", 300.0))
]


def result_of(folder: Path, *, with_rates: bool = False) -> Result:
    write_micro_campaign(folder / "t.jsonl", TIMES, rounds=12)
    write_campaign(folder / "r.jsonl", {"libgomp": 1.0, "libomp": 1.2})
    paths = [folder / "t.jsonl", *([folder / "r.jsonl"] if with_rates else [])]
    return compare(load(paths))


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def test_each_quantity_has_a_table_and_its_figures_are_pictures(tmp_path: Path) -> None:
    result = result_of(tmp_path)
    page = make_page(result)
    times = section(page, "times")
    assert re.findall(r"<summary>(task-overhead: \w+)", times) == [
        "task-overhead: ns_per_task",
        "task-overhead: creation",
        "task-overhead: release",
    ]
    assert REASON in times
    assert 'alt="task-overhead-costs-2-threads"' in times
    row = next(r for r in result.rows if r.level == "libomp" and r.figure)
    assert row.figure is not None and f"{row.figure.estimate:.1f} (" in times
    assert "<dt>processes</dt><dd>48</dd>" in page
    assert "<dt>configurations</dt><dd>4</dd>" in page


def test_it_is_told_how_many_figures_are_not_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = result_of(tmp_path)
    every = section(make_page(result), "times")
    assert "pollux plot" not in every
    monkeypatch.setattr(pictures, "MOST", 2)
    times = section(make_page(result), "times")
    more = every.count("<img") - times.count("<img")
    assert more > 1 and f"pollux plot --kind all draws {more} more figures" in times


def test_without_speeds_the_page_has_no_plots_of_them(tmp_path: Path) -> None:
    page = make_page(result_of(tmp_path))
    assert section(page, "plots") == "" and 'id="plotly"' not in page
    assert "GFlop/s" not in section(page, "speeds")


def test_beside_speeds_each_has_its_section(tmp_path: Path) -> None:
    page = make_page(result_of(tmp_path, with_rates=True))
    assert "cholesky" in section(page, "speeds") and "cholesky" not in section(page, "times")
    assert "task-overhead" not in section(page, "speeds").partition("</table>")[2]
    assert section(page, "plots") != ""


def test_a_configuration_has_one_command_whatever_its_quantities(tmp_path: Path) -> None:
    found = commands(result_of(tmp_path))
    assert [(own.runtime, own.count) for own in found] == [("libgomp", 2), ("libomp", 2)]
    first = found[0].text.splitlines()[:2]
    assert first == [
        "# task-overhead chain 256 tasks 2 threads",
        "build/bin/task-overhead --pattern chain --seed 1",
    ]


def test_the_terms_by_runtime_come_first_and_their_figure_too(tmp_path: Path) -> None:
    times = section(make_page(result_of(tmp_path)), "times")
    first = times.partition("<details")[0]
    assert "term, ns" in first and "libomp (19)" in first and "ns_per_task, chain" in first
    assert re.findall(r'alt="([^"]+)"', times)[0] == "task-overhead-terms"


def test_rows_are_told_apart_where_another_axis_is_compared(tmp_path: Path) -> None:
    times = [
        (configuration(runtime, "chain", environment=wait, **OWN), ns)
        for runtime in ("libgomp", "libomp")
        for wait, ns in (("passive", 400.0), ("active", 300.0))
    ]
    write_micro_campaign(tmp_path / "t.jsonl", times, rounds=12)
    page = make_page(compare(load([tmp_path / "t.jsonl"]), by="environment"))
    table = section(page, "times").partition("<details")[2].partition("</table>")[0]
    rows = [re.sub("<[^>]+>", " ", row).split() for row in table.split("<tr>")[2:]]
    assert sorted(row[3:5] for row in rows) == [
        *(["active", "libgomp"], ["active", "libomp"]),
        *(["passive", "libgomp"], ["passive", "libomp"]),
    ]


def test_samples_of_disturbed_blocks_are_counted_and_hollow(tmp_path: Path) -> None:
    write_micro_campaign(
        tmp_path / "t.jsonl", TIMES, rounds=12, until_decided=0.03, disturbed_rounds=(2, 5, 6)
    )
    result = compare(load([tmp_path / "t.jsonl"]))
    times = section(make_page(result), "times").partition("<details")[2]
    assert "in disturbed blocks" in times and "process to process" in times
    rows = times.partition("</details>")[0].split("<tr>")[2:]
    assert len(rows) == 4
    marked = re.compile(r'process">[\d.]+\s%.*samples">12<.*blocks">3\s', re.DOTALL)
    assert all(map(marked.search, rows)), rows[0]
    (figure,) = plan_costs(Request(result)).figures()
    clouds = [c for c in figure.axes[0].collections if isinstance(c, PathCollection)]
    hollow = [[alpha == 0 for *_, alpha in np.asarray(c.get_facecolor())] for c in clouds]
    assert len(hollow) == 4 and all(own == [r in (2, 5, 6) for r in range(12)] for own in hollow)
    assert any("samples of disturbed blocks" in text.get_text() for text in figure.texts)


def test_samples_that_failed_are_not_counted_as_disturbed(tmp_path: Path) -> None:
    failing = [TIMES[0][0]]  # in rounds 0 to 4
    write_micro_campaign(
        tmp_path / "t.jsonl", TIMES, rounds=12, failing=failing, disturbed_rounds=(2, 5, 6)
    )
    times = section(make_page(compare(load([tmp_path / "t.jsonl"]))), "times")
    rows = times.partition("<details")[2].partition("</details>")[0].split("<tr>")[2:]
    counts = [re.findall(r'blocks">(\d+)', row) for row in rows]
    assert counts == [["2"], ["3"], ["3"], ["3"]]


def test_a_gate_among_the_files_is_told_above_all_speeds(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", TIMES, rounds=12)
    change: dict[str, str | None] = {
        "target": "libomp",
        "rule": "inout",
        "kind": "new",
        "verdict": "broken",
    }
    change |= {"before": "kept", "reason": None, "detail": "task 3 <b>ran</b>", "replay": None}
    answer = "FAILED: libomp against libgomp: 1 new failure (inout broken)"
    gate = StoredGate.model_validate({"answer": answer, "status": "failed", "changes": [change]})
    page = make_page(compare(load([tmp_path / "t.jsonl"])), gates=[gate])
    assert page.index(answer) < page.index('<section id="speeds">')
    told = section(page, "conformance")
    assert answer in told and "new: libomp inout: broken, was kept" in told
    assert "&lt;b&gt;ran" in told and "<b>ran" not in told


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"schema": "pollux-compare/1"}', "[]"])
def test_json_that_is_no_result_of_conform_is_refused_in_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BadUsageError, match=r"report: .*x\.json holds"):
        sort_files([tmp_path / "t.jsonl", tmp_path / "x.json"])
