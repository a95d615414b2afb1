# SPDX-License-Identifier: BSD-3-Clause
"""The report: what is on the page, that nothing else is needed, and that names stay text."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.errors import BadUsageError
from pollux.output.commands.report import report
from pollux.output.report import data, identity, reproduce, tables
from pollux.output.report.page import make_page
from run_record import Cell, record
from synthetic import append, write_campaign

LIMIT = 5_000_000  # bytes of a page that can still be sent by mail
HOSTILE = "</script><script>alert(1)</script>"
BOLD = "<b>bold</b>&amp;"
CELLS: list[Cell] = [
    ("cholesky", variant, size, tile)
    for variant in ("seq", "depend", "cw")
    for size in (1024, 2048)
    for tile in (128, 192)
]


class Page(HTMLParser):
    """Elements, and the text outside of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.within = ""
        self.feed(html)
        self.text = " ".join(" ".join(self.texts).replace("\u00a0", " ").split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.within = tag

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within not in ("script", "style"):
            self.texts.append(data)

    def names(self) -> list[str]:
        return [name for name, _ in self.elements]


def result_of(path: Path) -> Result:
    return compare(load([path]))


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Three runtimes, one of which hangs in one variant; two disturbed rounds."""
    path = tmp_path / "trial.jsonl"
    write_campaign(
        path,
        {"libgomp": 1.0, "libomp": 1.1, "other": 0.9},
        CELLS,
        rounds=8,
        outcomes={("libomp", "cw"): Outcome.HANG, ("other", "seq"): Outcome.CRASH},
        disturbed_rounds=(3, 6),
    )
    return path


def test_the_answer_and_the_failures_come_before_any_speed(campaign: Path) -> None:
    result = result_of(campaign)
    text = Page(make_page(result)).text
    answer = text.index(" ".join(result.headline.replace("\u00a0", " ").split()))
    assert answer < text.index("something went wrong") < text.index("Speeds Ratios")


def test_figures_of_a_benchmark_have_a_table_with_their_medians(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    for number, rate in enumerate((10.5, 30.5, 20.5)):
        figures = {"blocks": 28, "stream_gbytes_per_second": rate, "gbytes": None}
        append(path, record(("lu", "depend", 64, 16), "libgomp", number, 5.0, figures=figures))
    append(path, record(("qr", "depend", 64, 16), "libgomp", 0, 5.0))
    text = Page(make_page(result_of(path))).text
    assert text.count("Figures of ") == text.count("Figures of lu, medians of the samples") > 0
    assert "N NB threads blocks stream GB/s lu depend libgomp 64 16 2 28 20.50 " in text


def test_what_matters_before_quoting_stands_between_the_answer_and_the_speeds(
    campaign: Path,
) -> None:
    text = Page(make_page(result_of(campaign))).text
    speeds = text.index("Speeds Ratios")
    assert text.index(result_of(campaign).warnings[0]) < speeds
    assert text.index("Before quoting these numbers") < speeds


def test_every_failure_is_on_the_page_with_its_details(campaign: Path) -> None:
    result = result_of(campaign)
    text = Page(make_page(result)).text
    assert len(result.failures) == 8
    trouble = text[text.index("Failures and what could not run") :]
    for failure in result.failures:
        assert f"{failure.row.cell}, {failure.row.level}: {failure.problem}" in trouble
    assert trouble.count("the stacks") == 4  # of each configuration that hangs


def test_every_row_is_in_a_table_with_its_verdict(campaign: Path) -> None:
    result = result_of(campaign)
    (table,) = tables.row_tables(result)
    assert len(table.rows) == len(result.rows) == 36
    text = Page(make_page(result)).text
    for row in result.rows:
        assert row.comparison.words.replace("\u00a0", " ") in text


@pytest.mark.parametrize(
    ("summary", "overrides", "quoted"),
    [
        ("LU at N = 1536.", [], "LU at N = 1536."),
        ("LU at N = 1536.", ["size=4096", "variant=cw"], "trial with size=4096, variant=cw"),
        ("LU at N = 4096.", ["size=4096", "summary=LU at N = 4096."], "LU at N = 4096."),
    ],
)
def test_the_page_quotes_a_summary_of_what_was_run(
    campaign: Path, summary: str, overrides: list[str], quoted: str
) -> None:
    head, rest = campaign.read_text().split("\n", 1)
    start = json.loads(head) | {"summary": summary, "overrides": overrides}
    campaign.write_text(f"{json.dumps(start)}\n{rest}")
    assert f'<p class="summary">{quoted}</p>' in make_page(result_of(campaign))


def test_a_page_of_many_files_names_the_first(tmp_path: Path) -> None:
    paths = [tmp_path / f"2026-01-{day:02}.jsonl" for day in range(1, 13)]
    for path in paths:
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, CELLS[:1], rounds=2)
    page = Page(make_page(compare(load(paths))))
    assert page.text.count("2026-01-01, 2026-01-02, 2026-01-03 and 9 more") == 2  # title, heading
    assert "2026-01-02.jsonl, 2026-01-03.jsonl and 9 more" in page.text
    gcc = "libgomp (2026-01-01), libgomp (2026-01-02), libgomp (2026-01-03) and 9 more"
    clang = gcc.replace("libgomp", "libomp")
    assert f"compilers differ: gcc {gcc}; clang {clang}; a difference" in page.text


def test_verdicts_are_worded_and_marked_besides_their_colour(campaign: Path) -> None:
    for row in result_of(campaign).rows:
        cell = tables.verdict_cell(row.comparison)
        assert cell.text[0] in tables.MARKS.values()
        assert len(cell.text) > 3


def test_the_page_needs_no_other_file(campaign: Path) -> None:
    page = Page(make_page(result_of(campaign)))
    for _, attributes in page.elements:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert not {"link", "img", "iframe", "object"} & set(page.names())
    policies = [a["content"] for _, a in page.elements if a.get("http-equiv")]
    assert [policy for policy in policies if policy and "default-src 'none'" in policy]


def test_names_from_records_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_campaign(path, {"libgomp": 1.0, HOSTILE: 1.1, BOLD: 0.9}, rounds=6)
    html = make_page(result_of(path))
    page = Page(html)
    assert page.names().count("script") == 3  # data, plotly, our own
    assert "b" not in page.names()
    assert HOSTILE in page.text
    assert BOLD in page.text


def test_packed_data_cannot_end_its_element() -> None:
    letters = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert set(data.pack(HOSTILE.encode() * 100)) <= letters


def identity_lines(dataset: Dataset) -> dict[tuple[str, str], bool]:
    groups = identity.side_by_side(dataset)
    return {(group.name, line.name): line.differs for group in groups for line in group.lines}


def test_what_differs_between_builds_is_marked_and_nothing_else(campaign: Path) -> None:
    differs = identity_lines(load([campaign]))
    for name in ("name", "version", "path", "build id", "expected runtime"):
        assert differs["OpenMP runtime", name]
    assert differs["compiler", "name"]
    assert differs["files", "executable"]
    assert not differs["OpenMP runtime", "ABI"]
    assert not any(marked for (group, _), marked in differs.items() if group in ("BLAS", "host"))
    html = make_page(result_of(campaign))
    assert html.count("<mark>differs</mark>") == sum(differs.values()) + 1  # the legend


def test_a_runtime_that_never_ran_makes_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    outcomes = {("libomp", "depend"): Outcome.CRASH}
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=3, outcomes=outcomes)
    differs = identity_lines(load([path]))
    assert not [name for (group, name), marked in differs.items() if marked and group != "files"]


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.CRASH])
def test_one_sample_or_none_that_is_valid_still_make_a_page(
    tmp_path: Path, outcome: Outcome
) -> None:
    path = tmp_path / "x.jsonl"
    outcomes = {("libgomp", "depend"): outcome}
    write_campaign(path, {"libgomp": 1.0}, rounds=1, outcomes=outcomes)
    text = Page(make_page(result_of(path))).text
    assert ("a planted crash" in text) == (outcome is Outcome.CRASH)
    assert "nan" not in text.lower().split()


def test_plain_records_make_a_page(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    for seed in range(6):
        for runtime in ("libgomp", "libomp"):
            append(path, record(("lu", "depend", 512, 64), runtime, seed, 10.0 + seed / 10))
    text = Page(make_page(result_of(path))).text
    assert "the commands are not known" in text


def test_unavailable_configurations_are_listed_with_their_reason(campaign: Path) -> None:
    key = next(key for key, c in load([campaign]).configurations.items() if c.variant == "cw")
    own = key.partition(":")[2]
    lines = campaign.read_text().splitlines(keepends=True)
    campaign.write_text("".join(x for x in lines if f'"configuration":"{own}"' not in x))
    line = {"schema": "pollux-campaign/1", "event": "unavailable", "hash": own}
    append(campaign, {**line, "reason": "the compiler knows no <inoutset>"})
    assert "the compiler knows no <inoutset>" in Page(make_page(result_of(campaign))).text


def test_many_rows_are_grouped_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    cells: list[Cell] = [
        ("lu", variant, 1024, 32 * n) for variant in ("seq", "depend") for n in range(1, 91)
    ]
    write_campaign(path, {"libgomp": 1.0, "a": 1.1, "b": 0.9}, cells, rounds=6)
    result = result_of(path)
    html = make_page(result)
    assert [len(table.rows) for table in tables.row_tables(result)] == [270, 270]
    assert Page(html).names().count("details") >= 2
    assert html.count("<th scope=row>") == 540 + len(result.overall)
    assert len(html.encode()) < LIMIT


def test_commands_can_be_pasted_whatever_they_hold(campaign: Path) -> None:
    result = result_of(campaign)
    first, c = next(iter(result.dataset.configurations.items()))
    changes = {
        "variables": {"OMP_PLACES": "{0}; $(false)"},
        "executable": "a build/bin/lu",
        "environment": "x\nrm -rf y",
    }
    result.dataset.configurations[first] = Configuration(**{**c.model_dump(), **changes})
    listed = reproduce.commands(result)[0].text.splitlines()
    assert "x rm -rf y" in listed[0]
    assert listed[0].startswith("# ")
    assert listed[1].startswith("OMP_PLACES='{0}; $(false)' 'a build/bin/lu' --variant seq")
    assert listed[1].endswith("--seed 100")


def test_commands_begin_with_the_launcher(campaign: Path) -> None:
    result = result_of(campaign)
    first, c = next(iter(result.dataset.configurations.items()))
    own = c.model_copy(update={"launcher": ("mpirun", "-n", "4")})
    result.dataset.configurations[first] = own
    assert f"mpirun -n 4 {c.executable} " in reproduce.commands(result)[0].text.splitlines()[1]


def test_commands_repeat_as_often_as_the_campaign_chose(campaign: Path) -> None:
    result = result_of(campaign)
    first, c = next(iter(result.dataset.configurations.items()))
    for stated, ending in (("3", "--seed 100 --repeat 1"), ("1", "--seed 100")):
        arguments = [*c.arguments, "--repeat", stated]
        result.dataset.configurations[first] = c.model_copy(update={"arguments": arguments})
        assert reproduce.commands(result)[0].text.splitlines()[1].endswith(ending)


def repeat_a_disturbed_sample(path: Path) -> None:
    """Append another attempt at a sample of round 3, whose block is disturbed."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    block = next(line for line in lines if line["event"] == "block" and line["block"] == 3)
    sample = next(s for s in lines if s["event"] == "sample" and s["round"] == 3 and s["records"])
    append(path, {**block, "block": 99, "repeats": 3})
    append(path, {**sample, "block": 99, "attempt": 1})


def test_each_way_in_which_a_campaign_was_started_can_be_pasted(tmp_path: Path) -> None:
    first = ("x", ["tile=[64, 128]"])
    ways = {"a": first, "b": ("x", ["tile=[32]"]), "c": ("X", ["tile=[32]"]), "d": first}
    for name, (text, overrides) in ways.items():
        path = tmp_path / f"{name}.jsonl"
        write_campaign(path, {"libgomp": 1.0}, rounds=1)
        start, _, others = path.read_text().partition("\n")
        changes = {"text": f"# {text}", "overrides": overrides, "environment": {"A": text + " y"}}
        path.write_text(f"{json.dumps(json.loads(start) | changes)}\n{others}")
    html = make_page(compare(load([tmp_path / f"{name}.jsonl" for name in ways])))
    told = Page(html[html.index('<section id="reproduce">') :]).text
    expected = {"--set 'tile=[64, 128]'": 1, "--set 'tile=[32]'": 2, "# x": 2, "# X": 1}
    expected |= {"A='x y'": 2, "A='X y'": 1}
    assert {text: told.count(text) for text in expected} == expected


def test_without_a_row_nothing_is_said_to_be_below(campaign: Path) -> None:
    assert 'href="#times"' not in make_page(replace(result_of(campaign), rows=[]))


def test_the_plots_hold_every_valid_sample_and_know_the_replaced(campaign: Path) -> None:
    repeat_a_disturbed_sample(campaign)
    result = result_of(campaign)
    drawn = data.chart_data(result)
    valid = [s for s in result.dataset.samples if s.speed is not None]
    assert sum(len(samples[1]) for samples in drawn["samples"]) == len(valid)
    replaced = sum(len(samples[3]) for samples in drawn["samples"])
    assert replaced == len(result.dataset.samples) - len(result.dataset.used) == 1
    assert sum(block[5] is not None for block in drawn["blocks"]) == 2


def test_tall_tiles_are_values_of_their_own(tmp_path: Path) -> None:
    cells: list[Cell] = [("lu", "depend", 2048, t) for t in ("1024x128", 256, 128, "512x128")]
    path = tmp_path / "trial.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, cells)
    result = result_of(path)
    drawn = data.chart_data(result)
    (axis,) = [axis for axis in drawn["axes"] if axis["key"] == "tile"]
    assert axis["values"] == ["128", "256", "512x128", "1024x128"]
    assert {row[2] for row in drawn["rows"]} == {128, 256, "512x128", "1024x128"}
    (table,) = tables.row_tables(result)
    at = [cell.text for cell in table.headings].index("NB")
    assert {row[at].text for row in table.rows} == {"128", "256", "512x128", "1024x128"}


def test_the_command_writes_beside_the_records_and_prints_the_path(
    campaign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report([campaign]) == 0
    assert capsys.readouterr().out == f"{campaign.with_suffix('.html')}\n"
    assert campaign.with_suffix(".html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert sorted(path.name for path in campaign.parent.iterdir()) == ["trial.html", "trial.jsonl"]


@pytest.mark.parametrize("output", ["missing/x.html", ".", "trial.jsonl", "/proc/x.html"])
def test_a_file_that_cannot_be_written_is_one_clear_line(campaign: Path, output: str) -> None:
    before = campaign.read_bytes()
    with pytest.raises(BadUsageError) as caught:
        report([campaign], output=campaign.parent / output)
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.format_message()
    assert campaign.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "name", "words"),
    [
        ("output", "page.pdf", "a report is an HTML page; name it"),
        ("conformance", "missing", "no results there"),
        ("conformance", ".", "no results there"),
    ],
)
def test_what_would_have_no_effect_is_refused(
    campaign: Path, option: str, name: str, words: str
) -> None:
    asked: dict[str, Any] = {option: campaign.parent / name}
    with pytest.raises(BadUsageError, match=words):
        report([campaign], **asked)
    assert [path.name for path in campaign.parent.iterdir()] == [campaign.name]
