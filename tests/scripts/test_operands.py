# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs say above each task what it does, and their clauses name what that line names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pollux.core.paths import ROOT

FOLDERS = ("cholesky", "lu", "qr", "cw-extension")
# docs/variants.md
NAMES_ALL = ("depend", "cw", "multidep", "late", "ahead", "left", "nopiv", "tree")
TASK = re.compile(
    r"(?P<line>[^\n]*)\n(?:#(?P<choice>if|elif|else)[^\n]*\n)?"
    r"#pragma omp task(?P<clauses>(?:[^\n]*\\\n)*[^\n]*)\n *(?P<call>\w+)\(p"
)
CLAUSE = re.compile(r"(?:depend\((?:iterator\([^)]*\), )?(\w+) :|(concurrent)\()([^)]*)\)")
OPERAND = re.compile(r"\b([ALUQRPTS])\((?:(\w),(?=\w,))?(\w+?)(:?)(?:,(\w+))?\)")
ITEM = re.compile(r"\b([ATS]\w*)\[")
HELPERS = ("exchange_and_solve", "lu_laswp_behind")  # of several lines, and without a clause


@dataclass(frozen=True)
class Task:
    """A task of a graph: the line above it, its clauses, and what it calls."""

    line: str
    clauses: str
    call: str

    def named(self, *kinds: str) -> set[str]:
        """The tiles and T factors in clauses of these kinds; An are all tiles of column n."""
        found = ((a or b, items) for a, b, items in CLAUSE.findall(self.clauses))
        return {name for kind, items in found if kind in kinds for name in ITEM.findall(items)}

    def operands(self, side: int) -> set[str]:
        """The tiles and T factors left (0) or right (1) of the assignment, except whole columns."""
        part = re.split(r":=|-=", self.line)[side]
        return {
            operand
            for name, pair, row, colon, column in OPERAND.findall(part)
            if not colon
            for operand in held_by(name, pair, row, column)
        }

    @property
    def columns(self) -> set[str]:
        """The columns of which all tiles from some row on are operands."""
        return {column for *_, colon, column in OPERAND.findall(self.line) if colon}


def held_by(name: str, pair: str, row: str, column: str) -> set[str]:
    """What holds a factor: L, U and R the tile that they were computed in, P(k) the panel's first
    one, Q(m,k) a tile and a T factor, Q(t,m,k) a tile and the S factor of a pair."""
    match name:
        case "P":
            return {f"A{row}{row}"}
        case "Q":
            return {f"A{row}{column}", f"{'S' if pair else 'T'}{row}{column}"}
        case "T" | "S":
            return {f"{name}{row}{column}"}
    return {f"A{row}{column}"}


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.c")):
            if "#pragma omp task " in path.read_text():
                yield path


def tasks(path: Path) -> list[Task]:
    """The tasks of a graph; alternatives of one task share the line above the first."""
    found: list[Task] = []
    for match in TASK.finditer(path.read_text()):
        is_other = match["choice"] in ("elif", "else")
        line = found[-1].line if is_other else match["line"].strip()
        found.append(Task(line, match["clauses"], match["call"]))
    return [task for task in found if task.call not in HELPERS]


GRAPHS = [path.relative_to(ROOT) for path in sources() if path.name != "probe.c"]


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_clauses_name_operands_of_the_line_above_only(graph: Path) -> None:
    """What is read as read, what is written as written; a column by its tiles or its first one."""
    for task in tasks(ROOT / graph):
        assert re.search(r"/\* .*(:=|-=).* \*/", task.line), task
        column = {f"A{row}{c}" for c in task.columns for row in ("", "0", "k")}
        written, read = task.operands(0), task.operands(1)
        assert task.named("inout") <= written | column, task
        first = {"A0k"} if "A0k" in task.named("in") else set()  # the panel by its first tile
        assert task.named("in") <= (read - written) | first, task


@pytest.mark.parametrize("graph", [g for g in GRAPHS if g.stem in NAMES_ALL], ids=str)
def test_clauses_name_every_operand_of_the_line_above(graph: Path) -> None:
    """But whole columns, which may have a stand-in."""
    for task in tasks(ROOT / graph):
        written, read = task.operands(0), task.operands(1)
        whole = {f"Ak{c}" for c in task.columns if f"A{c}" in task.named("inout")}
        assert written <= task.named("inout") | whole, task
        assert read - written <= task.named("in"), task


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_every_priority_has_its_reason_beside_it(graph: Path) -> None:
    text = (ROOT / graph).read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if "priority(" in line and line.startswith("#pragma"):
            assert re.search(r"\) +/\* .* \*/$", line), line


ANY_ROW_IN_TREES = {"qr_geqrt", "qr_unmqr", "qr_tsqrt", "qr_tsmqr"}


def test_a_kernel_is_described_by_the_same_line_in_all_graphs() -> None:
    """But for the names of indices; QR's kernels have any row on top in a tree, else row k."""
    lines: dict[str, set[str]] = {}
    for graph in GRAPHS:
        for task in tasks(ROOT / graph):
            lines.setdefault(task.call, set()).add(canonical(task.line))
    for call, found in lines.items():
        assert len(found) == (2 if call in ANY_ROW_IN_TREES else 1), (call, found)


def canonical(line: str) -> str:
    """The line with indices numbered as they appear."""
    numbers: dict[str, str] = {}
    return re.sub(
        r"(?<=[(,])[a-z](?=[:,)])",
        lambda m: numbers.setdefault(m[0], str(len(numbers))),
        line,
    )
