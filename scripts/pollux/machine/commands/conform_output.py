# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux conform` writes: the matrix, the answer of a gate, JSON, JUnit XML."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from pollux.machine.conformance.gate import Gate
    from pollux.machine.conformance.results import TargetResult


def write(
    results: "Sequence[TargetResult]",
    how: str,
    output: Path | None,
    gate: "Gate | None" = None,
    base: "Sequence[TargetResult]" = (),
) -> None:
    """Show the results in a format, on standard output or in a file; the gate's answer first."""
    from pollux.core.console import echo, make_console
    from pollux.core.writing import write_output

    if output is not None:
        write_output(output, as_text(results, how, gate, base).encode())
    elif how == "table":
        print_table(make_console(), results, gate, base)
    else:
        echo(as_text(results, how, gate, base), end="")


def write_junit(path: Path | None, results: "Sequence[TargetResult]", gate: "Gate | None") -> None:
    if path is not None:
        from pollux.core.writing import write_output
        from pollux.machine.conformance.junit import junit

        write_output(path, junit(results, gate), "--junit")


def print_table(
    console: "Console",
    results: "Sequence[TargetResult]",
    gate: "Gate | None",
    base: "Sequence[TargetResult]",
) -> None:
    from pollux.core.console import say_all
    from pollux.machine.conformance.show import print_matrix

    if gate is not None:
        say_all(console, [gate.answer, *(f"  {change.line()}" for change in gate.changes)])
    print_matrix(console, [*results, *base])


def as_text(
    results: "Sequence[TargetResult]",
    how: str,
    gate: "Gate | None",
    base: "Sequence[TargetResult]",
) -> str:
    from pollux.core.console import make_console
    from pollux.machine.conformance.document import make_document
    from pollux.machine.conformance.show import literal, markdown

    if how == "page":
        return make_document(results)
    if how == "markdown":
        told = [f"- {literal(change.line())}" for change in gate.changes] if gate else []
        head = [literal(gate.answer), "", *told, "", ""] if gate else []
        return "\n".join(head) + markdown([*results, *base])
    if how == "json":
        return json.dumps(document(results, gate), indent=1, ensure_ascii=False) + "\n"
    text = StringIO()
    print_table(make_console(file=text), results, gate, base)
    return text.getvalue()


def document(results: "Sequence[TargetResult]", gate: "Gate | None") -> object:
    """The results as JSON: a list, or the gate's object that contains it."""
    data = [result.model_dump(mode="json", by_alias=True) for result in results]
    if gate is None:
        return data
    return {
        "schema": "pollux-conform/1",
        "answer": gate.answer,
        "status": gate.decision.lower(),
        "changes": [change.model_dump(mode="json") for change in gate.changes],
        "results": data,
    }
