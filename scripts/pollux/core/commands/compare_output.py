# SPDX-License-Identifier: BSD-3-Clause
"""Writes a comparison as Markdown, CSV or JSON."""

import csv
import io
import json
from collections.abc import Sequence
from math import isfinite

from pollux.core.analysis.fixed_plan import verdict_name
from pollux.core.analysis.result import Agreement, Comparison, Interval, Overall, Result, Row
from pollux.core.analysis.terms import has_terms, table_of
from pollux.core.campaign.axes import BY_NAME
from pollux.core.campaign.lines import Configuration
from pollux.core.commands.compare_gate import Gate, as_data
from pollux.core.commands.compare_grid import (
    Grid,
    make_grid,
    overall_lines,
    overall_title,
    problem_lines,
)
from pollux.core.commands.compare_terms import means_grid, reading, terms_grid
from pollux.core.commands.compare_text import BEFORE_QUOTING, notes
from pollux.core.parameters import in_words
from pollux.core.tiles import Tile

PLAIN_WIDTH = 100  # of a table that goes to a file or pipe


def markdown(result: Result, gate: Sequence[str], *, long: bool = False) -> str:
    """The same in Markdown as GitHub renders it."""
    is_short = has_terms(result) and not long
    parts = [bullets("Problems", problem_lines(result)), bullets("Caution", result.cautions)]
    for group in result.groups():
        parts += short_tables(group) if is_short else [markdown_table(make_grid(group))]
    parts.append("\n".join(f"{escape(line)}  " for line in notes(result)))
    if not is_short:
        parts.append(bullets(overall_title(result).capitalize(), overall_lines(result)))
    parts.append(f"**{escape(result.headline)}**")
    parts.append(bullets(BEFORE_QUOTING.capitalize(), result.warnings))
    parts.append(bullets("Gate", gate))
    return "\n\n".join(part for part in parts if part) + "\n"


def short_tables(result: Result) -> list[str]:
    """The terms over the levels, their means, and how to read both."""
    table = table_of(result)
    grids = terms_grid(result, table), means_grid(result, table)
    lines = "\n".join(f"{escape(line)}  " for line in reading(result, table))
    return [*(markdown_table(grid) for grid in grids if grid), lines]


def bullets(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return "\n".join([f"**{title}**", "", *(f"- {escape(line.strip())}" for line in lines)])


def markdown_table(grid: Grid) -> str:
    rule = ["---:" if right else "---" for right in grid.right]
    lines = [map(escape, grid.head), rule, *(map(escape, texts) for texts in grid.body)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape(text: str) -> str:
    """Escape characters that have a meaning in Markdown."""
    for character in "\\|*_<>[]`":
        text = text.replace(character, f"\\{character}")
    return text


def csv_text(result: Result) -> str:
    """A line for each configuration, then one for each level over all cells (kind "overall").

    Those of further quantities have a column `quantity`.
    """
    lines = [row_fields(row, result) for row in result.rows]
    lines += [overall_fields(item, result) for item in result.overall]
    lines += [{"quantity": item.quantity, **overall_fields(item, result)} for item in result.terms]
    file = io.StringIO()
    names = list(dict.fromkeys(name for line in lines for name in line))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: csv_value(v) for k, v in line.items()} for line in lines)
    return file.getvalue()


def csv_value(value: object) -> object:
    """Nothing for null; true and false as in JSON."""
    value = no_nan(value)
    if isinstance(value, bool | dict | list):
        return json.dumps(value) if value not in ({}, []) else ""
    return value


def json_text(result: Result, gate: Gate | None) -> str:
    """One object; null is "there is none", or a residual that is not finite.

    `schema`, `files`, `by` (axis), `metric` (as --metric has it), `unit`, `source` (of energy, in
    words; null for speed), `reference` (level), `relevant` (share), `sequential` (the campaign
    ran until all was decided, and verdicts hold for that), `sound`, `headline`,
    `cautions` (to be read before any ratio) and `warnings` (sentences); `gate`: null, or the object
    of compare_gate.as_data; `rows`: the fields of `row_fields`, with `values`, a list of round and
    metric; `overall`: those of `overall_fields`; `terms`: the same of further quantities, by name;
    `disagreements`: `group`, `seed`, `tiling`, `right` (digest, or null: not decided), `by` (what
    decided) and `holders` (who has each digest); `failures`: `cell`, `level`, `outcome`, `problem`,
    `count`, `rounds` and `detail`.
    """
    document = {
        "schema": "pollux-compare/1",
        "files": [str(path) for path in result.dataset.paths],
        "by": result.by,
        "metric": result.metric.name,
        "unit": result.metric.unit,
        "source": result.source,
        "reference": result.reference,
        "relevant": result.relevant,
        "sequential": result.is_sequential,
        "sound": result.sound,
        "headline": result.headline,
        "cautions": result.cautions,
        "warnings": result.warnings,
        "gate": None if gate is None else as_data(gate),
        "rows": [{**row_fields(row, result), "values": row.values} for row in result.rows],
        "overall": [overall_fields(item, result) for item in result.overall],
        "terms": [
            {"quantity": item.quantity, **overall_fields(item, result)} for item in result.terms
        ],
        "disagreements": [
            {k: v for k, v in vars(d).items() if k != "keys"} for d in result.disagreements
        ],
        "failures": [
            {
                "cell": f.row.cell,
                "level": f.row.level,
                **{k: v for k, v in vars(f).items() if k != "row"},
            }
            for f in result.failures
        ],
    }
    return json.dumps(no_nan(document), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def no_nan(value: object) -> object:
    """The same with null in place of numbers that JSON cannot represent."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: no_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [no_nan(item) for item in value]
    return value


def of_matrix(configuration: Configuration, size: int) -> int | None:
    """The size, where it is that of a matrix."""
    return size if configuration.size_name == "n" else None


def row_fields(row: Row, result: Result) -> dict[str, object]:
    """One configuration: actual sizes if it ran, `samples` processes, `valid` of them used.

    `figure` is the median of the metric, in `unit`; where a benchmark has several quantities,
    `quantity` is the name of this one. The ratio of times is that of speeds. `sources` are those of
    its energy, and `unmeasured` counts the samples that ran without it, by reason.
    """
    c, i = row.configuration, row.identity
    tile = i.tile if i else c.tile
    return {
        "kind": "configuration",
        "cell": row.cell,
        "level": row.level,
        "runtime": c.runtime,
        "benchmark": c.benchmark,
        "variant": c.variant,
        "kernels": c.kernels,
        "size": None if c.size_name is None else i.size if i else c.size,
        "size_name": c.size_name,
        "m": i.m if i else c.rows or of_matrix(c, c.size),
        "n": i.n if i else of_matrix(c, c.size),
        "tile_asked": c.tile_asked,
        **tile_fields(tile),
        "ib": i.ib if i else c.inner,
        "parameters": in_words(i.parameters if i else c.own),
        "threads": i.threads if i else c.threads,
        "environment": c.environment,
        **{name: getattr(c, name) for name in BY_NAME},
        "quantity": c.quantity,
        "unit": c.unit if result.metric.is_speed else result.metric.unit,
        "samples": row.samples,
        "valid": len(row.values),
        **interval_fields("gflops", row.gflops if c.is_speed else None),
        **interval_fields("figure", row.figure),
        **comparison_fields(row.comparison, result),
        "sources": list(row.sources),
        "unmeasured": row.unmeasured,
        "worst_residual": row.worst_residual,
        "digests": None if row.digests is Agreement.NOTHING else row.digests.lower(),
        "unavailable": row.unavailable,
        "doubts": list(row.doubts),
        "remarks": list(row.remarks),
        "problems": row.problems,
    }


def tile_fields(tile: Tile | None) -> dict[str, int | None]:
    return {"mb": None, "nb": None} if tile is None else {**tile.fields()}


def overall_fields(item: Overall, result: Result) -> dict[str, object]:
    return {
        "kind": "overall",
        "level": item.level,
        "cells": item.cells,
        "left_out": item.left_out,
        **comparison_fields(item.comparison, result),
    }


def comparison_fields(c: Comparison, result: Result) -> dict[str, object]:
    """`pairs`: pairs of samples, or the smaller of two independent sets.

    `verdict`: faster or slower, or what the metric has in their place; "no difference"; "open";
    "too few" (samples); "not compared"; "reference". `words` begins with the same word.
    """
    return {
        **interval_fields("ratio", c.ratio),
        "paired": c.paired if c.ratio else None,
        "pairs": c.samples,
        "p": c.p,
        "p_corrected": c.p_corrected,
        "verdict": verdict_name(c.verdict, result.metric),
        "needed": c.needed,
        "words": c.words,
    }


def interval_fields(name: str, interval: Interval | None) -> dict[str, object]:
    ends = (interval.estimate, interval.low, interval.high) if interval else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
