# SPDX-License-Identifier: BSD-3-Clause
"""Tables fit the terminal: heads break between words, spare columns go, then there are several."""

import io

import pytest
from pollux.core.console import PLAIN_WIDTH, make_console
from pollux.core.tables import Column, Rows, form_of, put, put_table
from rich.console import Console
from terminals import WIDTHS, assert_readable, written

LABELS = ["gcc+libompss2-2024.11-nosv", "libgomp", "clang+libomp19-nightly"]
SPEEDS = ["1234567.8", "-2.3", "77.25"]


def columns(count: int, spare: int = 0) -> list[Column]:
    first = Column("runtime", LABELS, is_left=True)
    return [first, *(Column(f"speed of round {k}", SPEEDS, spare=spare) for k in range(count))]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [1, 3, 9, 40])
def test_a_table_of_any_number_of_columns_fits(width: int, count: int) -> None:
    text = assert_readable(lambda console: put_table(console, columns(count)), width)
    assert text.count("1234567.8") == count


def test_a_terminal_without_a_width_has_that_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    console = make_console(file=io.StringIO())
    assert console.is_terminal and console.width == PLAIN_WIDTH


@pytest.mark.parametrize(
    ("number", "three", "four"),
    [
        (0, "0", "0"),
        (123.46, "123", "123.5"),
        (0.23456, "0.235", "0.2346"),
        (0.0023456, "0.00235", "0.002346"),
        (2.3456e-7, "2.35e-07", "2.346e-07"),
    ],
)
def test_a_number_has_as_many_digits_however_small_it_is(
    number: float, three: str, four: str
) -> None:
    assert (f"{number:{form_of(number)}}", f"{number:{form_of(number, 4, 6)}}") == (three, four)


def test_each_part_of_a_table_names_its_rows() -> None:
    text = written(lambda console: put_table(console, columns(9)), 80)
    assert text.count(LABELS[0]) == text.count("runtime") > 1


def test_spare_columns_go_first_and_are_named() -> None:
    all_ = [
        *columns(3),
        Column("interval", SPEEDS, spare=1),
        Column("probability", SPEEDS, spare=2),
    ]
    text = written(lambda console: put_table(console, all_), 80)
    assert text.count(LABELS[0]) == 1
    assert "Not shown at this width: probability." in text
    assert "interval" in text.partition("─")[0]
    assert "Not shown" not in written(lambda console: put_table(console, all_), 120)


def test_heads_with_commas_are_told_apart_where_they_are_left_out() -> None:
    spare = [Column("bound, s", SPEEDS, spare=1), Column("eff.", SPEEDS, spare=1)]
    text = written(lambda console: put_table(console, [*columns(3), *spare]), 60)
    assert "Not shown at this width: bound, s; eff." in text.replace("\n", " ")


@pytest.mark.parametrize("number", ["3.926 ms", "20 s", "97.8 %", "12.5 GFlop/s"])
def test_a_number_stays_beside_its_unit(number: str) -> None:
    for width in range(20, 40):
        text = written(lambda c: put(c, f"tasks that end in {number}, or later"), width)
        assert number in text


def test_prose_in_a_column_goes_on_in_the_next_line() -> None:
    words = "time in kernels over the time in kernels and overhead together"
    all_ = [*columns(2), Column("is", [words, "", ""], is_left=True, is_prose=True)]
    text = assert_readable(lambda console: put_table(console, all_), 80)
    assert "is" in text.partition("─")[0].split()
    assert text.split().count("kernels") == 2


def test_a_cell_wider_than_the_terminal_is_not_cut() -> None:
    path = "/opt/" + "a-long-folder/" * 8 + "libomp.so"
    text = written(lambda console: put_table(console, [Column("path", [path], is_left=True)]), 80)
    assert path in text


def test_sentences_break_between_words_on_a_terminal_alone() -> None:
    path = "/usr/lib/x86_64-linux-gnu/" + "a-long-folder/" * 5 + "libomp.so.5"
    sentence = f"{'one word after another, ' * 8}{path}"
    text = written(lambda console: put(console, sentence), 80)
    assert path in text.splitlines()
    assert all(len(line) <= 80 for line in text.splitlines() if line != path)
    file = io.StringIO()
    put(Console(file=file, width=80, force_terminal=False, color_system=None), sentence)
    assert file.getvalue() == f"{sentence}\n"


def test_markup_in_cells_is_shown_as_it_is() -> None:
    table = [Column("[bold]", ["[red]x[/red]"], is_left=True)]
    text = written(lambda console: put_table(console, table, Rows({0: "dim"})), 80)
    assert "[red]x[/red]" in text
    assert "[bold]" in text
