# SPDX-License-Identifier: BSD-3-Clause
"""The table of terms over versions says what the lines of all comparisons say, in fewer lines."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from micro_campaigns import FAILED, configuration, overhead, write_micro_campaign
from plotted import run_plot
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result, Verdict
from pollux.core.analysis.terms import ROWS, ROWS_OF_TERMS, Term, table_of
from pollux.core.campaign.lines import Configuration
from pollux.core.commands.compare_output import csv_text, json_text, markdown
from pollux.core.commands.compare_terms import SIGNS
from pollux.core.commands.compare_text import write_comparison
from pollux.output.figures.kinds import plans_for
from pollux.output.figures.selection import Request
from pytest import approx
from terminals import WIDTHS, assert_readable, written

# As a user names them, the version of each in its place; the reference is in the middle.
VERSIONS = {"libomp": (19, 300.0), "clang+libomp9": (9, 390.0), "clang+libomp100": (100, 303.0)}
IN_ORDER = ["clang+libomp9", "libomp", "clang+libomp100"]


def of_version(c: Configuration, ns: float) -> dict[str, Any]:
    made = overhead(c, ns)
    made["runtime"] |= {"name": "libomp", "version": str(VERSIONS[c.runtime][0])}
    return made


def result_of(folder: Path, patterns: list[str], threads: tuple[int, ...] = (2,)) -> Result:
    sides = [
        (configuration(name, pattern, threads=team), ns * team)
        for pattern in patterns
        for team in threads
        for name, (_, ns) in VERSIONS.items()
    ]
    write_micro_campaign(folder / "t.jsonl", sides, make=of_version)
    return compare(load([folder / "t.jsonl"]))


def the(rows: list[Term], quantity: str) -> Term:
    (found,) = (row for row in rows if row.quantity == quantity)
    return found


def test_versions_stand_in_their_order_whatever_their_labels(tmp_path: Path) -> None:
    result = result_of(tmp_path, ["chain"])
    assert result.reference == "libomp"
    assert table_of(result).levels == IN_ORDER
    text = written(lambda console: write_comparison(console, result, []), 120)
    head = next(line for line in text.splitlines() if line.startswith("term, ns"))
    assert head.split() == ["term,", "ns", "clang+libomp9", "libomp", "(19)", "clang+libomp100"]


def test_a_single_cell_shows_its_own_time_ratio_and_verdict(tmp_path: Path) -> None:
    result = result_of(tmp_path, ["chain"])
    rows = table_of(result).rows
    assert [row.quantity for row in rows] == ["ns_per_task", "creation", "release"]
    for row in result.rows:
        own = the(list(rows), str(row.configuration.quantity)).levels[row.level]
        assert row.figure is not None and own.time == row.figure.estimate
        assert own.ratio == (row.comparison.ratio.estimate if row.comparison.ratio else None)
        assert own.verdicts == {row.comparison.verdict: 1}
    text = written(lambda console: write_comparison(console, result, []), 120)
    for row in result.rows:
        if row.comparison.ratio:
            shown = f"{row.comparison.ratio.estimate:.3f} {SIGNS[row.comparison.verdict]}"
            assert shown in text


@pytest.mark.parametrize("alone", [True, False])
def test_rows_name_a_size_and_an_environment_only_where_these_tell_them_apart(
    tmp_path: Path, alone: bool
) -> None:
    cells = [("chain", 256, "bound"), ("fan-in", 512, "passive")]
    cells += [] if alone else [("chain", 512, "bound"), ("chain", 256, "passive")]
    sides = [
        (configuration(name, pattern, size=size, environment=environment), 1000.0)
        for pattern, size, environment in cells
        for name in VERSIONS
    ]
    write_micro_campaign(tmp_path / "t.jsonl", sides, make=of_version)
    table = table_of(compare(load([tmp_path / "t.jsonl"])))
    names = {row.name for row in table.rows if row.quantity == "ns_per_task"}
    if alone:
        assert names == {("chain",), ("fan-in",)}
    else:
        assert names == {
            (pattern, f"{size} tasks", environment) for pattern, size, environment in cells
        }


def test_many_cells_are_counted_by_verdict_in_a_screen_of_rows(tmp_path: Path) -> None:
    patterns = ["chain", *(f"pattern-{k}" for k in range(8))]
    result = result_of(tmp_path, patterns, threads=(1, 2))
    table = table_of(result)
    assert len(table.rows) <= ROWS_OF_TERMS
    assert {term.name for term in table.rows} == {("1 thread",), ("2 threads",)}
    for term in (row for row in table.rows if row.quantity != "release"):
        assert len(term.cells) == 9
        own = [cell["clang+libomp9"] for cell in term.cells]
        assert term.levels["clang+libomp9"].verdicts == {Verdict.WORSE: 9}
        times = [row.figure.estimate for row in own if row.figure]
        product = 1.0
        for time in times:
            product *= time
        assert term.levels["clang+libomp9"].time == approx(product ** (1 / 9))
    text = written(lambda console: write_comparison(console, result, []), 120)
    assert "▼9" in text
    every = written(lambda console: write_comparison(console, result, [], long=True), 120)
    assert len(every.splitlines()) > 3 * 9 * 2 > len(text.splitlines())


def test_a_quantity_that_is_asked_for_is_shown_though_it_decides_nothing(tmp_path: Path) -> None:
    sides = [
        (configuration(name, f"pattern-{k}", threads=team), VERSIONS[name][1])
        for k in range(1 + ROWS // 2)
        for team in (1, 2)
        for name in IN_ORDER
    ]
    write_micro_campaign(tmp_path / "t.jsonl", sides, make=of_version, rounds=6, until_decided=0.03)
    whole = load([tmp_path / "t.jsonl"])
    assert "creation" not in whole.decide
    table = table_of(compare(narrow(whole, {"quantity": ["creation"]})))
    assert {row.quantity for row in table.rows} == {"creation"}
    assert sum(len(row.cells) for row in table.rows) == len(sides) // len(IN_ORDER) > ROWS


def test_a_time_that_one_version_lacks_is_left_out_for_all_and_counted(tmp_path: Path) -> None:
    """Else the means of two columns would be over different cells."""
    result = result_of(tmp_path, ["chain", *(f"pattern-{k}" for k in range(12))], threads=(1, 2))
    for row in list(result.rows):
        c = row.configuration
        lacking = "pattern-3", 2, "creation", "clang+libomp9"
        if (c.variant, c.threads, c.quantity, row.level) == lacking:
            result.rows.remove(row)
    found = {(r.quantity, r.name): r for r in table_of(result).rows}
    creation = found["creation", ("2 threads",)]
    assert len(creation.cells) == 12 and creation.left_out == 1
    assert creation.levels["libomp"].verdicts == {Verdict.REFERENCE: 12}
    assert found["ns_per_task", ("2 threads",)].left_out == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("threads", [(2,), (1, 2)])
def test_the_table_fits_a_terminal(tmp_path: Path, width: int, threads: tuple[int, ...]) -> None:
    result = result_of(tmp_path, ["chain", "fan-in", "stencil"], threads)
    assert_readable(lambda console: write_comparison(console, result, []), width)


def test_json_has_every_comparison_and_markdown_the_table(tmp_path: Path) -> None:
    result = result_of(tmp_path, ["chain", "fan-in"])
    assert len(json.loads(json_text(result, None))["rows"]) == len(result.rows)
    short, long = markdown(result, []), markdown(result, [], long=True)
    assert re.search(r"\| term, ns \| clang\+libomp9 \| libomp \(19\) \|", short)
    assert "ratio \\[95 %\\]" in long and "term, ns" not in long


def test_a_figure_of_terms_has_a_point_for_each_median_in_the_order_of_versions(
    tmp_path: Path,
) -> None:
    result = result_of(tmp_path, ["chain", "fan-in"])
    (plan,) = plans_for(Request(result), ["terms"])
    (figure,) = plan.figures()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["time per task", "creation of a task", "release of a task"]
    ticks = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert ticks == ["clang+libomp9", "libomp (19)", "clang+libomp100"]
    drawn = {tuple(np.asarray(line.get_ydata(), float).tolist()) for line in figure.axes[0].lines}
    medians = {
        tuple(r.figure.estimate for name in IN_ORDER for r in result.rows
              if r.figure and r.level == name and r.configuration.variant == pattern
              and r.configuration.quantity == "ns_per_task")
        for pattern in ("chain", "fan-in")
    }  # fmt: skip
    assert drawn == medians


def test_terms_are_drawn_without_being_asked_for(tmp_path: Path) -> None:
    result_of(tmp_path, ["chain"])
    assert run_plot(tmp_path / "t.jsonl", "--output", tmp_path / "a", "--format", "png") == 0
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"task-overhead-terms.png", "task-overhead-creation-ratios.png"} <= names


def test_where_all_runs_failed_there_is_no_table_of_terms(tmp_path: Path) -> None:
    sides = [(configuration(name, "chain"), 300.0) for name in ("libgomp", "libomp")]
    failing = [side for side, _ in sides]
    write_micro_campaign(tmp_path / "t.jsonl", sides, rounds=FAILED, failing=failing)
    result = compare(load([tmp_path / "t.jsonl"]))
    text = written(lambda console: write_comparison(console, result, []), 120)
    for shown in (text, markdown(result, [])):
        assert "task 3 ran too early" in shown
        assert "term" not in shown


def test_csv_has_the_means_of_all_quantities(tmp_path: Path) -> None:
    result = result_of(tmp_path, ["chain", "fan-in"])
    terms = [replace(item, quantity="creation") for item in result.overall]
    result = replace(result, terms=terms)
    lines = csv.DictReader(csv_text(result).splitlines())
    means = [(line["quantity"], line["level"]) for line in lines if line["kind"] == "overall"]
    levels = [item.level for item in result.overall]
    assert means == [(name, level) for name in ("", "creation") for level in levels] and levels
