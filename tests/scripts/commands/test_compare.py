# SPDX-License-Identifier: BSD-3-Clause
"""Tests `pollux compare`: what it prints in which order, its formats and its exit status."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from pollux.core.analysis import comparison
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import End, Outcome, Stopped
from pollux.core.commands import compare_gate
from pollux.core.commands.compare import compare
from pollux.core.commands.compare_grid import columns, estimate, interval
from pollux.core.commands.compare_text import verdict_text, write_comparison
from pollux.core.commands.options import GateOptions, share
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.writing import write_output
from pollux_process import run_pollux
from rich.cells import cell_len
from rich.console import Console
from synthetic import write_campaign
from terminals import WIDE, WIDTHS, written
from typer.testing import CliRunner, Result

CELLS = [("cholesky", "depend", 2048, 192), ("lu", "depend", 1024, 128)]
TWO = {"libgomp": 1.0, "libomp": 1.1}
SLOW = {"libgomp": 1.0, "libomp": 0.9}

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
app.command()(compare)


def run(*arguments: object) -> Result:
    """Call the command as the command line does; its status is the command's return value."""
    runner = CliRunner(env={"COLUMNS": "130"})
    return runner.invoke(app, [str(a) for a in arguments], standalone_mode=False)


def campaign(tmp_path: Path, *args: Any, **options: Any) -> Path:  # noqa: ANN401
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, *args, **options)
    return path


def test_the_answer_comes_first_and_names_failures_which_come_next(tmp_path: Path) -> None:
    outcomes = {("libomp", "depend"): Outcome.CRASH}
    cells = [*CELLS, ("cholesky", "forkjoin", 2048, 192)]
    result = run(campaign(tmp_path, TWO, cells, outcomes=outcomes))
    assert result.return_value == 1
    lines = result.stdout.strip().splitlines()
    assert lines[0].startswith("2 configurations failed; of the rest: libomp is faster")
    assert lines[1] == ""
    assert "15 × crash: a planted crash" in lines[2]


def test_slower_is_no_failure_by_itself(tmp_path: Path) -> None:
    path = campaign(tmp_path, SLOW, CELLS)
    assert run(path).return_value == 0
    gated = run(path, "--fail-if-slower", "3%")
    assert gated.return_value == 1
    assert "slower by more than 3 %: libomp over 2 cells (10." in gated.stdout
    last = gated.stdout.splitlines()[-1]
    assert last.startswith("FAILED: slower by more than 3 % in 2 of 2 cells")
    assert run(path, "--fail-if-slower", "30 %").return_value == 0


def test_an_undecided_gate_says_so_last_and_has_a_status_of_its_own(tmp_path: Path) -> None:
    path = campaign(tmp_path, {"a": 1, "b": 1}, rounds=5)
    result = run(path, "--fail-if-slower", "3%")
    assert result.return_value == 4
    assert "undecided for a slowdown of 3 %: cholesky depend" in result.stdout
    assert result.stdout.splitlines()[-1] == (
        "UNDECIDED: no slowdown of more than 3 % in 0 of 1 cell; undecided in 1 "
        "(about 7 samples would decide)"
    )
    for choice, status in (("pass", 0), ("fail", 1)):
        chosen = run(path, "--fail-if-slower", "3%", "--undecided", choice)
        assert chosen.return_value == status


def test_a_gate_passes_only_if_every_cell_is_decided(tmp_path: Path) -> None:
    quiet = run(campaign(tmp_path, {"a": 1, "b": 1}, CELLS, noise=0.001), "--fail-if-slower", "3%")
    assert quiet.return_value == 0
    assert quiet.stdout.splitlines()[-1] == "PASSED: no slowdown of more than 3 % in 2 of 2 cells"


def test_no_difference_within_the_margin_passes_as_soon_as_it_is_decided(tmp_path: Path) -> None:
    """A campaign that has decided takes no more samples, whatever its gate would need."""
    decided = 0
    for rounds in range(5, 25, 4):
        path = campaign(tmp_path, {"a": 1, "b": 1}, rounds=rounds, noise=0.005, until_decided=0.03)
        shown = json.loads(run(path, "--format", "json", "--fail-if-slower", "3%").stdout)
        (row,) = (row for row in shown["rows"] if row["level"] == "b")
        if row["verdict"] == "no difference":
            decided += 1
            assert shown["gate"]["status"] == shown["gate"]["cells"][0]["status"] == "passed"
            tighter = run(path, "--format", "json", "--fail-if-slower", "0.1%")
            assert json.loads(tighter.stdout)["gate"]["status"] == "undecided"
    assert decided


def test_a_gate_with_nothing_to_compare_is_undecided(tmp_path: Path) -> None:
    alone = run(campaign(tmp_path, {"libgomp": 1}), "--fail-if-slower", "3%")
    assert alone.return_value == 4
    assert alone.stdout.splitlines()[-1] == "UNDECIDED: nothing is compared"


def test_a_gate_fails_where_a_run_failed(tmp_path: Path) -> None:
    outcomes = {("libomp", "depend"): Outcome.CRASH}
    failed = run(
        campaign(tmp_path, TWO, CELLS, outcomes=outcomes),
        *("--fail-if-slower", "3%", "--undecided", "pass"),
    )
    assert failed.return_value == 1
    assert failed.stdout.splitlines()[-1].startswith("FAILED: 2 configurations failed")


def test_the_table_fits_and_leaves_out_what_is_constant(tmp_path: Path) -> None:
    cells = [("cholesky", v, 2048, 192) for v in ("depend", "forkjoin")]
    result = run(campaign(tmp_path, {"libgomp": 1, "libomp": 1.001}, cells, noise=0.2))
    head = next(line for line in result.stdout.splitlines() if "GFlop/s" in line)
    assert " N " not in head and "threads" not in head and "variant" in head
    caption = next(line for line in result.stdout.splitlines() if "N = 2048" in line)
    assert "2 threads" in caption and "n = 15" in caption
    table = result.stdout[: result.stdout.index("N = 2048")].splitlines()
    assert max(map(len, table)) <= 130
    assert "? open" in result.stdout


def test_json_holds_everything_and_no_nan(tmp_path: Path) -> None:
    path = campaign(tmp_path, TWO, CELLS, rounds=3)
    begin, last, end = path.read_text().rpartition('{"schema":"pollux-campaign/1","event":"sample"')
    for right, wrong in (
        ('"outcome":"ok"', '"outcome":"failed check"'),
        ('"value":0.004', '"value":null'),
        ('"passed":true', '"passed":false'),
    ):
        end = end.replace(right, wrong)
    path.write_text(begin + last + end)
    result = run(path, "--format", "json")
    written = json.loads(result.stdout, parse_constant=pytest.fail)
    assert written["schema"] == "pollux-compare/1"
    sound, wrong_row = (row for row in written["rows"] if row["level"] == "libomp")
    assert sound["ratio"] == pytest.approx(1.1, rel=0.1)
    assert sound["ratio_low"] is None and sound["worst_residual"] == 0.004
    assert [r for r, _ in sound["values"]] == [0, 1, 2]
    assert wrong_row["ratio"] is None and wrong_row["worst_residual"] is None
    assert written["overall"][0]["cells"] == 1


def test_json_has_the_gate_as_an_object_with_each_comparison(tmp_path: Path) -> None:
    path = campaign(tmp_path, SLOW, CELLS)
    assert json.loads(run(path, "--format", "json").stdout)["gate"] is None
    ended = run(path, "--format", "json", "--fail-if-slower", "3%")
    written = json.loads(ended.stdout)
    gate = written["gate"]
    assert (gate["status"], gate["exit_status"], gate["margin"]) == ("failed", 1, 0.03)
    assert gate["exit_status"] == ended.return_value
    rows = {(r["cell"], r["level"]): r for r in written["rows"] if r["ratio"] is not None}
    assert {(c["cell"], c["level"]) for c in gate["cells"]} == set(rows)
    for cell in gate["cells"]:
        row = rows[cell["cell"], cell["level"]]
        assert cell["status"] == "slower" and cell["doubts"] == []
        for name in ("ratio", "ratio_low", "ratio_high"):
            assert cell[name] == row[name]
    assert [mean["status"] for mean in gate["overall"]] == ["slower"]
    assert gate["sentences"][-1].startswith("FAILED")
    few = campaign(tmp_path, {"a": 1, "b": 1}, rounds=3)
    gate = json.loads(run(few, "--format", "json", "--fail-if-slower", "3%").stdout)["gate"]
    assert (gate["status"], gate["cells"][0]["status"]) == ("undecided", "undecided")
    assert gate["cells"][0]["ratio_low"] is None


@pytest.mark.parametrize("until_decided", [None, 0.03])
def test_one_word_stands_for_a_verdict_in_all_of_the_json(
    tmp_path: Path, until_decided: float | None
) -> None:
    """Fields and words have the same vocabulary, whether a campaign had a fixed plan or not."""
    seen = set()
    for noise, factor, rounds in ((0.2, 1.0, 15), (0.001, 1.0, 15), (0.01, 1.2, 15), (0.1, 1, 2)):
        path = tmp_path / "a.jsonl"
        sides = {"a": 1.0, "b": factor}
        write_campaign(path, sides, CELLS, rounds=rounds, noise=noise, until_decided=until_decided)
        written = json.loads(run(path, "--format", "json").stdout)
        for row in (*written["rows"], *written["overall"]):
            assert row["words"].startswith(row["verdict"]), row
            seen.add(row["verdict"])
    few = {"too few"} if until_decided is None else set()
    assert seen == {"reference", "open", "no difference", "faster"} | few


def test_csv_holds_full_precision(tmp_path: Path) -> None:
    path = campaign(tmp_path, TWO, CELLS)
    written = json.loads(run(path, "--format", "json").stdout)
    lines = list(csv.DictReader(io.StringIO(run(path, "--format", "csv").stdout)))
    assert [line["kind"] for line in lines] == ["configuration"] * 4 + ["overall"]
    assert float(lines[1]["ratio"]) == written["rows"][1]["ratio"]
    assert lines[0]["ratio"] == ""
    assert lines[0]["digests"] == "agree"


def test_markdown_has_a_table_as_wide_as_its_head(tmp_path: Path) -> None:
    path = campaign(tmp_path, {"libgomp": 1.0, "a|b_c": 1.1}, CELLS)
    table = [
        line for line in run(path, "--format", "markdown").stdout.splitlines() if line[:1] == "|"
    ]
    assert len(table) == 6
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert r"a\|b\_c" in table[3]


@pytest.mark.parametrize("format_", ["table", "markdown", "csv", "json"])
def test_output_goes_to_a_file_in_one_piece(tmp_path: Path, format_: str) -> None:
    output = tmp_path / "out"
    output.write_text("old")
    result = run(campaign(tmp_path, TWO, CELLS), "--format", format_, "--output", output)
    assert result.return_value == 0
    assert "libomp" in output.read_text()
    assert result.stdout == ""
    assert "libomp is faster" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["campaign.jsonl", "out"]


def test_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    result = run(campaign(tmp_path, TWO), "--output", tmp_path / "no" / "where")
    assert isinstance(result.exception, BadUsageError)
    assert "No such file or directory" in str(result.exception)


def test_records_are_not_overwritten(tmp_path: Path) -> None:
    path = campaign(tmp_path, TWO)
    before = path.read_text()
    result = run(path, "--output", tmp_path / "." / path.name)
    assert "which is read; name another file" in str(result.exception)
    assert path.read_text() == before


def test_a_failed_write_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(MachineError, match="No space left"):
        write_output(tmp_path / "out", b"new")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda p: None, "does not exist"),
        (lambda p: p.mkdir(), "is a folder"),
        (lambda p: p.touch(), "contains no records"),
        (lambda p: p.write_text("hello\n"), "contains no records"),
    ],
)
def test_a_file_without_records_is_bad_usage(tmp_path: Path, made: Any, message: str) -> None:  # noqa: ANN401
    made(tmp_path / "x.jsonl")
    result = run(tmp_path / "x.jsonl")
    assert isinstance(result.exception, BadUsageError)
    assert message in str(result.exception)


def test_options_narrow_what_is_shown(tmp_path: Path) -> None:
    path = campaign(tmp_path, {**TWO, "bolt": 1}, CELLS)
    written = json.loads(
        run(
            *(path, "--format", "json", "--benchmark", "lu"),
            *("--runtime", "bolt", "--runtime", "libomp"),
        ).stdout
    )
    assert {(row["benchmark"], row["level"]) for row in written["rows"]} == {
        ("lu", "bolt"),
        ("lu", "libomp"),
    }
    refused = run(path, "--variant", "depnd")
    assert "--variant depnd: not in these records; available: depend" in str(refused.exception)


@pytest.mark.parametrize("text", ["3%", "3 %", "0.03", " .03"])
def test_shares_are_read_in_either_notation(text: str) -> None:
    assert share(text) == pytest.approx(0.03)


@pytest.mark.parametrize("text", ["3", "0", "100%", "x", "-3%", "nan", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="not a share between 0 and 1"):
        share(text)


def test_output_is_the_same_each_time(tmp_path: Path) -> None:
    command = ("compare", campaign(tmp_path, TWO, CELLS), "--format", "json")
    first, second = (run_pollux(*command, PYTHONHASHSEED=seed).out for seed in "12")
    assert first == second != ""


LONG = {"libgomp": 1.0, "gcc+libomp16": 1.06, "ompss-openmp": 0.97, "gcc+libiomp5-2026.2.0": 1.0}
REAL = [
    (benchmark, variant, 24576, tile)
    for benchmark, variant in (("cholesky", "seq"), ("lu", "multidep"), ("lu-cw", "cw"))
    for tile in (256, "4224x192")
]


@pytest.mark.parametrize("noise", [0.005, 0.08])
@pytest.mark.parametrize("width", [60, *WIDTHS])
def test_on_a_narrow_terminal_no_line_wraps_and_no_word_or_number_is_cut(
    tmp_path: Path, width: int, noise: float
) -> None:
    outcomes = {("ompss-openmp", "cw"): Outcome.CRASH}
    path = campaign(tmp_path, LONG, REAL, noise=noise, outcomes=outcomes)
    result = comparison.compare(load([path]))
    gate = compare_gate.check(result, GateOptions(0.03, None))
    assert gate is not None
    lines = gate.lines

    def write(console: Console) -> None:
        write_comparison(console, result, lines)

    text = written(write, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    known = [written(write, WIDE), *(column.name for column in columns(result)), "reference"]
    known += [interval(row.gflops, ".1f") for row in result.rows]
    assert words_of(text) <= words_of(" ".join(known)) | {"="}
    for row in result.rows:
        for wanted in (
            row.level,
            estimate(row.gflops, ".1f"),
            interval(row.comparison.ratio, ".3f"),
        ):
            assert wanted in text
        assert verdict_text(row, result.by) in " ".join(text.split())


def test_each_comparison_is_a_line_of_at_most_100_columns_the_open_ones_last(
    tmp_path: Path,
) -> None:
    noisy = [("cholesky", "depend", 2048, 192), ("cholesky", "forkjoin", 2048, 192)]
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_campaign(path, {"libgomp": 1, "libomp": 1.01}, noisy, noise=0.1)
    write_campaign(other, SLOW, [("qr", "tree", 2048, 192), ("qr", "seq", 2048, 192)])
    path.write_text(path.read_text() + other.read_text().partition("\n")[2])
    result = comparison.compare(load([path]))
    text = written(lambda console: write_comparison(console, result, []), 100)
    answer, _, below = text.partition("\n\n")
    assert answer.replace("\n", " ") == result.headline
    table, _, rest = below.partition("to decide what is open (2): about ")
    lines = table.splitlines()
    assert max(map(cell_len, lines)) <= 100
    columns = [line.split() for line in lines]
    assert [c[:2] for c in columns if c] == [
        ["benchmark", "variant"],
        ["qr", "seq"],
        ["qr", "tree"],
        ["cholesky", "depend"],
        ["cholesky", "forkjoin"],
    ]
    assert lines[3] == ""
    verdicts = [line.partition("]  ")[2] for line in (*lines[1:3], *lines[4:])]
    assert re.fullmatch(r"▼ slower 1\d\.\d % \(compiler\)", verdicts[0])
    assert re.fullmatch(r"▼ slower 1\d\.\d %", verdicts[1])
    assert verdicts[2:] == ["? open", "? open"]
    assert "reference" in lines[0] and "libgomp" not in table
    assert rest.startswith(str(max(row.comparison.needed or 0 for row in result.rows)))


def test_no_number_of_samples_is_asked_for_that_nobody_would_take(tmp_path: Path) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_campaign(path, {"libgomp": 1, "libomp": 1}, noise=2.0)
    text = run(path).stdout
    assert "to decide what is open (1): over 1000 samples of each configuration" in text
    write_campaign(other, {"libgomp": 1, "libomp": 1.01}, [("qr", "tree", 2048, 192)], noise=0.1)
    path.write_text(path.read_text() + other.read_text().partition("\n")[2])
    text = " ".join(run(path).stdout.split())
    assert re.search(r"\(2\): about \d+ samples of each configuration for 1 of them", text)


@pytest.mark.parametrize(
    ("size", "disturbed", "is_advised"),
    [(2048, 15, True), (2048, 7, False), (8192, 15, False)],
    ids=["short and busy", "short", "long"],
)
def test_longer_runs_are_advised_where_most_blocks_were_disturbed(
    tmp_path: Path, size: int, disturbed: int, is_advised: bool
) -> None:
    options = {"noise": 0.5, "disturbed_rounds": range(disturbed), "until_decided": 0.03}
    cells = [("cholesky", "depend", size, 192)]
    path = campaign(tmp_path, TWO, cells, **options)
    with path.open("a") as file:
        end = End(unix_ns=1, complete=True, stopped=Stopped.BUDGET)
        file.write(end.model_dump_json(by_alias=True) + "\n")
    text = " ".join(run(path).stdout.split())
    assert "(1): the same pollux run with a larger --budget" in text
    assert ("runs of 0.25 s or more" in text) == is_advised


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\s,;:()]+", text))


def test_what_matters_before_quoting_the_answer_stands_at_the_end(tmp_path: Path) -> None:
    lines = run(campaign(tmp_path, TWO, CELLS)).stdout.splitlines()
    assert lines[0].startswith("libomp is faster")
    before = lines.index("before quoting these numbers")
    assert lines[before - 1] == ""
    assert any(line.startswith("  compilers differ") for line in lines[before:])
    assert all(line.startswith("  ") for line in lines[before + 1 :])


def test_damaged_lines_leave_the_gate_undecided_and_are_named(tmp_path: Path) -> None:
    """The line of a run that failed may be among them; one that a kill cut off may not."""
    path = campaign(tmp_path, TWO, CELLS)
    gate = ("--fail-if-slower", "90%")
    assert run(path, *gate).return_value == 0
    whole = path.read_text()
    path.write_text(whole + whole.splitlines()[-2][:30])
    assert run(path, *gate).return_value == 0
    path.write_text(whole + "{}\n")
    number = len(whole.splitlines()) + 1
    ended = run(path, *gate)
    assert ended.return_value == 4
    assert "UNDECIDED" in ended.stdout
    assert run(path, *gate, "--undecided", "pass").return_value == 0
    assert (
        f"{path}:{number}: this is an object without a schema"
        in run(path, "--format", "csv").stderr
    )


def test_the_residual_nearest_to_its_limit_is_shown(tmp_path: Path) -> None:
    """A benchmark may have several, one of which must be 0."""
    path = campaign(tmp_path, TWO, CELLS[:1])
    own = [("WRONG", 0.0, 0.0), ("MODES", 0.5, 30.0), ("OTHER", 2.0, 1000.0)]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for record in (r for line in lines for r in line.get("records", ())):
        record["residuals"] = [
            {"name": name, "value": value, "threshold": limit, "passed": True}
            for name, value, limit in own
        ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert "largest residual 0.5, limit 30" in run(path).stdout
