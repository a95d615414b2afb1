# SPDX-License-Identifier: BSD-3-Clause
"""What qualifies a comparison: how the samples were taken, and what they are of."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from pollux.core.analysis.axes import plural, runs_tasks
from pollux.core.analysis.between_processes import about_pairs
from pollux.core.analysis.conditions import warnings_about_likeness
from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.analysis.fixed_plan import margin, percent
from pollux.core.analysis.processors import about_machine, about_threads
from pollux.core.analysis.quantities import origin
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.analysis.statistics import FEWEST
from pollux.core.campaign.axes import IN_TURNS
from pollux.core.campaign.calibration import reasons_in_words
from pollux.core.campaign.deviation import wander_of
from pollux.core.campaign.reading import sentences
from pollux.core.campaign.samples import NONE
from pollux.core.text import counted, in_percent, some

# Executions of each configuration in the papers that this suite is based on.
PAPERS = 30
MOST_LEVELS = 8  # that are named one by one
WANDER = 0.05  # deviation of a configuration's speed from process to process
STEAL = 0.005  # share of a block's time; less is lost among its ten-millisecond ticks


def warnings_about(result: Result, unchecked: set[str]) -> list[str]:
    """All that a reader should know before quoting a figure, the most severe first."""
    found = [
        *about_reading(result.dataset),
        *about_pairing(result),
        *about_turns(result),
        *about_wander(result.dataset),
        *about_pairs(result),
        *about_sequence(result),
        *about_plans(result),
        *warnings_about_likeness(result),
        *about_changes(result, unchecked),
        *about_levels(result),
        *about_blocks(result.dataset),
        *about_counts(result),
        *about_unknown(result),
        *about_threads(result),
        *about_machine(result),
        *about_concurrent_write(result.rows),
    ]
    return list(dict.fromkeys(found))


def about_reading(dataset: Dataset) -> Iterator[str]:
    yield from sentences(dataset.unreadable)
    if dataset.traced:
        yield (
            f"{counted(len(dataset.traced), 'record')} of traced runs left out "
            f"({some(dataset.traced)}): tracing takes time"
        )


def about_pairing(result: Result) -> Iterator[str]:
    """Only samples of one round were taken in the same state of the machine."""
    loose = [r for r in result.rows if r.comparison.ratio and not r.comparison.paired]
    if loose:
        yield (
            f"samples of {plural(result.by)} were not interleaved ({len(loose)} rows): a "
            "difference may be drift of the machine; run them in one campaign with pollux run"
        )
    if apart := [row for row in result.rows if row.apart]:
        most = max(row.apart for row in apart)
        yield (
            f"{some(row.name for row in apart)} ran apart from {result.reference} in up to "
            f"{counted(most, 'round')}, which are left out: added later, perhaps; "
            "pollux run --fresh takes all in the same rounds"
        )


def about_turns(result: Result) -> Iterator[str]:
    """Samples next to each other in time agree better."""
    own = result.dataset.columns
    alone = own.counts((own.round != NONE) & (own.rota == NONE) & own.is_ok)
    paired = [r for r in result.rows if r.comparison.ratio and r.comparison.paired]
    if rows := [row for row in paired if alone.get(row.key)]:
        yield (
            f"{some(row.name for row in rows)} took no turns with {result.reference}: "
            "processes that run one after the other deviate more"
        )


def about_wander(dataset: Dataset) -> Iterator[str]:
    own = dataset.columns
    known = own.by_configuration(np.flatnonzero(own.is_valid))
    wander = wander_of(dataset.logarithms.middles[places].tolist() for places in known.values())
    if wander is not None and wander > WANDER:
        yield (
            f"the speed of a configuration deviated by {in_percent(wander)} from process to "
            "process: ratios allow for that, but its GFlop/s or times say little"
        )


def about_sequence(result: Result) -> Iterator[str]:
    """Samples of such a campaign stopped when what it compares was decided."""
    if not result.dataset.any_until_decided:
        return
    if result.is_sequential:
        if loose := [r for r in result.rows if r.comparison.ratio and result.is_apart(r)]:
            yield (
                f"{some(row.name for row in loose)} or their references are not of the campaign: "
                "these verdicts are not corrected for the moment at which it stopped"
            )
    elif result.dataset.until_decided is None:
        apart = "" if len(result.dataset.paths) == 1 else "compare each campaign by itself, or "
        yield (
            "some samples here were taken until their campaign was decided, and these verdicts "
            f"are not corrected for that; {apart}run a campaign with a fixed number of processes"
        )
    else:
        axis = result.by
        remedy = (
            f"--by {axis} decides those"
            if axis in IN_TURNS
            else "run it with a fixed number of processes to quote them"
        )
        yield (
            f"this campaign ran until its {plural(result.dataset.axis)} were decided: verdicts on "
            f"{plural(axis)} are not corrected for that; {remedy}"
        )


def about_plans(result: Result) -> Iterator[str]:
    """What ends a campaign has to be said before its verdicts can be known."""
    dataset = result.dataset
    if not dataset.is_one_campaign:
        return
    shares = [s.until_decided for s in dataset.starts if s.until_decided is not None]
    margins = dict.fromkeys([*shares, *([result.relevant] if result.is_sequential else [])])
    counts = dict.fromkeys(
        s.processes for s in dataset.starts if s.until_decided is None and s.processes >= FEWEST
    )
    if dataset.until_decided is not None and len(margins) > 1:
        yield (
            f"the relevant difference of this campaign was {', then '.join(map(margin, margins))}: "
            "its verdicts are not corrected for a margin that may have been chosen by them"
        )
    if not dataset.any_until_decided and len(counts) > 1:
        yield (
            f"this campaign was to take {', then '.join(map(str, counts))} samples of each "
            "configuration: its verdicts are not corrected for a number that may have been chosen "
            "by them"
        )


def about_changes(result: Result, unchecked: set[str]) -> Iterator[str]:
    known = result.dataset.identities
    changed = [row for row in result.rows if len(known.get(row.key, ())) > 1]
    if changed:
        yield (
            f"runtime, compiler, BLAS or machine changed between samples of "
            f"{some(row.name for row in changed)}; start a new campaign after such a change"
        )
    doubtful = [row for row in result.rows if row.key in unchecked]
    if doubtful:
        yield (
            f"digests of {some(row.name for row in doubtful)} are not checked: "
            "sizes or kernels changed between its samples"
        )
    renamed = [row for row in result.rows if " #" in row.level]
    if renamed:
        yield (
            f"{some(row.level for row in renamed)}: the same configuration with other builds or "
            "arguments; samples of each are compared by themselves"
        )


def about_levels(result: Result) -> Iterator[str]:
    """Whatever else differs between the levels may be the cause of the difference."""
    for what, of in (
        ("machines", lambda i: i.host["hostname"]),
        ("BLAS", lambda i: i.blas_in_words),
        ("processors allowed", lambda i: i.host["allowed"]),
    ):
        if differ_on_a_node(result, of):
            by_level = levels_with(result, of)
            alone = f"the ratios do not compare {plural(result.by)} alone"
            yield f"{what} differ: {listed(by_level)}; {alone}"
    if result.by == "runtime":
        yield from about_seq(result)
        yield from about_compilers(result)


def differ_on_a_node(result: Result, of: Callable[[Identity], object]) -> bool:
    """Whether levels that are compared with each other, those on one node, differ."""
    nodes = dict.fromkeys(row.configuration.node for row in result.rows)
    own = (
        replace(result, rows=[row for row in result.rows if row.configuration.node == node])
        for node in nodes
    )
    return any(
        len({value for values in levels_with(part, of).values() for value in values}) > 1
        for part in own
    )


def about_compilers(result: Result) -> Iterator[str]:
    """The compiler is ruled out where the reference's binary ran on another runtime too."""
    compilers = levels_with(result, lambda i: i.compiler["name"])
    if len({value for values in compilers.values() for value in values}) <= 1:
        return
    binaries: dict[str, set[str]] = {}
    for row in result.rows:
        binaries.setdefault(row.level, set()).add(row.configuration.executable)
    own = binaries.get(result.reference, set()) - {""}
    shared = [level for level, b in binaries.items() if level != result.reference and b & own]
    telling = (
        f"compare {some(shared)}, the same binary as {result.reference}"
        if shared
        else "a combination such as gcc+libomp19 would show which: docs/libraries.md"
    )
    telling += "".join(f"; {pair}" for pair in one_runtime(result, compilers))
    yield f"compilers differ: {listed(compilers)}; a difference may be the compiler's ({telling})"


def one_runtime(result: Result, compilers: dict[str, list[object]]) -> Iterator[str]:
    """Levels of several compilers on one runtime library: there the compiler alone differs."""
    libraries: dict[str, dict[str, None]] = {}
    for row in result.rows:
        if library := row.configuration.builds.get("runtime"):
            libraries.setdefault(library, {})[row.level] = None
    for levels in libraries.values():
        if len({str(value) for level in levels for value in compilers.get(level, [])}) > 1:
            yield f"{some(levels)} share a runtime: what differs there is the compiler's"


def about_seq(result: Result) -> Iterator[str]:
    """The variant without OpenMP as a control: no runtime can have made it faster or slower."""
    shown = (Verdict.BETTER, Verdict.WORSE)
    rows = [
        f"{row.level} {row.comparison.words}"
        for row in result.rows
        if not runs_tasks(row.configuration) and row.comparison.verdict in shown
    ]
    if rows:
        yield (
            f"seq, which uses no OpenMP, differs too ({some(rows)}): "
            "part of the other differences is not the runtime's"
        )


def levels_with(result: Result, of: Callable[[Identity], object]) -> dict[str, list[object]]:
    """What the rows of each level have; None is nothing that could differ."""
    found: dict[str, dict[object, None]] = {}
    for row in result.rows:
        for identity in result.dataset.identities.get(row.key, ()):
            if (value := of(identity)) is not None:
                found.setdefault(row.level, {})[value] = None
    return {level: list(values) for level, values in found.items()}


def listed(by_level: dict[str, list[object]]) -> str:
    """The values of each level; of many levels, such as those of many files, by value."""
    if len(by_level) <= MOST_LEVELS:
        return ", ".join(f"{level} {some(values)}" for level, values in by_level.items())
    levels: dict[str, list[str]] = {}
    for level, values in by_level.items():
        levels.setdefault(some(values), []).append(level)
    return "; ".join(f"{value} {some(own)}" for value, own in levels.items())


def about_blocks(dataset: Dataset) -> Iterator[str]:
    every = list(dataset.blocks.values())
    if other := [block for block in every if not block.in_force]:
        reasons = reasons_in_words(block.end for block in other if block.end)
        yield (
            f"the samples of {counted(len(other), 'block')} are left out, since levers were not in "
            f"force ({reasons}); pollux run takes them again"
        )
    blocks = [block for block in every if block.in_force]
    disturbed = [block for block in blocks if block.disturbed]
    if disturbed:
        used = dataset.samples.at(dataset.counting[dataset.disturbed[dataset.counting]])
        kept = len({(origin(sample.configuration), sample.round) for sample in used})
        again = "" if dataset.any_until_decided else ", or again with pollux run to repeat them"
        fate = (
            f"{kept} of their samples are used, since no undisturbed repeat was left; "
            f"run on a quieter machine{again}"
            if kept
            else "all their samples were replaced by repeats"
        )
        if dataset.until_decided is not None:
            fate = "their rounds count, since verdicts at any time allow for noise"
        reasons = reasons_in_words(block.end for block in disturbed if block.end)
        were = "was" if len(disturbed) == 1 else "were"
        yield f"{len(disturbed)} of {len(blocks)} blocks {were} disturbed ({reasons}): {fate}"
    if endless := sum(block.end is None for block in blocks):
        yield f"{counted(endless, 'block')} did not end: whether it was disturbed is not known"
    steals = [b.end.steal for b in blocks if b.end and b.end.steal]
    if steals and max(steals) >= STEAL:
        yield (
            f"a hypervisor took up to {percent(max(steals))} of the processors' time; "
            "measure on a machine that is not shared"
        )


def about_counts(result: Result) -> Iterator[str]:
    counts = [len(row.values) for row in result.rows if row.values]
    if not counts or result.is_sequential:
        return
    planned = {row.key: planned_of(row, result.dataset) for row in result.rows}
    rounds = rounds_taken(result.dataset)
    short = [
        row
        for row in result.rows
        if rounds.get(row.key, 0) < planned[row.key] and row.unavailable is None
    ]
    if short:
        rows, less = ({origin(row.key) for row in each} for each in (result.rows, short))
        complete = all(result.dataset.complete.values())
        numbers = {planned[row.key] for row in short}
        number = f"the {numbers.pop()} samples" if len(numbers) == 1 else "the number of samples"
        yield (
            f"{len(less)} of {len(rows)} configurations have fewer than {number} planned; "
            + (
                "they failed from the start, or were replaced"
                if complete
                else "pollux run resumes the campaign"
            )
        )
    compared = [row.comparison for row in result.rows if row.comparison.ratio]
    few = (
        [c.samples for c in compared if c.ratio and not c.ratio.bounded]
        if compared
        else [count for count in counts if count < FEWEST]
    )
    if few:
        yield (
            f"as few as {counted(min(few), 'sample')} of a configuration: too few for an interval, "
            "and for any difference to be significant; take more samples"
        )
    elif min(counts) < PAPERS:
        yield (
            f"as few as {min(counts)} samples of a configuration; the papers that this suite is "
            f"based on take {PAPERS}"
        )


def planned_of(row: Row, dataset: Dataset) -> int:
    """The samples that the plan of its file has of a configuration; none without a fixed plan."""
    return dataset.planned.get(int(row.key.partition(":")[0]), 0)


def rounds_taken(dataset: Dataset) -> dict[str, int]:
    """The number of rounds that each configuration has a sample of."""
    own = dataset.columns
    places = np.stack([own.configuration.codes, own.round], axis=1)
    _, first = np.unique(places, axis=0, return_index=True)
    return own.counts(first)


def about_unknown(result: Result) -> Iterator[str]:
    """Of a time that is known in some samples only, the others need not be like these."""
    rows = [row for row in result.rows if row.configuration.quantity is not None and row.values]
    if not rows:
        return
    columns, counting = result.dataset.columns, result.dataset.counting
    ended = columns.counts(counting[columns.is_ok[counting]])
    for name in dict.fromkeys(row.configuration.quantity for row in rows):
        own = [row for row in rows if row.configuration.quantity == name]
        if partly := [row for row in own if len(row.values) < ended.get(row.key, 0)]:
            names = some(row.name for row in partly)
            yield (
                f"{name} is not known in all samples of {names}: the others may be those in which "
                "it is large"
            )


def about_concurrent_write(rows: Iterable[Row]) -> Iterator[str]:
    substitutes = [
        row
        for row in rows
        if row.identity
        and row.identity.concurrent_write
        and not row.identity.concurrent_write["native"]
    ]
    if substitutes:
        clause = substitutes[0].identity.concurrent_write["clause"]  # type: ignore[union-attr,index]
        yield (
            f"{some(row.name for row in substitutes)}: {clause} took the place of concurrent write"
        )
