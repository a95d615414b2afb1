# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux conform` writes: the matrix, the answer of a gate, JSON, JUnit XML."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from pollux.core.console import deliver, say_all
from pollux.core.writing import write_output
from pollux.machine.conformance.gate import Gate
from pollux.machine.conformance.junit import junit
from pollux.machine.conformance.results import TargetResult
from pollux.machine.conformance.show import literal, markdown, print_matrix


def write(
    results: Sequence[TargetResult],
    how: str,
    output: Path | None,
    gate: Gate | None = None,
    base: Sequence[TargetResult] = (),
) -> None:
    """Show the results in a format, on standard output or in a file; the gate's answer first."""
    if how == "page":
        from pollux.machine.conformance.document import make_document  # loads jinja2

        deliver(make_document(results), output)
    elif how == "markdown":
        told = [f"- {literal(change.line())}" for change in gate.changes] if gate else []
        head = [literal(gate.answer), "", *told, "", ""] if gate else []
        deliver("\n".join(head) + markdown([*results, *base]), output)
    elif how == "json":
        text = json.dumps(document(results, gate), indent=1, ensure_ascii=False)
        deliver(f"{text}\n", output)
    else:
        deliver(partial(print_table, results=[*results, *base], gate=gate), output)


def write_junit(path: Path | None, results: Sequence[TargetResult], gate: Gate | None) -> None:
    if path is not None:
        write_output(path, junit(results, gate), "--junit")


def print_table(console: Console, results: Sequence[TargetResult], gate: Gate | None) -> None:
    if gate is not None:
        say_all(console, [gate.answer, *(f"  {change.line()}" for change in gate.changes)])
    print_matrix(console, results)


def document(results: Sequence[TargetResult], gate: Gate | None) -> object:
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
