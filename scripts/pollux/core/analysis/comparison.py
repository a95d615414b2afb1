# SPDX-License-Identifier: BSD-3-Clause
"""Compares the levels of one axis, cell by cell and over all cells."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isnan, log, nan
from statistics import median

import numpy as np

from pollux.core.analysis import statistics
from pollux.core.analysis.axes import cell_label, check_axis, natural
from pollux.core.analysis.conditions import remarks
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.digests import Digests, check_digests
from pollux.core.analysis.headline import headline
from pollux.core.analysis.metrics import BY_SPEED, Figure, Measure
from pollux.core.analysis.nodes import between_nodes
from pollux.core.analysis.quantities import origin, why_unknown
from pollux.core.analysis.result import Failure, Interval, Result, Row
from pollux.core.analysis.unverified import Doubts, cautions
from pollux.core.analysis.verdicts import (
    Cells,
    decided_cells,
    judge_all,
    judge_sequences,
    means_of_sequence,
    parts_of,
)
from pollux.core.analysis.warnings import warnings_about
from pollux.core.campaign.compared import RELEVANT, cell_of, level_names
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.logarithms import Series, series_of
from pollux.core.campaign.samples import NONE, ByRound, Ints, Logs, Sample
from pollux.core.campaign.variants import default_variant
from pollux.core.errors import BadUsageError
from pollux.core.text import some

NO_SERIES = series_of({})


def compare(
    dataset: Dataset,
    *,
    by: str | None = None,
    reference: str | None = None,
    relevant: float | None = None,
    measure: Measure = BY_SPEED,
) -> Result:
    """Compare every level of an axis with the reference, in cells that share all other axes.

    The axis is by default the one that the campaign compares.
    `relevant` is by default that of the campaign, if it ran until all was decided. Verdicts on
    such a campaign are those that it stopped by, over all of it, whatever part is shown.
    """
    whole = dataset.whole or dataset
    by = by or whole.axis
    check_axis(by)
    is_sequential = by == whole.axis and dataset.until_decided is not None
    relevant = relevant or dataset.until_decided or RELEVANT
    names = level_names(whole.configurations, by)
    levels = [names[key] for key in dataset.configurations]
    base = choose_reference(dataset, levels, by, reference)
    labels = {key: cell_label(c, by) for key, c in whole.configurations.items()}
    called = {key: f"{labels[key]} on {names[key]}" for key in names}
    digests = check_digests(whole, called)
    judged = whole if is_sequential else dataset
    rows = make_rows(judged, names, labels, digests, measure)
    rows.sort(key=lambda row: sort_key(row, by, base))
    cells: Cells = defaultdict(dict)
    for row in rows:
        cells[row.cell][row.level] = row
    if is_sequential:
        decisive = decided_cells(cells, dataset.decide)  # when to stop
        rows = [row for row in rows if row.key in dataset.configurations]
        taking_part = [row for row in rows if not row.is_plain]
        means = []
        for own in (decisive, {name: cells[name] for name in cells if name not in decisive}):
            judge_sequences(own, base, relevant, measure, dataset.parts)
            means += means_of_sequence(parts_of(own, taking_part), base, relevant, measure)
        cells = parts_of(cells, rows)
        alone = len({mean.quantity for mean in means}) == 1  # whatever it is, it is the answer
        overall = [mean for mean in means if alone or mean.quantity is None]
        terms = [mean for mean in means if not alone and mean.quantity is not None]
    else:
        overall, terms = judge_all(cells, base, relevant, measure), []
    doubts = Doubts(dataset, digests, by)
    for row in rows:
        reference_row = cells[row.cell].get(base)
        row.doubts = doubts.about(row, reference_row)
        row.remarks = remarks(row, reference_row, whole.identities, by)
    result = Result(
        dataset=dataset,
        by=by,
        reference=base,
        relevant=relevant,
        rows=rows,
        overall=overall,
        disagreements=digests.disagreements,
        failures=find_failures(dataset, rows),
        cautions=[],
        warnings=[],
        headline="",
        metric=measure.metric,
        source=measure.source.words if measure.source else None,
        terms=terms,
        is_sequential=is_sequential,
    )
    notes = measure.source.notes if measure.source else []
    qualms = [*cautions(result), *not_measured(rows), *between_nodes(rows)]
    result = replace(result, cautions=[*qualms, *notes])
    result = replace(result, warnings=warnings_about(result, digests.unchecked))
    return replace(result, headline=headline(result))


def choose_reference(dataset: Dataset, levels: Sequence[str], by: str, asked: str | None) -> str:
    """The level that others are compared with: the user's choice, else the campaign's."""
    known = sorted(set(levels), key=natural)
    if asked is not None:
        if asked in known:
            return asked
        similar = [level for level in known if level.startswith(f"{asked} (")]
        if len(similar) == 1:
            return similar[0]
        raise BadUsageError(f"--reference {asked}: no such {by}; available: {', '.join(known)}")
    wanted = [dataset.reference] if by == dataset.axis else []
    if by == "runtime":
        wanted.append("libgomp")
    elif by == "variant":
        wanted.append(default_variant(dataset.configurations.values()))
    for name in wanted:
        # Of a label that several files use, the first file's.
        same = [level for level in dict.fromkeys(levels) if level.partition(" (")[0] == name]
        if name in known or same:
            return name if name in known and name is not None else same[0]
    return known[0]


def sort_key(row: Row, by: str, reference: str) -> tuple[object, ...]:
    """Cells in the order of their axes, the reference first in each."""
    c = row.configuration
    is_own = c.is_term or c.quantity is None
    headline_first = c if is_own else c.model_copy(update={"quantity": None})
    cell = [natural(value) for value in cell_of(headline_first, by)]
    return cell, row.cell, row.level != reference, natural(row.level)


def make_rows(
    dataset: Dataset,
    names: dict[str, str],
    labels: dict[str, str],
    digests: Digests,
    measure: Measure,
) -> list[Row]:
    """One for each configuration, still to be compared."""
    counts = dataset.columns.counts(np.arange(len(dataset.columns)))
    loose = dataset.columns.counts(dataset.columns.round == NONE)
    wrong = why_wrong(dataset, digests)
    valid = {key: own for key, own in dataset.valid.items() if key not in wrong}
    timed = {key for key, c in dataset.configurations.items() if c.is_cost}
    rates = speeds_of(dataset, valid)
    figures: dict[str, list[Figure]] = defaultdict(list)
    if measure.metric.is_speed:
        values, series = rates, speed_series(dataset, valid)
    else:
        samples = {key: dataset.samples.at(own) for key, own in valid.items()}
        figures |= {key: list(map(measure.of, own)) for key, own in samples.items()}
        values = {key: known_values(samples[key], own) for key, own in figures.items()}
        series = {key: series_of(by_round(logs(samples[key], own))) for key, own in figures.items()}
    values |= {key: [(r, 1 / value) for r, value in values[key]] for key in values.keys() & timed}
    medians = median_intervals(values)
    speeds = medians if measure.metric.is_speed else median_intervals(rates)
    agreements = digests.agreements(names)
    problems, residuals = problems_of(dataset), worst_residuals(dataset)
    figured = own_figures(dataset, valid)
    rows = []
    for key, configuration in dataset.configurations.items():
        identities = dataset.identities.get(key)
        row = Row(
            key=key,
            configuration=configuration,
            cell=labels[key],
            level=names[key],
            identity=identities[0] if identities else None,
            gflops=None if key in timed else speeds.get(key),
            figure=medians.get(key),
            values=values.get(key, []),
            samples=counts.get(key, 0),
            problems=problems.get(key, {}),
            worst_residual=residuals.get(key),
            digests=agreements[key],
            unavailable=dataset.unavailable.get(key),
            is_plain=0 < counts.get(key, 0) == loose.get(key, 0),
            logs=series.get(key, NO_SERIES),
            sources=tuple(dict.fromkeys(f.source for f in figures[key] if f.source and f.value)),
            unmeasured=dict(Counter(f.reason for f in figures[key] if f.reason)),
            figures=figured.get(key, {}),
        )
        row.reason = wrong.get(key) or why_unknown(dataset, key) or why_not(row)
        rows.append(row)
    return rows


def speeds_of(
    dataset: Dataset, valid: Mapping[str, Ints]
) -> dict[str, list[tuple[int | None, float]]]:
    """The round and the speed of each valid sample."""
    found: dict[str, list[tuple[int | None, float]]] = {}
    for key, places in valid.items():
        rounds = dataset.columns.round[places].tolist()
        known = [None if r == NONE else r for r in rounds] if NONE in rounds else rounds
        found[key] = list(zip(known, dataset.columns.speed[places].tolist(), strict=True))
    return found


def speed_series(dataset: Dataset, valid: Mapping[str, Ints]) -> dict[str, Series]:
    """What each configuration is compared by: the logarithms of its speeds."""
    known, found = dataset.logarithms, {}
    for key, places in valid.items():
        rounds: list[int] = dataset.columns.round[places].tolist()
        if NONE in rounds:
            loose = rounds.count(NONE)  # first in order
            rounds[:loose] = range(-loose, 0)
        found[key] = Series(rounds, places, known)
    return found


def own_figures(dataset: Dataset, valid: Mapping[str, Ints]) -> dict[str, dict[str, float]]:
    """The median of each of the benchmark's own figures over the samples that have it."""
    found: dict[str, dict[str, float]] = {}
    for key, places in valid.items() if dataset.columns.figured.any() else ():
        gathered = defaultdict(list)
        for sample in dataset.samples.at(places):
            for name, value in sample.figures:
                gathered[name].append(value)
        found[key] = {name: median(values) for name, values in gathered.items()}
    return found


def known_values(
    samples: Iterable[Sample], figures: Iterable[Figure]
) -> list[tuple[int | None, float]]:
    """The round and the metric of each sample that has it."""
    both = zip(samples, figures, strict=True)
    return [(s.round, f.value) for s, f in both if f.value is not None]


def logs(samples: Iterable[Sample], figures: Iterable[Figure]) -> Iterator[tuple[Sample, Logs]]:
    """The logarithms of the metric of each sample that has it."""
    for sample, figure in zip(samples, figures, strict=True):
        if figure.value is not None:
            turns = () if sample.rota is None else figure.each
            yield sample, sample.logs._replace(middle=log(figure.value or nan), turns=turns)


def by_round(known: Iterable[tuple[Sample, Logs]]) -> ByRound:
    """Samples without a round are numbered from -1 down, so that none are paired by chance."""
    return {-1 - at if s.round is None else s.round: own for at, (s, own) in enumerate(known)}


def median_intervals(values: dict[str, list[tuple[int | None, float]]]) -> dict[str, Interval]:
    """All configurations with equally many samples at a time."""
    alike: dict[int, list[str]] = defaultdict(list)
    for key, found in values.items():
        alike[len(found)].append(key)
    intervals: dict[str, Interval] = {}
    for count, keys in alike.items():
        if count:
            table = np.array([[value for _, value in values[key]] for key in keys])
            figures = np.stack(statistics.median_intervals(table), axis=1).tolist()
            intervals |= {k: Interval(*three) for k, three in zip(keys, figures, strict=True)}
    return intervals


def problem(sample: Sample) -> str:
    return f"{sample.outcome}: {sample.problem}" if sample.problem else str(sample.outcome)


def problems_of(dataset: Dataset) -> dict[str, dict[str, int]]:
    """What went wrong with each configuration, and how often."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in dataset.samples.at(np.flatnonzero(~dataset.columns.is_ok)):
        found[sample.configuration][problem(sample)] += 1
    return {key: dict(own) for key, own in found.items()}


def worst_residuals(dataset: Dataset) -> dict[str, float]:
    """The largest of each configuration; NaN, which is worse than any, if one was not finite."""
    known, keys = dataset.columns.residuals, dataset.columns.configuration
    worst = [
        max((r.value for r in own), key=lambda v: (isnan(v), v), default=-inf)
        for own in known.table
    ]
    found = np.full(len(keys.table), -inf)
    with np.errstate(invalid="ignore"):
        np.maximum.at(found, keys.codes, np.array(worst)[known.codes])
    both = zip(keys.table, found.tolist(), strict=True)
    return {key: value for key, value in both if value != -inf}


def why_wrong(dataset: Dataset, digests: Digests) -> dict[str, str]:
    """Why configurations have no speed although they may have run: wrong or disputed factors."""
    failed = dataset.columns.counts(dataset.columns.outcome.among({Outcome.FAILED_CHECK}))
    text = "failed checks: its speed means nothing"
    return digests.distrusted | {key: text for key, count in failed.items() if count}


def why_not(row: Row) -> str | None:
    """Why a row has no speed to compare; None if it has."""
    if row.unavailable is not None and not row.samples:
        return f"cannot run: {row.unavailable}"
    if row.values and len(row.sources) > 1:
        return f"its samples have different sources of energy: {' and '.join(row.sources)}"
    if not row.values and row.unmeasured:
        return f"energy not measured: {next(iter(row.unmeasured))}"
    if row.values:
        return None
    return "no valid sample" if row.samples else "no sample"


def not_measured(rows: Iterable[Row]) -> Iterator[str]:
    """Samples that ran, but without the energy that they are compared by."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for reason, count in row.unmeasured.items():
            valid = len(row.values) + sum(row.unmeasured.values())
            found[reason].append(f"{count} of {valid} samples of {row.name}")
    for reason, places in found.items():
        yield f"energy not measured in {some(places)} ({reason})"


def find_failures(dataset: Dataset, rows: Sequence[Row]) -> list[Failure]:
    """All that went wrong, equal failures grouped, in the order of the rows."""
    gathered: dict[str, dict[tuple[str, str], list[Sample]]] = defaultdict(dict)
    first = {*{origin(row.key): row.key for row in reversed(rows)}.values()}  # of its quantities
    for sample in dataset.samples.at(np.flatnonzero(~dataset.columns.is_ok)):
        if sample.configuration in first:
            kind = str(sample.outcome), sample.problem or ""
            gathered[sample.configuration].setdefault(kind, []).append(sample)
    return [
        Failure(
            row=row,
            outcome=outcome,
            problem=text,
            count=len(samples),
            rounds=sorted({s.round for s in samples if s.round is not None}),
            detail=next((s.detail for s in samples if s.detail), None),
        )
        for row in rows
        for (outcome, text), samples in gathered.get(row.key, {}).items()
    ]
