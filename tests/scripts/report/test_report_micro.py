# SPDX-License-Identifier: BSD-3-Clause
"""The report on micro-benchmarks: times in tables of their own, figures, commands that repeat."""

import re
from pathlib import Path

from micro_campaigns import configuration, write_micro_campaign
from micro_runs import REASON
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
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
