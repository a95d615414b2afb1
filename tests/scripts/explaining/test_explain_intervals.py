# SPDX-License-Identifier: BSD-3-Clause
"""More rounds of `pollux explain` tell more, and rounds that decide the cause are the last ones."""

import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import pytest
from explain_program import SLOW_DOWN, duration
from explain_runs import Files, explain, explain_json
from listings import listing, variant, write_names
from pollux.core.analysis.anytime import Pairs
from pollux.core.errors import BadUsageError
from pollux.insight.explaining import session
from pollux.insight.explaining.deciding import Deciding
from pollux.insight.explaining.explanation import Difference, differ, differ_anytime
from pollux.insight.explaining.groups import GROUPS
from pollux.insight.explaining.model import Round, Split, Terms
from pollux.insight.explaining.show import difference_caption
from pollux.insight.explaining.spread import Spread, Verdict, anytime, shift, spread
from pollux.insight.traces.file import read_traces, write_trace
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest
from project import HELPERS, write_stand_in
from task_graphs import graph_lines
from traces import Call, trace_lines, usual_duration, write_lines

PROGRAM = HELPERS / "explain_program.py"
THREADS = 2
TOTAL = 100_000_000  # ns of thread-time of the first side
MARGIN = 0.03


def split(rng: random.Random, noise: float, **more: float) -> Round:
    """A round of one run whose terms have noise of their own; `more` are shares of TOTAL."""
    shares = {"work": 0.7, "slowdown": 0.05, "creating": 0.1, "dispatch": 0.05, "lack": 0.04}
    shares |= {"uncreated": 0.01, "finishing": 0.0, "ready": 0.05}
    values = {
        key: round(TOTAL * (share * rng.lognormvariate(0, noise) + more.get(key, 0.0)))
        for key, share in shares.items()
    }
    terms = Terms(**values)
    return on_threads(THREADS, terms)


def on_threads(threads: int, terms: Terms) -> Round:
    region = terms.total // threads
    return [cast(Split, SimpleNamespace(threads=threads, region=region, terms=terms))]


def sides(
    rounds: int, noise: float, seed: int = 1, **more: float
) -> tuple[list[Round], list[Round]]:
    rng = random.Random(seed)
    return (
        [split(rng, noise) for _ in range(rounds)],
        [split(rng, noise, **more) for _ in range(rounds)],
    )


def width(found: Difference) -> float:
    return found.ratio.high - found.ratio.low


def test_a_difference_is_found_though_single_rounds_contradict_it() -> None:
    """6 % with rounds that deviate by as much: their range holds 1, the interval does not."""
    first, second = sides(20, 0.06, creating=0.06)
    found = differ(first, second)
    ratios = [b.region / a.region for (a,), (b,) in zip(first, second, strict=True)]
    assert min(ratios) < 1 < max(ratios)
    assert not found.is_noise
    assert found.ratio.low < 1.06 < found.ratio.high
    assert found.verdict("creating") is found.verdict("overhead") is Verdict.MORE
    assert {found.verdict(key) for key in ("work", "slowdown", "lack")} <= {
        Verdict.SAME,
        Verdict.OPEN,
    }


def test_intervals_narrow_with_the_number_of_rounds() -> None:
    widths = [width(differ(*sides(rounds, 0.05, creating=0.05))) for rounds in (6, 24, 96)]
    assert widths[0] > 1.5 * widths[1] > 2 * widths[2]
    rng = random.Random(3)
    values = [rng.gauss(10, 1) for _ in range(200)]
    ends = [spread(values[:n]) for n in (5, 20, 200)]
    assert (ends[0].low, ends[0].high) == (min(values[:5]), max(values[:5]))
    assert ends[1].high - ends[1].low > 2 * (ends[2].high - ends[2].low)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Of both kinds, over 100 comparisons of 12 rounds: at least 90 %, 95 % being nominal."""
    held = [0, 0]
    for seed in range(100):
        first, second = sides(12, 0.03, seed, creating=0.05)
        own, other = ([[s.terms.creating / TOTAL] for (s,) in side] for side in (first, second))
        pairs = Pairs(MARGIN, (b - a for (a,), (b,) in zip(own, other, strict=True)))
        for place, found in enumerate((shift(own, other), anytime(pairs))):
            held[place] += found.contains(0.05)
    assert min(held) >= 90


def test_rounds_that_are_no_pairs_are_compared_as_two_sets() -> None:
    rng = random.Random(5)
    first = [[rng.gauss(100, 3)] for _ in range(15)]
    second = [[rng.gauss(110, 3)] for _ in range(9)]
    found = shift(first, second)
    assert found.rounds == 9
    assert 5 < found.low < 10 < found.high < 15
    few = shift(first[:3], second[:2])
    assert not few.is_conclusive
    assert few.low <= few.median <= few.high


def test_rounds_that_decided_nothing_are_counted_all_the_same() -> None:
    found = anytime(Pairs(MARGIN, [0.5, -0.4, 0.3, -0.6, 0.2, -0.1]))
    assert (found.rounds, found.low, found.high) == (6, -0.6, 0.5)
    assert not found.is_conclusive
    inverse = found.mapped(lambda value: -value)
    assert (inverse.rounds, inverse.low, inverse.high) == (6, -0.5, 0.6)
    assert not inverse.is_conclusive


def rounds_until_decided(noise: float, seed: int, more: Mapping[str, float]) -> int | None:
    deciding = Deciding(MARGIN)
    rng = random.Random(seed)
    for number in range(1, 401):
        deciding.add(split(rng, noise), split(rng, noise, **more))
        if deciding.is_decided:
            return number
    return None


def test_parts_are_equal_within_the_share_that_is_stated() -> None:
    deciding = Deciding(0.5)
    for pairs in (*deciding.groups.values(), *deciding.between.values()):
        assert pairs.margin == pytest.approx(0.5)


@pytest.mark.parametrize("cause", ["creating", "dispatch", "lack", "ready", "slowdown"])
def test_it_ends_when_the_cause_is_decided_and_names_it(cause: str) -> None:
    more = {cause: 0.08}
    number = rounds_until_decided(0.05, 7, more)
    assert number is not None and number < 100
    rng = random.Random(7)
    both = [(split(rng, 0.05), split(rng, 0.05, **more)) for _ in range(number)]
    found = differ_anytime([a for a, _ in both], [b for _, b in both], MARGIN)
    main = max(GROUPS, key=lambda term: found.terms[term.key].median)
    assert cause in (main.key, *main.parts)
    assert found.verdict(main.key) is Verdict.MORE


@pytest.mark.parametrize("is_first", [True, False])
def test_of_fewer_threads_time_per_thread_is_compared(is_first: bool) -> None:
    """A quarter of the threads, and no idle time: the work of each is the cause, and decided."""
    rng, deciding = random.Random(5), Deciding(MARGIN)
    pairs = []
    for _ in range(20):
        slow = split(rng, 0.02)
        fast = on_threads(4 * THREADS, split(rng, 0.02, lack=0.5)[0].terms)
        pairs.append((slow, fast) if is_first else (fast, slow))
        deciding.add(*pairs[-1])
    assert deciding.is_decided
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    for found in (differ(first, second), differ_anytime(first, second, MARGIN)):
        assert found.is_per_thread
        assert found.verdict("work") is (Verdict.LESS if is_first else Verdict.MORE)
        whole = [(b.region - a.region) / TOTAL for (a,), (b,) in pairs]
        assert found.total.median / TOTAL == pytest.approx(median(whole), rel=0.05)


def test_larger_differences_are_decided_sooner_and_none_at_all_is_decided_too() -> None:
    large, small, none = (
        rounds_until_decided(0.02, 3, {"creating": share}) for share in (0.2, 0.06, 0.0)
    )
    assert large is not None and small is not None and none is not None
    assert large <= small
    first, second = sides(none, 0.02, 3)
    assert all(
        differ_anytime(first, second, MARGIN).verdict(t.key) is not Verdict.MORE for t in GROUPS
    )


@pytest.mark.parametrize(
    ("share", "words"), [(0.03, "3 %"), (0.005, "0.5 %"), (0.0025, "0.25 %"), (0.07, "7 %")]
)
def test_what_counts_as_the_same_is_said_as_it_was_given(share: float, words: str) -> None:
    caption = difference_caption(differ_anytime(*sides(6, 0.02), share))
    assert f"same (within {words} of the thread-time) or open" in caption


def test_only_terms_that_rounds_have_share_the_level() -> None:
    """Five terms, each pair of them, and the times; nothing waits for messages in one process."""
    deciding = Deciding(MARGIN)
    assert "messages" not in deciding.groups
    assert deciding.enough == pytest.approx(0.05 / (5 + 10 + 1))


@pytest.mark.slow
def test_equal_sides_are_hardly_ever_given_a_cause() -> None:
    """20 comparisons of sides that are the same, each looked at after every round."""
    wrong = 0
    for seed in range(20):
        deciding = Deciding(MARGIN)
        rng = random.Random(seed)
        for _ in range(25):
            deciding.add(split(rng, 0.03), split(rng, 0.03))
            if deciding.is_decided:
                wrong += deciding.ratio.anytime().equivalence > deciding.enough
                break
    assert wrong <= 1


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Builds whose runs take no time: their traces are made here."""
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        write_names(root / preset / "bin", ["lu"])
        listed = listing("lu", [variant("depend", "lu")])
        command = f'exec "{sys.executable}" "{PROGRAM}" {preset} lu "$@"'
        program = root / preset / "bin" / "lu"
        write_stand_in(program, listed, f"lu 1.0\nOpenMP: {preset}", command)
    lines, rng = graph_lines("lu", "depend", 6, nb=64), random.Random(1)

    def take(request: RunRequest) -> list[Trace]:
        threads, runtime = request.threads, request.target
        factor = SLOW_DOWN[runtime] if threads > 1 else 1.0

        def made(repetition: int) -> list[str]:
            kernels = duration(factor, rng)
            return trace_lines(
                lines, threads=threads, duration=kernels, runtime=runtime, repetition=repetition
            )

        return read_traces(write_lines(tmp_path / "some.jsonl", *map(made, range(request.traced))))

    def take_all(requests: Sequence[RunRequest], *_: object, **__: object) -> list[list[Trace]]:
        return list(map(take, requests))

    monkeypatch.setattr(session, "take_in_turns", take_all)
    monkeypatch.setattr(session, "lacking_at_once", lambda *_: None)
    return root


def options(builds: Path, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    usual = {"size": 384, "tile": ["64"], "threads": 2, "build_root": builds}
    return usual | {"output": builds.parent / "out", "until_decided": MARGIN} | more


def test_the_command_ends_by_itself_and_its_folder_explains_the_same_again(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = explain_json(capsys, "lu", **options(builds))
    assert 9 <= first["difference"]["ratio"]["rounds"] <= 30
    assert first["difference"]["sequential"]
    assert "mainly because of kernel slow-down" in first["sentences"][0]
    assert first["difference"]["verdicts"]["slowdown"] == "less"  # libomp has less
    assert first["difference"]["ratio"]["conclusive"]
    assert not any(side["region_range"]["conclusive"] for side in first["sides"])
    assert explain([str(builds.parent / "out")], build_root=builds) == 0
    assert "which only describes them" in capsys.readouterr().out
    folder = builds.parent / "out"
    for what in ([folder], sorted(folder.glob("*.jsonl"))):
        again = explain_json(capsys, *what, build_root=builds.parent / "nowhere")
        assert again == first


def test_a_round_that_was_interrupted_changes_no_rule(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = explain_json(capsys, "lu", **options(builds))
    (path,) = (builds.parent / "out").glob("*libomp*.jsonl")
    path.write_bytes(b"".join(map(write_trace, read_traces(path)[:-1])))
    again = explain_json(capsys, builds.parent / "out", build_root=builds)
    rounds = [found["difference"]["ratio"]["rounds"] for found in (first, again)]
    assert again["difference"]["sequential"]
    assert rounds[1] == rounds[0] - 1


def test_a_round_that_only_one_side_has_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rounds drift by far more than the sides differ, so that only pairs show who is slower."""
    drift = [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
    files = Files(tmp_path)
    one = files.write("libomp", [*drift, 4.0])
    other = files.write("libgomp", [1.05 * factor for factor in drift])
    first, second = one.rename(tmp_path / "1-a.jsonl"), other.rename(tmp_path / "2-b.jsonl")
    found = explain_json(capsys, first, second, graph=[files.graph])
    assert [len(side["rounds"]) for side in found["sides"]] == [6, 6]
    assert found["difference"]["verdicts"]["slowdown"] == "more"
    assert found["sides"][0]["region_range"]["conclusive"]
    own = second.rename(tmp_path / "own.jsonl")  # no file of explain's
    found = explain_json(capsys, first, own, graph=[files.graph])
    assert [len(side["rounds"]) for side in found["sides"]] == [7, 6]
    assert found["difference"]["verdicts"]["slowdown"] == "open"


@pytest.mark.parametrize("limit", [{"rounds": 3}, {"budget": "1us"}])
def test_a_limit_ends_it_undecided_and_says_so(
    builds: Path, capsys: pytest.CaptureFixture[str], limit: dict[str, Any]
) -> None:
    assert explain(["lu"], **options(builds, **limit)) == 0
    printed = capsys.readouterr().out
    assert "not decided in " in printed
    assert json.loads((builds.parent / "out/until-decided.json").read_text()) == {
        "until_decided": MARGIN
    }


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"runtime": ["libomp"]}, "--until-decided compares: give two runtimes"),
        ({"until_decided": None, "budget": "1m"}, "--budget is the time for --until-decided"),
    ],
)
def test_what_makes_no_sense_is_refused(builds: Path, more: dict[str, Any], words: str) -> None:
    with pytest.raises(BadUsageError, match=words):
        explain(["lu"], **options(builds, **more))
    assert not (builds.parent / "out").exists()


def test_files_have_the_rounds_that_they_have(tmp_path: Path, builds: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", trace_lines(graph_lines("lu", "depend", 3)))
    with pytest.raises(BadUsageError, match="--until-decided is for runs"):
        explain([str(path)], until_decided=MARGIN, build_root=builds)


def test_a_few_rounds_have_no_verdict() -> None:
    assert Spread(5, 4, 6, 5).verdict(1) is Verdict.OPEN
    assert Spread(5, 4, 6, 6).verdict(1) is Verdict.MORE
    assert Spread(-5, -6, -4, 6).verdict(1) is Verdict.LESS
    assert Spread(0, -1, 1, 6).verdict(1) is Verdict.SAME
    assert Spread(0, -1, 2, 6).verdict(1) is Verdict.OPEN


def test_a_negligible_difference_is_none_however_sure() -> None:
    assert Spread(0.05, 0.04, 0.06, 6).verdict(1) is Verdict.SAME
    assert Spread(-0.05, -0.06, -0.04, 6).verdict(1) is Verdict.SAME
    assert Spread(0.2, 0.1, 0.3, 6).verdict(1) is Verdict.MORE


def test_few_rounds_are_reported_as_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = Files(tmp_path)
    for count, is_few in ((2, True), (6, False)):
        first = files.write("libomp", [1.0] * count)
        second = files.write("libgomp", [1.3] * count)
        verdict = explain_json(capsys, first, second, graph=[files.graph])["sentences"][0]
        assert ("too few to rule out chance" in verdict) == is_few
        explain([str(first), str(second)], graph=[files.graph])
        assert ("Hodges-Lehmann" in capsys.readouterr().out) != is_few


def test_the_range_of_each_side_is_named_for_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path)
    paths = [files.write(name, [1.0] * n) for name, n in (("libomp", 6), ("libgomp", 2))]
    explain([*map(str, paths)], graph=[files.graph])
    ranges = (
        "95 % interval of the median over rounds (libomp 19), "
        "smallest and largest of all rounds (libgomp 12)"
    )
    assert f"range: {ranges}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("longer", [1, 5])
def test_work_outside_its_range_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], longer: int
) -> None:
    files, found = Files(tmp_path), []
    for number in range(3):  # each call is interrupted in one of the rounds, by itself

        def alone(call: Call, number: int = number) -> int:
            return usual_duration(call) * (longer if sum(call[1:]) % 3 == number else 1)

        found.append(files.trace("libomp", 4, 1.1, 500))
        found.append(trace_lines(files.lines, threads=1, duration=alone))
    path = write_lines(files.folder / "libomp.jsonl", *found)
    lines = explain_json(capsys, path, graph=[files.graph])["warnings"]
    assert any("are outside their ranges" in line for line in lines) == (longer > 1)


def test_a_side_that_is_named_by_its_threads_says_them_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path)
    paths = [
        write_lines(files.folder / str(threads), files.trace("libomp", threads, 1.0, 500))
        for threads in (1, 2)
    ]
    found = explain_json(capsys, *paths, graph=[files.graph])
    assert [side["name"] for side in found["sides"]] == ["1 thread", "2 threads"]
    assert not any(" on " in line for line in found["sentences"])
