# SPDX-License-Identifier: BSD-3-Clause
"""Labels in files of others: none acts on a terminal, is read as markup, or adds a line."""

import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from explain_runs import Files
from pollux.core.cli import app
from pollux.core.console import echo, make_console, say
from pollux.core.tables import Column, put, put_table
from pollux.core.text import one_line, several_lines
from pollux.core.validation import printable_json
from synthetic import write_campaign

# Colours, a title, an erased line, the newer one-byte control, text that runs backwards, a line
# that looks like a verdict, and what rich would read as markup or as the name of a picture.
HOSTILE = (
    "[/b][red]x:smile: \x1b[31m\x1b]0;\x07\r\x1b[2K\x9b31m\u202e\u2028\x7f a\nthe gate: PASSED"
)
SHOWN = one_line(HOSTILE)
LATIN = os.fsdecode(b"caf\xe9")
# Calls that would read text of others as markup, or write it as it is.
PRINTING = r"[^a-zA-Z_.]Console\(|typer\.echo\(|[^a-z_.]print\(|\.status\(|from_markup"
FIELDS = ("runtime", "variant", "version", "name", "summary", "problem", "hostname", "detail")


def spoil(value: object, name: str = "") -> object:
    """The same JSON with hostile text in the fields that commands show."""
    if isinstance(value, dict):
        return {key: spoil(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(item, name) for item in value]
    return f"{value}{HOSTILE}" if isinstance(value, str) and name in FIELDS else value


def spoiled(path: Path) -> Path:
    lines = [json.dumps(spoil(json.loads(line))) for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
    return path


def is_harmless(text: str) -> bool:
    lines = text.split("\n")
    return all(line.isprintable() for line in lines) and "the gate: PASSED" not in lines


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=6)
    return spoiled(path)


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_records_of_others_are_compared_without_harm(
    records: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app(["compare", str(records), "--format", form], standalone_mode=False)
    shown = capsys.readouterr()
    assert is_harmless(shown.out)
    assert is_harmless(shown.err)
    assert "libgomp" in shown.out
    assert "smile" in shown.out
    if form == "json":
        names = {row["runtime"] for row in json.loads(shown.out)["rows"]}
        assert names == {f"libgomp{SHOWN}", f"libomp{SHOWN}"}


def test_traces_and_graphs_of_others_are_shown_without_harm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path)
    traces = spoiled(files.write("libomp", [1.0]))
    graph = spoiled(files.graph)
    app(["explain", str(traces), "--graph", str(graph)], standalone_mode=False)
    app(["graph", "--graph", str(graph)], standalone_mode=False)
    rates = ("--rates", "other=10,move=5", "--workers", "2")
    app(["simulate", "--graph", str(graph), *rates], standalone_mode=False)
    shown = capsys.readouterr()
    assert is_harmless(shown.out + shown.err)
    assert shown.out.count("smile") >= 2


def test_names_that_are_not_utf8_are_escaped_in_what_is_written(tmp_path: Path) -> None:
    made = tmp_path / "made"
    write_campaign(made, {"libgomp": 1.0, "libomp": 1.1}, rounds=6)
    records = made.rename(tmp_path / f"{LATIN}.jsonl")
    app(["compare", str(records), "--format", "json", "-o", str(made)], standalone_mode=False)
    assert json.loads(made.read_text())["files"] == [str(records)]
    app(["report", str(records), "-o", str(made)], standalone_mode=False)
    assert f"{one_line(LATIN)}.jsonl" in made.read_text()


def put_cell(text: str, file: io.StringIO) -> None:
    console = make_console(file=file, plain_width=300)
    put_table(console, [Column("a", ["b", text]), Column("c", ["d", "e"])])


WRITERS: list[Callable[[str, io.StringIO], None]] = [
    lambda text, file: put(make_console(file=file, plain_width=300), text),
    lambda text, file: say(make_console(file=file), text),
    put_cell,
]


@pytest.mark.parametrize("write", WRITERS)
def test_what_is_printed_is_literal(write: Callable[[str, io.StringIO], None]) -> None:
    file = io.StringIO()
    write(HOSTILE.replace("\n", " "), file)
    text = file.getvalue()
    assert one_line(HOSTILE.replace("\n", " ")) in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_cell_is_one_line() -> None:
    file = io.StringIO()
    put_cell(HOSTILE, file)
    assert SHOWN in file.getvalue()
    assert len(file.getvalue().splitlines()) == 4


def test_errors_are_literal(capsys: pytest.CaptureFixture[str]) -> None:
    echo(HOSTILE, to_stderr=True)
    assert capsys.readouterr().err == several_lines(HOSTILE) + "\n"


@pytest.mark.parametrize("text", ["a", "é", "a\\b", "€ \U0001f600", '"quoted"', ""])
def test_printable_text_stays(text: str) -> None:
    assert one_line(text) == several_lines(text) == text
    assert json.loads(printable_json(json.dumps({text: [text]}).encode())) == {text: [text]}


def test_escapes_are_those_of_json() -> None:
    for character in map(chr, [*range(32), 0x7F, 0x9B, 0x202E, 0xFEFF, 0xE0001]):
        assert json.loads(f'"{one_line(character)}"') == character


def test_only_fields_of_several_lines_keep_them() -> None:
    read = json.loads(printable_json(b'{"text": "a\\nb", "name": "a\\nb", "c\\nd": [1.5, null]}'))
    assert read == {"text": "a\nb", "name": "a\\nb", "c\\nd": [1.5, None]}
    assert printable_json(b'{"a": "\\u001b", NaN') == b'{"a": "\\u001b", NaN'


def test_consoles_are_made_in_one_place() -> None:
    """Elsewhere text of others could be read as markup."""
    package = Path(echo.__code__.co_filename).parent
    makers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(PRINTING, path.read_text())
    }
    assert makers == {"console.py", "errors.py"}
