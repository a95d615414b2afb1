# SPDX-License-Identifier: BSD-3-Clause
"""What is decided in a campaign that runs until all is: one family, and nothing is taken back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pollux.core.analysis.anytime import Anytime, Pairs
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.headline import headline
from pollux.core.analysis.loading import load
from pollux.core.analysis.metrics import METRICS
from pollux.core.analysis.result import Overall, Row, Verdict
from pollux.core.analysis.stopping import (
    MEANS,
    ROWS,
    Standings,
    pairs_left,
    verdicts,
)
from pollux.core.analysis.until_decided import judge_means, judge_rows
from pollux.core.campaign.samples import Logs
from pollux.core.commands.compare_gate import Limit, check, is_undecided
from pollux.core.commands.options import GateOptions
from run_record import record
from synthetic import append, write_campaign

OPEN = Anytime(1, 1, 1, 1)


def test_a_verdict_has_the_direction_of_its_evidence() -> None:
    up, down, same = Anytime(1e-9, 1, 1, 1), Anytime(1, 1e-9, 1, 1), Anytime(1, 1, 1e-9, 1e-9)
    expected = [Verdict.BETTER, Verdict.WORSE, Verdict.NO_DIFFERENCE, Verdict.TOO_NOISY]
    assert verdicts([up, down, same, OPEN]) == expected
    costs = verdicts([up, down, same, OPEN], metric_is_higher_better=False)
    assert costs == [Verdict.WORSE, Verdict.BETTER, *expected[2:]]


@pytest.mark.parametrize("chance", [ROWS, MEANS])
@pytest.mark.parametrize("family", [1, 2, 13])
def test_a_single_verdict_needs_more_evidence_among_many_comparisons(
    family: int, chance: float
) -> None:
    others = [OPEN] * (family - 1)
    for share, given in ((0.99, True), (1.01, False)):
        different = Anytime(share * chance / family / 2, 1, 1, 1)
        equivalent = Anytime(1, 1, share * chance / family, 1e-12)
        found = [verdicts([one, *others], chance=chance)[0] for one in (different, equivalent)]
        assert (found[0] is Verdict.BETTER) == given
        assert (found[1] is Verdict.NO_DIFFERENCE) == given


def test_all_false_verdicts_together_are_as_rare_as_those_of_other_comparisons() -> None:
    assert pytest.approx(0.05) == ROWS + MEANS


def test_no_relevant_difference_needs_both_directions_excluded() -> None:
    assert verdicts([Anytime(1, 1, 1e-9, 0.2)]) == [Verdict.TOO_NOISY]


LEVELS = [["libomp"]] * 3
TRUE = (-0.06, 0.0, 0.08)


def sides(cell: int, rounds: int = 90) -> list[dict[int, Logs]]:
    """A reference and one other side, with a failed round each."""
    rng = np.random.default_rng(cell)
    noise = 0.02 * rng.standard_t(2, (2, rounds))
    both = [{r: Logs(noise[0, r]) for r in range(rounds)}]
    both.append({r: Logs(TRUE[cell] + noise[1, r]) for r in range(rounds)})
    del both[0][3], both[1][5]
    return both


def growing() -> Iterator[tuple[int, Standings]]:
    """Three cells after each round: slower, equal and faster."""
    standings = Standings(0.03, LEVELS)
    whole = [sides(cell) for cell in range(3)]
    for rounds in range(90):
        for cell, both in enumerate(whole):
            standings.update(cell, [{r: s[r] for r in s if r < rounds} for s in both])
        yield rounds, standings


def test_what_is_decided_stays_decided_and_all_is_in_the_end() -> None:
    before = [False] * 3
    for rounds, standings in growing():
        now = [standings.is_decided(cell, 0) for cell in range(3)]
        assert all(new or not old for old, new in zip(before, now, strict=True))
        assert rounds > 6 or not any(now)
        before = now
    assert [own[0] for own in standings.given] == [
        Verdict.WORSE,
        Verdict.NO_DIFFERENCE,
        Verdict.BETTER,
    ]


def test_samples_taken_in_one_by_one_or_at_once_give_the_same() -> None:
    *_, (_, slowly) = growing()
    at_once = Standings(0.03, LEVELS)
    for cell in range(3):
        at_once.update(cell, [{r: s[r] for r in s if r < 89} for s in sides(cell)])
    of_cells = [[pairs[0] for pairs in one.pairs] for one in (slowly, at_once)]
    of_means = [[one.means["libomp"].pairs] for one in (slowly, at_once)]
    for one, other in (*zip(*of_cells, strict=True), *zip(*of_means, strict=True)):
        assert one.differences == other.differences
        assert one.anytime() == other.anytime()
    assert slowly.answers == at_once.answers


def test_a_mean_is_that_of_the_rounds_that_all_its_cells_have() -> None:
    *_, (_, standings) = growing()
    rows = [{r: b[r].middle - a[r].middle for r in a if r in b} for a, b in map(sides, range(3))]
    shared = [r for r in range(89) if r not in (3, 5)]
    expected = [sum(row[r] for row in rows) / 3 for r in shared]
    assert standings.means["libomp"].pairs.differences == pytest.approx(expected)


def test_a_comparison_that_cannot_be_made_is_left_out_of_the_mean() -> None:
    standings = Standings(0.03, LEVELS)
    standings.lose(1, 0)
    for cell in (0, 2):
        standings.update(cell, sides(cell))
    assert standings.means["libomp"].cells == [0, 2]
    assert len(standings.means["libomp"].pairs) == 88


def test_what_turns_out_to_be_no_comparison_leaves_nothing_behind() -> None:
    dropped, without = Standings(0.03, LEVELS), Standings(0.03, LEVELS)
    for cell in range(3):
        dropped.update(cell, sides(cell))
    assert dropped.is_decided(0, 0)
    dropped.drop(0, 0)
    without.drop(0, 0)
    reference, _ = sides(0)
    for standings in (dropped, without):
        for cell in (1, 2):
            standings.update(cell, sides(cell))
        standings.update(0, [reference, {}])
    for one, other in zip(dropped.pairs, without.pairs, strict=True):
        assert one[0].anytime() == other[0].anytime()
    assert (dropped.given, dropped.answers) == (without.given, without.answers)
    assert not dropped.is_decided(0, 0)


def test_what_does_not_count_in_means_has_a_forecast_and_what_cannot_run_has_none() -> None:
    standings = Standings(1e-4, LEVELS)
    standings.set_apart(1, 0)
    standings.lose(2, 0)
    for cell in range(3):
        standings.update(cell, sides(cell, 8))
    assert standings.means["libomp"].cells == [0]
    assert set(standings.outlook()) == {(0, 0), (1, 0)}


def test_what_cannot_be_compared_makes_nothing_else_harder_to_decide() -> None:
    alone, beside_lost, beside_dropped = (Standings(0.03, LEVELS[:n]) for n in (1, 3, 3))
    for cell in (1, 2):
        beside_lost.lose(cell, 0)
        beside_dropped.update(cell, sides(cell))
        beside_dropped.drop(cell, 0)
    for round_ in range(90):
        own = [{r: s[r] for r in s if r <= round_} for s in sides(0)]
        for standings in (alone, beside_lost, beside_dropped):
            standings.update(0, own)
        assert beside_lost.given[0] == beside_dropped.given[0] == alone.given[0]
    assert alone.is_decided(0, 0)
    assert beside_lost.answers["libomp"] is alone.given[0][0]


def test_levels_have_means_of_their_own_and_single_cells_none() -> None:
    standings = Standings(0.03, [["a", "b"], ["a"], ["b", "c"]])
    assert list(standings.means) == ["a", "b"]
    assert standings.answer_rounds(2, 1) == 0
    assert standings.answer_rounds(0, 0) > 0


def test_the_forecast_is_near_the_truth_when_half_is_done() -> None:
    for true in (0.0, 0.05):
        rng = np.random.default_rng(4)
        pairs = Pairs(0.03)
        forecasts = []
        while verdicts([pairs.anytime()]) == [Verdict.TOO_NOISY]:
            forecasts.append(len(pairs) + pairs_left(pairs, 1))
            pairs.add(true + 0.04 * rng.standard_normal())
        needed = len(pairs)
        assert needed >= 12
        assert needed / 2 < forecasts[needed // 2] < 2 * needed


NOISE = np.random.default_rng(2).standard_normal((2, 60))


def rows_of(true: Sequence[float], deviation: float, rounds: int = 60) -> list[dict[int, float]]:
    """The differences of two cells, round by round."""
    return [
        {r: of_cell + deviation * own[r] for r in range(rounds)}
        for of_cell, own in zip(true, NOISE, strict=True)
    ]


@pytest.mark.parametrize(
    ("rows", "given", "expected"),
    [
        (rows_of((-0.05, -0.05), 0.3, 6), [Verdict.WORSE] * 2, Verdict.WORSE),
        (rows_of((0.0, 0.0), 0.3, 6), [Verdict.NO_DIFFERENCE] * 2, Verdict.NO_DIFFERENCE),
        (rows_of((0.0, 0.0), 0.01), [Verdict.TOO_NOISY] * 2, Verdict.NO_DIFFERENCE),
        (rows_of((-0.1, 0.1), 0.3), [Verdict.WORSE, Verdict.BETTER], Verdict.TOO_NOISY),
        (rows_of((0.0, 0.2), 0.01), [Verdict.NO_DIFFERENCE, Verdict.BETTER], Verdict.BETTER),
        (rows_of((0.1, 0.1), 0.01, 2), [Verdict.TOO_NOISY] * 2, Verdict.TOO_NOISY),
        (rows_of((0.1, 0.1), 0.01, 2)[:1], [Verdict.BETTER], Verdict.BETTER),
        (rows_of((0.1, 0.1), 0.01, 2)[:1], [Verdict.TOO_NOISY], Verdict.TOO_NOISY),
    ],
)
def test_over_cells_what_all_rows_share_holds_else_what_their_mean_shows(
    rows: list[dict[int, float]], given: list[Verdict], expected: Verdict
) -> None:
    (mean,) = judge_means([rows], [given], 0.03)
    assert mean.verdict is expected
    assert (mean.needed is not None) == (expected is Verdict.TOO_NOISY)


def test_no_difference_is_as_large_as_the_margin_however_wide_the_interval(tmp_path: Path) -> None:
    """The fewest rounds that exclude it are too few for a narrow interval."""
    (row,) = judge_rows([Pairs(0.03, [0.0] * 6)])
    (mean,) = judge_means([rows_of((0.0, 0.0), 0.3, 6)], [[Verdict.NO_DIFFERENCE] * 2], 0.03)
    assert row.ratio is not None and row.ratio.low < 0.9
    assert mean.ratio is not None and not mean.ratio.bounded
    assert row.words == mean.words == "no difference (within 3 %)"
    (narrow,) = judge_rows([Pairs(0.03, [0.0] * 60)])
    assert narrow.words == "no difference (within 0.0 %)"
    (moved,) = judge_means([rows_of((0.1, 0.1), 0.3, 6)], [[Verdict.NO_DIFFERENCE] * 2], 0.03)
    assert (moved.verdict, moved.words) == (Verdict.NO_DIFFERENCE, "no difference")
    result = compare(load([decided_campaign(tmp_path)]))
    (overall,) = result.overall
    wide = replace(result, overall=[replace(overall, comparison=mean)])
    assert "shows no difference from libgomp (within 5 %) over 2 cells" in headline(wide)


def test_what_was_shown_has_no_size_where_later_rounds_contradict_it(tmp_path: Path) -> None:
    """As where the machine changes for good while other comparisons are still open."""
    differences = [-0.05] * 12 + [0.02] * 40
    (row,) = judge_rows([Pairs(0.03, differences)])
    assert row.ratio is not None and row.ratio.estimate > 1
    assert (row.verdict, row.words) == (Verdict.WORSE, "slower")
    (energy,) = judge_rows([Pairs(0.03, differences)], METRICS["energy"])
    assert (energy.verdict, energy.words) == (Verdict.BETTER, "less energy")
    result = compare(load([decided_campaign(tmp_path)]))
    (overall,) = result.overall
    contradicted = replace(result, overall=[replace(overall, comparison=row)])
    assert "libomp is slower than libgomp, by how much is open, 1.0" in headline(contradicted)
    (faster,) = judge_rows([Pairs(0.03, [-x for x in differences])])
    assert faster.verdict is Verdict.BETTER and is_undecided(faster, Limit(0.01, 0.03))


def test_a_gate_needs_what_its_campaign_needs_to_be_decided(tmp_path: Path) -> None:
    """Intervals that hold whenever one stops are wide at first: they tell nothing of noise."""
    path = tmp_path / "short.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 0.9}, rounds=6, until_decided=0.03)
    result = compare(load([path]))
    gate = check(result, GateOptions(0.03, None))
    (needed,) = (row.comparison.needed for row in result.rows if row.comparison.needed)
    assert 6 < needed < 20
    assert gate is not None and f"(about {needed} samples would decide)" in gate.lines[-1]


def test_without_a_round_that_all_cells_have_there_is_no_mean() -> None:
    (mean,) = judge_means([[{0: 0.1}, {1: 0.1}]], [[Verdict.BETTER] * 2], 0.03)
    assert (mean.ratio, mean.verdict) == (None, Verdict.NONE)
    assert mean.words == "no round that all of its cells have"


def test_while_it_runs_and_later_the_mean_has_the_same_verdict() -> None:
    for rounds, standings in growing():
        rows = [own[0] for own in standings.differences]
        if rounds > 1:
            (mean,) = judge_means([rows], [[Verdict.BETTER, Verdict.WORSE]], 0.03)
            assert mean.verdict is standings.answers["libomp"]
            assert mean.samples == len(standings.means["libomp"].pairs)


def test_less_is_better_in_a_mean_of_costs_too() -> None:
    rows, given = rows_of((0.0, 0.2), 0.01), [Verdict.NO_DIFFERENCE, Verdict.WORSE]
    (mean,) = judge_means([rows], [given], 0.03, METRICS["energy"])
    assert mean.verdict is Verdict.WORSE


def decided_campaign(folder: Path) -> Path:
    """Records of a campaign that ran until it was decided, but for one of its cells."""
    path = folder / "decided.jsonl"
    cells = [("lu", variant, 512, 64) for variant in ("depend", "late")]
    write_campaign(
        path, {"libgomp": 1.0, "libomp": 1.04}, cells, rounds=14, noise=0.015, until_decided=0.05
    )
    return path


def test_what_is_shown_of_a_campaign_does_not_change_its_verdicts(tmp_path: Path) -> None:
    dataset = load([decided_campaign(tmp_path)])
    whole = compare(dataset)
    assert whole.is_sequential and whole.relevant == 0.05
    one = compare(narrow(dataset, {"variant": ["depend"]}))
    assert [row.configuration.variant for row in one.rows] == ["depend", "depend"]
    kept = [row.comparison for row in whole.rows if row.configuration.variant == "depend"]
    assert [row.comparison for row in one.rows] == kept


def test_other_axes_of_such_a_campaign_are_compared_as_ever_with_a_warning(tmp_path: Path) -> None:
    dataset = load([decided_campaign(tmp_path)])
    other = compare(dataset, by="threads")
    assert not other.is_sequential
    assert any("ran until its runtimes were decided" in line for line in other.warnings)
    assert not any("ran until" in line for line in compare(dataset).warnings)


def test_another_margin_than_that_of_such_a_campaign_is_named(tmp_path: Path) -> None:
    dataset = load([decided_campaign(tmp_path)])
    said = "the relevant difference of this campaign was 5 %, then 3 %: its verdicts are not corr"
    assert any(line.startswith(said) for line in compare(dataset, relevant=0.03).warnings)
    for result in (compare(dataset, relevant=0.05), compare(dataset)):
        assert not any("relevant difference" in line for line in result.warnings)


def test_plain_records_beside_such_a_campaign_change_nothing_about_its_verdicts(
    tmp_path: Path,
) -> None:
    """Such as those of the sequential run that decides which factors are right."""
    campaign, plain = decided_campaign(tmp_path), tmp_path / "plain.jsonl"
    for seed in range(8):
        append(plain, record(("lu", "depend", 512, 64), "libomp", seed, 99.0 + seed))
        append(plain, record(("lu", "seq", 512, 64), "libgomp", seed, 6.0))
    alone, beside = compare(load([campaign])), compare(load([plain, campaign]))
    assert beside.is_sequential and beside.relevant == 0.05
    assert beside.dataset.stopped == alone.dataset.stopped
    known = {row.name: row.comparison for row in beside.rows}
    assert known.items() > {row.name: row.comparison for row in alone.rows}.items()
    assert [o for o in beside.overall if o.cells] == alone.overall
    other = known["lu depend N=512 NB=64 2 threads on libomp (plain)"]
    assert other.verdict is Verdict.BETTER and not other.paired and other.samples == 8
    assert any("are not of the campaign" in line for line in beside.warnings)
    assert not any("are not of the campaign" in line for line in alone.warnings)
    assert "in lu depend N=512 NB=64 2 threads" in beside.headline.partition("libomp (plain)")[2]


def test_a_cell_of_plain_records_alone_is_compared_but_is_none_of_the_campaign(
    tmp_path: Path,
) -> None:
    campaign, plain = tmp_path / "campaign.jsonl", tmp_path / "plain.jsonl"
    cells = [("lu", variant, n, 64) for n in (512, 1024) for variant in ("depend", "late")]
    write_campaign(campaign, {"libgomp": 1.0}, cells, rounds=14, until_decided=0.05)
    campaign.write_text(campaign.read_text().replace('"by":"runtime"', '"by":"variant"'))
    for seed in range(12):
        for variant, gflops in (("depend", 50.0), ("late", 60.0)):
            append(plain, record(("lu", variant, 512, 64), "libomp", seed, gflops + seed / 10))
    alone, beside = compare(load([campaign])), compare(load([campaign, plain]))
    assert beside.is_sequential and beside.overall == alone.overall
    assert beside.headline == alone.headline
    known = {row.name: row.comparison for row in beside.rows}
    assert known.items() > {row.name: row.comparison for row in alone.rows}.items()
    other = known["libomp lu N=512 NB=64 2 threads on late"]
    assert other.verdict is Verdict.BETTER and not other.paired and other.samples == 12


@pytest.mark.parametrize(
    ("sizes", "plain"), [((512, 1024), ["late"]), ((512,), ["depend", "late"])]
)
def test_plain_records_without_a_reference_or_a_mean_are_none_of_the_campaign_either(
    tmp_path: Path, sizes: tuple[int, ...], plain: list[str]
) -> None:
    campaign, beside = tmp_path / "campaign.jsonl", tmp_path / "plain.jsonl"
    cells = [("lu", variant, n, 64) for n in sizes for variant in ("depend", "late")]
    write_campaign(campaign, {"libgomp": 1.0}, cells, rounds=14, until_decided=0.05)
    campaign.write_text(campaign.read_text().replace('"by":"runtime"', '"by":"variant"'))
    for seed, variant in product(range(12), plain):
        append(beside, record(("lu", variant, 512, 64), "libomp", seed, 50.0 + seed / 10))
    alone, both = compare(load([campaign])), compare(load([campaign, beside]))
    assert both.is_sequential and len(both.rows) == len(alone.rows) + len(plain)
    assert (both.overall, both.headline) == (alone.overall, alone.headline)


def test_a_mean_over_cells_has_the_verdict_that_they_share(tmp_path: Path) -> None:
    result = compare(load([decided_campaign(tmp_path)]))
    verdicts_of_rows = {r.comparison.verdict for r in result.rows if r.level == "libomp"}
    assert verdicts_of_rows == {Verdict.BETTER}
    assert result.overall[0].comparison.verdict is Verdict.BETTER
    ratio = result.overall[0].comparison.ratio
    assert ratio is not None and ratio.low < 1.04 < ratio.high


def with_verdict(item: Row | Overall, verdict: Verdict) -> Any:  # noqa: ANN401 (the same type)
    return replace(item, comparison=replace(item.comparison, verdict=verdict, words="open"))


@pytest.mark.parametrize(
    ("of_cells", "answer"),
    [
        (
            [Verdict.BETTER, Verdict.WORSE],
            "libomp vs. libgomp over 2 cells: faster in 1, slower in 1 (their mean is "
            "undecided{}).",
        ),
        (
            [Verdict.BETTER, Verdict.TOO_NOISY],
            "libomp vs. libgomp: undecided over 2 cells (faster in 1, open in 1).",
        ),
    ],
)
def test_where_only_the_mean_is_open_the_answer_is_what_the_cells_show(
    of_cells: list[Verdict], answer: str, tmp_path: Path
) -> None:
    result = compare(load([decided_campaign(tmp_path)]))
    given = iter(of_cells)
    rows = [with_verdict(r, next(given)) if r.level == "libomp" else r for r in result.rows]
    mean = with_verdict(result.overall[0], Verdict.TOO_NOISY)
    ratio = mean.comparison.ratio
    figures = f", {ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
    assert headline(replace(result, rows=rows, overall=[mean])) == answer.format(figures)
