# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the search for tile sizes on simulated machines whose best tile is known."""

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import pytest
from pollux.core.campaign.number_lists import parse_numbers
from pollux.core.tiles import Tile
from pollux.machine.tuning.candidates import Candidate, Grid, make_grid, parse_heights
from pollux.machine.tuning.outcome import make_notes
from pollux.machine.tuning.scores import best_first, polish, rank, ratios
from pollux.machine.tuning.search import (
    ROUNDS_OF_A_PROCESS,
    Failure,
    Measure,
    Search,
    Status,
)

Curve = Callable[[Candidate], float]
ROUNDS = 12
TRIALS = 25
TILES = parse_numbers("32:768:32", "--tiles")


def peak(nb: int, width: float) -> Curve:
    return lambda c: 50 * math.exp(-width * math.log(c.nb / nb) ** 2)


def of(nb: int, ib: int | None = None) -> Candidate:
    return Candidate(Tile.square(nb), ib)


def with_inner(curve: Curve) -> Curve:
    """The best IB grows with NB, as in QR."""
    return lambda c: (
        curve(c) * math.exp(-0.05 * math.log((c.ib or 1) / 32 * (192 / c.nb) ** 0.3) ** 2)
    )


def tall_peak(tile: str, across: float, down: float) -> Curve:
    """A peak at a tile: how sharp it is over NB and over MB."""
    best = Tile.parse(tile)
    wide = peak(best.nb, across)
    return lambda c: wide(c) * math.exp(-down * math.log(c.tile.mb / best.mb) ** 2)


def larger(first: Curve, second: Curve) -> Curve:
    """Two peaks, the second one 5 % higher."""
    return lambda c: max(first(c), 1.05 * second(c))


CURVES: dict[str, Curve] = {
    "peak": peak(192, 0.15),
    "sharp peak": peak(230, 0.6),
    "best is the largest": lambda c: c.nb**0.2,
    "best is the smallest": lambda c: c.nb**-0.2,
    "two peaks": larger(peak(96, 0.8), peak(480, 0.8)),
    "flat": lambda c: 50.0,
}


TALL_CURVES: dict[str, Curve] = {
    "whole columns": tall_peak("2048x128", 0.15, 0.03),
    "square": tall_peak("288", 0.3, 0.1),
    "between": tall_peak("1536x192", 0.3, 0.1),
    "two peaks": larger(tall_peak("320", 0.5, 0.3), tall_peak("768x96", 0.5, 0.3)),
    "largest": lambda c: c.nb**0.1 * c.tile.mb**0.1,
    "flat": lambda c: 50.0,
}
HEIGHTS = parse_heights("1,4,8,16,all")


def machine(curve: Curve, seed: int) -> Measure:
    """3 % noise, every 20th run up to half as fast, and whole minutes at half speed."""
    rng = random.Random(seed)
    speeds = (rng.choice([1, 1, 1, 0.5]) for _ in iter(int, 1))
    phases = (speed for speed in speeds for _ in range(rng.randint(30, 120)))

    def one(candidate: Candidate, _: int) -> float:
        slow = rng.uniform(0.5, 1) if rng.random() < 0.05 else 1.0
        return curve(candidate) * next(phases) * slow * rng.lognormvariate(0, 0.03)

    return in_turns(one)


def exact(curve: Curve) -> Measure:
    return in_turns(lambda candidate, round_: curve(candidate))


def in_turns(one: Callable[[Candidate, int], float | Failure]) -> Measure:
    """Processes that run round by round; one of them that fails has no speed in any."""

    def measure(
        candidates: Sequence[Candidate], first: int, count: int
    ) -> list[list[float] | Failure]:
        rows = [[one(c, round_) for c in candidates] for round_ in range(first, first + count)]
        return [process(row) for row in zip(*rows, strict=True)]

    return measure


def process(results: Sequence[float | Failure]) -> list[float] | Failure:
    speeds: list[float] = []
    for result in results:
        if isinstance(result, Failure):
            return result
        speeds.append(result)
    return speeds


def find(grid: Grid, measure: Measure, seed: int = 1) -> tuple[Candidate | None, Search]:
    search = Search(grid, measure, ROUNDS, seed)
    return search.find(), search


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(("inner", "share"), [((), 0.95), ((16, 32, 64), 0.90)])
def test_within_2_percent_of_the_best_with_less_than_half_of_the_runs(
    name: str, inner: tuple[int, ...], share: float
) -> None:
    """With an IB to find too, a full grid of as many rounds succeeds in only 75 to 95 %."""
    grid = make_grid(TILES, inner, 2048)
    curve = cache(with_inner(CURVES[name]) if inner else CURVES[name])
    best = max(map(curve, grid.all()))
    good = 0
    for seed in range(TRIALS):
        winner, search = find(grid, machine(curve, seed), seed)
        assert winner is not None
        good += curve(winner) >= 0.98 * best
        assert search.runs < 0.5 * len(grid.all()) * ROUNDS
    assert good >= share * TRIALS


@pytest.mark.slow
@pytest.mark.parametrize("name", TALL_CURVES)
@pytest.mark.parametrize(("inner", "share"), [((), 0.95), ((16, 32, 64), 0.90)])
def test_tall_tiles_are_found_with_a_third_of_the_runs(
    name: str, inner: tuple[int, ...], share: float
) -> None:
    grid = make_grid(TILES, inner, 2048, HEIGHTS)
    curve = cache(with_inner(TALL_CURVES[name]) if inner else TALL_CURVES[name])
    best = max(map(curve, grid.all()))
    searches = [find(grid, machine(curve, seed), seed) for seed in range(TRIALS)]
    assert max(search.runs for _, search in searches) < 0.37 * len(grid.all()) * ROUNDS
    assert sum(w is not None and curve(w) >= 0.98 * best for w, _ in searches) >= share * TRIALS


def test_heights_are_cut_where_a_tile_holds_all_rows() -> None:
    grid = make_grid([96, 512], (), 2048, HEIGHTS)
    tiles = [str(c.tile) for c in grid.all()]
    assert tiles == ["96", "384x96", "768x96", "1536x96", "2112x96", "512", "2048x512"]


def test_neighbours_of_a_whole_column_are_whole_columns_and_the_height_below() -> None:
    grid = make_grid([96, 128, 192], (), 2048, HEIGHTS)
    best = Candidate(Tile(2048, 128))
    found = [str(c.tile) for c in grid.neighbours(best, [best])]
    assert found == ["2112x96", "2112x192", "1024x128"]


def test_square_tiles_alone_are_searched_as_before() -> None:
    grid = make_grid(TILES, (16, 32), 2048)
    assert all(c.tile.is_square for c in grid.all())
    near = grid.neighbours(of(128, 16), [of(128, 16), of(192, 16)])
    assert near == [of(64, 16), of(160, 16), of(128, 32)]


@pytest.mark.parametrize("name", CURVES)
def test_without_noise_no_measured_tile_is_better_than_the_one_found(name: str) -> None:
    winner, search = find(make_grid(TILES, (), 2048), exact(CURVES[name]))
    assert winner is not None
    assert CURVES[name](winner) == max(map(CURVES[name], search.values))


@pytest.mark.parametrize(("factor", "wins"), [(1.1, True), (0.9, False)])
def test_a_tile_beside_the_grid_wins_if_it_is_the_fastest(factor: float, wins: bool) -> None:
    other = Candidate(Tile(2128, 112))
    best = factor * max(map(CURVES["peak"], make_grid(TILES, (), 2048).all()))

    def curve(candidate: Candidate) -> float:
        return best if candidate == other else CURVES["peak"](candidate)

    winner, search = find(make_grid(TILES, (), 2048, others=[other.tile]), exact(curve))
    assert other in search.values
    assert (winner == other) is wins


def test_runs_are_never_more_than_announced() -> None:
    announced: list[Status] = []
    grid = make_grid(TILES, (16, 32, 64), 2048)
    search = Search(grid, machine(with_inner(CURVES["peak"]), 3), ROUNDS, 3, announced.append)
    search.find()
    assert search.runs <= min(s.runs_at_most for s in announced)


def test_the_same_runs_give_the_same_search() -> None:
    grid = make_grid(TILES, (), 2048)
    first, second = (find(grid, machine(CURVES["peak"], 5), 5)[1] for _ in range(2))
    assert first.values == second.values


def test_every_contestant_runs_once_in_a_round() -> None:
    seen: list[tuple[int, Candidate]] = []

    def one(candidate: Candidate, round_: int) -> float:
        seen.append((round_, candidate))
        return CURVES["peak"](candidate)

    find(make_grid(TILES, (16, 32), 2048), in_turns(one))
    assert len(seen) == len(set(seen))
    assert [round_ for round_, _ in seen] == sorted(round_ for round_, _ in seen)


def test_a_candidate_that_fails_is_dropped_at_once_and_the_search_goes_on() -> None:
    def one(candidate: Candidate, _: int) -> float | Failure:
        return Failure("crash") if candidate.nb in (192, 160, 224) else CURVES["peak"](candidate)

    winner, search = find(make_grid(TILES, (), 2048), in_turns(one))
    assert winner in (of(128), of(288), of(256))
    assert set(search.problems.values()) == {"crash"}
    assert not set(search.problems) & set(search.values)


def test_a_finalist_that_fails_once_does_not_win() -> None:
    rounds: list[int] = []

    def one(candidate: Candidate, round_: int) -> float | Failure:
        rounds.append(round_)
        failed = candidate.nb == 192 and round_ > 15
        return Failure("hang") if failed else CURVES["peak"](candidate)

    winner, _ = find(make_grid(TILES, (), 2048), in_turns(one))
    assert max(rounds) > 15
    assert winner is not None
    assert winner.nb != 192


def test_where_all_fail_nothing_is_found() -> None:
    crash = in_turns(lambda *_: Failure("crash"))
    winner, search = find(make_grid(TILES, (16, 32), 2048), crash)
    assert winner is None
    assert search.problems


def test_contestants_take_turns_in_processes_of_a_few_rounds_each() -> None:
    spans: list[tuple[int, int, int]] = []
    exactly = exact(CURVES["peak"])

    def measure(
        candidates: Sequence[Candidate], first: int, count: int
    ) -> Sequence[list[float] | Failure]:
        spans.append((first, count, len(candidates)))
        return exactly(candidates, first, count)

    _, search = find(make_grid(TILES, (), 2048), measure)
    assert all(1 <= count <= ROUNDS_OF_A_PROCESS for _, count, _ in spans)
    assert all(a + count == b for (a, count, _), (b, _, _) in pairwise(spans))
    assert sum(count * contestants for _, count, contestants in spans) == search.runs
    assert spans[0][2] > 1


@pytest.mark.parametrize(("size", "expected"), [(1, (1,)), (40, (32, 40)), (64, (32, 64))])
def test_tiles_are_cut_at_n(size: int, expected: tuple[int, ...]) -> None:
    assert make_grid(TILES, (), size).tiles == expected


def test_n_of_1_has_one_candidate() -> None:
    grid = make_grid(TILES, (16, 32, 64), 1)
    assert grid.all() == [of(1, 1)]
    assert find(grid, exact(lambda c: 1.0))[0] == of(1, 1)


def test_inner_blocks_are_no_larger_than_their_tile() -> None:
    assert make_grid([16, 64], [32, 48], 2048).all() == [
        of(16, 16),
        of(64, 32),
        of(64, 48),
    ]


@pytest.mark.slow
def test_few_candidates_cost_no_more_than_the_grid() -> None:
    grid = make_grid([64, 128, 192], (), 2048)
    assert find(grid, exact(lambda c: 1.0))[1].runs <= 3 * ROUNDS
    more = make_grid([32, 64, 96, 128], (16, 32), 512, HEIGHTS)
    for curve in (*CURVES.values(), *TALL_CURVES.values()):
        assert find(more, machine(curve, 1))[1].runs <= len(more.all()) * ROUNDS


def test_what_lies_between_the_best_and_its_neighbours_is_tried() -> None:
    grid = make_grid([32, 64, 96, 128, 160], (), 2048)
    measured = [of(32), of(96), of(160)]
    assert grid.neighbours(of(96), measured) == [of(64), of(128)]
    assert grid.neighbours(of(64), [*measured, of(64)]) == []


def test_coarse_tiles_include_both_ends() -> None:
    coarse = make_grid(TILES, (), 2048).coarse()
    assert (coarse[0], coarse[-1]) == (32, 768)
    assert len(coarse) < len(TILES) / 2


def test_scores_are_taken_within_rounds() -> None:
    """The slower of two wins by raw speeds, since it met only fast rounds."""
    a, b = of(64), of(128)
    values = {a: {0: 10.0, 1: 100.0, 2: 10.0}, b: {0: 9.0, 1: 90.0, 2: 9.0}}
    assert rank(values, [b, a], 0) == [a, b]
    assert rank({a: values[a], b: {1: 90.0}}, [b, a], 0) == [a, b]


def test_candidates_that_never_met_are_linked_by_those_both_met() -> None:
    a, b, link = of(64), of(128), of(96)
    values = {a: {0: 10.0}, b: {1: 40.0}, link: {0: 10.0, 1: 20.0}}
    effects = polish(values)
    assert math.exp(effects[b] - effects[a]) == pytest.approx(2.0)


def test_ratios_have_an_interval_from_six_common_rounds_on() -> None:
    rng = random.Random(1)
    a, b, c = of(64), of(128), of(192)
    values = {
        a: {r: 10 * rng.lognormvariate(0, 0.01) for r in range(8)},
        b: {r: 9 * rng.lognormvariate(0, 0.01) for r in range(8)},
        c: dict.fromkeys(range(3), 8.0),
    }
    found = ratios(values, a, 0)
    assert (found[b].low or 1) < 0.9 < (found[b].high or 0)
    assert found[b].is_settled
    assert found[c].low is None
    assert found[c].estimate == pytest.approx(0.8, rel=0.05)


def test_the_winner_is_the_fastest_by_the_ratios_that_are_shown() -> None:
    """The median of A / B is above 1, the estimate of their ratio below."""
    logs = [0.01, 0.01, 0.01, 0.01, -0.2, -0.2, -0.2]
    a, b = of(64), of(128)
    values = {a: dict(enumerate(map(math.exp, logs))), b: dict.fromkeys(range(7), 1.0)}
    assert rank(values, [a, b], 0) == [a, b]
    assert best_first(values, [a, b], 0) == [b, a]
    assert ratios(values, b, 0)[a].estimate < 1


@pytest.mark.parametrize("seed", range(20))
def test_no_finalist_is_faster_than_the_winner_unless_reported(seed: int) -> None:
    grid = make_grid([64, 96, 128, 160], (), 2048)
    winner, search = find(grid, machine(lambda c: 50.0 + c.nb / 1000, seed), seed)
    assert winner is not None
    found = ratios(search.values, winner, search.final_from)
    faster = [c for c, ratio in found.items() if ratio.estimate > 1]
    notes = make_notes(search, winner, found, 2048, None)
    assert [str(c) for c in faster] == [n.partition(" is")[0] for n in notes if "times as" in n]


def test_finalists_that_beat_each_other_in_a_circle_are_named() -> None:
    a, b, c = of(64), of(96), of(128)
    values: dict[Candidate, dict[int, float]] = {x: {} for x in (a, b, c)}
    for round_, order in enumerate([(a, b, c), (b, c, a), (c, a, b)] * 4):
        for place, candidate in enumerate(order):
            values[candidate][round_] = (1.0, 0.99, 0.97)[place]
    search = Search(make_grid([64, 96, 128], (), 2048), exact(lambda _: 1.0), 12, 1)
    search.values = values
    winner = best_first(values, [a, b, c], 0)[0]
    found = ratios(values, winner, 0)
    above = [x for x, ratio in found.items() if ratio.estimate > 1]
    notes = make_notes(search, winner, found, 2048, None)
    assert sum("but slower than another finalist" in note for note in notes) == len(above)


def test_an_early_leaver_with_a_higher_estimate_is_explained() -> None:
    a, b, c = of(64), of(96), of(128)
    early = {0: 10.0, 1: 10.0, 2: 10.0}
    final = dict.fromkeys(range(3, 12), 10.0)
    values = {a: dict.fromkeys(early, 10.1), b: {**early, **final}, c: final}
    search = Search(make_grid([64, 96, 128], (), 2048), exact(lambda _: 1.0), 9, 1)
    search.values, search.final_from = values, 3
    found = ratios(values, b, 3)
    assert found[a].estimate > 1
    notes = make_notes(search, b, found, 2048, None)
    assert any("NB=64 (3 runs): left before the final" in n and "--tile 64,96" in n for n in notes)


@pytest.mark.parametrize("rounds", [3, 9], ids=["before the final", "in the final"])
def test_notes_say_nothing_of_a_candidate_that_failed(rounds: int) -> None:
    """It is not slower than others: the table has the reason for which it left."""
    a, b = of(64), of(96)
    values = {a: dict.fromkeys(range(rounds), 10.1), b: dict.fromkeys(range(12), 10.0)}
    search = Search(make_grid([64, 96, 128], (), 2048), exact(lambda _: 1.0), 9, 1)
    search.values, search.final_from = values, 3
    found = ratios(values, b, 3)
    assert found[a].estimate > 1
    assert make_notes(search, b, found, 2048, None) != []
    search.problems = {a: "crash: killed by SIGSEGV"}
    assert make_notes(search, b, found, 2048, None) == []
