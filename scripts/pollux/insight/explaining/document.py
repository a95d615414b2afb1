# SPDX-License-Identifier: BSD-3-Clause
"""An explanation as JSON (schema pollux-explain/1), for programs."""

import json

from pollux.insight.explaining.explanation import Difference, Explanation, SideResult
from pollux.insight.explaining.groups import GROUPS, TERMS
from pollux.insight.explaining.model import Split
from pollux.insight.explaining.spread import Spread
from pollux.insight.explaining.words import sentences, warnings

SCHEMA = "pollux-explain/1"


def json_text(found: Explanation) -> str:
    """One object; times in ns.

    `subject`, `sentences`, `warnings`; `sides`: see `side_fields`; `difference` (null for
    one side): `ratio` of the times and `terms`, second side minus first, round by round, divided
    by each side's threads if `per_thread`, since their numbers differ; `work_shared`: both have the
    same times alone. A range is
    an object of `median`, `low`, `high`, `rounds` and `conclusive`: whether it is a 95 % interval.
    If `sequential`, those of the difference hold whenever one stops, and those of sides describe
    their rounds and are not conclusive. `verdicts`: more, less, same or open, of each part.
    """
    fields = {
        "schema": SCHEMA,
        "subject": found.subject,
        "sentences": sentences(found),
        "warnings": warnings(found),
        "sides": [side_fields(side) for side in found.sides],
        "difference": difference_fields(found.difference) if found.difference else None,
    }
    return json.dumps(fields, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def side_fields(side: SideResult) -> dict[str, object]:
    """One side: `terms` are exact for a run and sum to `thread_time`.

    `round` and `repetition` (both from 0) say which run. `groups` are the sums of terms by cause;
    `ranges` are over all rounds; `rounds` has the terms of each one's repetitions. `alone`: whether
    work is from a run with one thread.
    """
    split, record = side.split, side.run_shown.record
    number, repetition = side.place_shown
    return {
        "name": side.name,
        "source": side.measured.source,
        **side.measured.instance.fields(),
        "kernel_set": record.get("kernels"),
        "threads": split.threads,
        "ranks": ranks_fields(side),
        "runtime": record.get("runtime"),
        "compiler": record.get("compiler"),
        "round": number,
        "repetition": repetition,
        "region": split.region,
        "thread_time": split.terms.total,
        "alone": side.is_alone_known,
        "creation": "measured" if split.is_creation_measured else "estimated",
        "dispatch_cap": split.dispatch_cap,
        "tracing": split.tracing,
        "terms": {term.key: term.get(split.terms) for term in TERMS},
        "groups": {term.key: term.get(split.terms) for term in GROUPS},
        "ranges": {key: range_fields(values) for key, values in side.terms.items()},
        "region_range": range_fields(side.region),
        "rounds": [list(map(split_fields, own)) for own in side.rounds],
        "bounds": bounds_fields(side),
        "efficiencies": {e.key: e.value for e in side.efficiencies},
        "kernels": [vars(kernel) for kernel in side.kernels],
    }


def split_fields(split: Split) -> dict[str, int]:
    return {"region": split.region, **{term.key: term.get(split.terms) for term in TERMS}}


def ranks_fields(side: SideResult) -> dict[str, object] | None:
    """Of a run over MPI: how many, their grid, messages, and by how much clocks may be off."""
    run = side.run_shown
    if run.ranks is None:
        return None
    return {
        "count": run.ranks.count,
        "grid": (run.record.get("mpi") or {}).get("grid"),
        "messages": len(run.ranks.messages),
        "bytes": int(run.ranks.messages.size.sum()),
        "clock_error": int(run.ranks.error.max(initial=0)),
    }


def bounds_fields(side: SideResult) -> dict[str, object]:
    """T1 and T∞ with the times of one thread, and what an ideal list scheduler would take.

    null: what depends on the times alone, where these are not known.
    """
    b, is_known = side.bounds, side.is_alone_known
    return {
        "work": b.work if is_known else None,
        "path": b.path if is_known else None,
        "path_nodes": len(b.on_path),
        "parallelism": b.parallelism if is_known else None,
        "lowest": b.lowest if is_known else None,
        "ideal": b.ideal if is_known else None,
        "path_in_run": b.path_in_run,
        "ideal_in_run": b.ideal_in_run,
        "unavoidable": b.unavoidable,
    }


def difference_fields(difference: Difference) -> dict[str, object]:
    return {
        "ratio": range_fields(difference.ratio),
        "total": range_fields(difference.total),
        "noise": difference.is_noise,
        "sequential": difference.is_sequential,
        "per_thread": difference.is_per_thread,
        "work_shared": difference.is_work_shared,
        "relevant": difference.relevant,
        "verdicts": {key: str(difference.verdict(key)) for key in difference.terms},
        "terms": {key: range_fields(values) for key, values in difference.terms.items()},
    }


def range_fields(values: Spread) -> dict[str, float]:
    return {
        **{"median": values.median, "low": values.low, "high": values.high},
        **{"rounds": values.rounds, "conclusive": values.is_conclusive},
    }
