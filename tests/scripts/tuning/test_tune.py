# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `pollux tune`: what it runs and stores, however the runs end."""

import dataclasses
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from pollux.core.advice import SAME_COMMAND
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.campaign.tuned import read
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.machine.tuning import evaluator as evaluator_module
from pollux.machine.tuning.search import ROUNDS_OF_A_PROCESS
from pollux.machine.tuning.session import tune_all
from pollux.machine.tuning.targets import Target, find_targets
from tuning_runs import Simulate, Take, found_in, good, journal_of, plan, process


def bad(outcome: Outcome) -> Taken:
    return Taken(outcome, "a planted problem", "the stacks", [], 0.1, [])


def test_the_best_tile_of_each_runtime_is_stored(simulate: Simulate, tmp_path: Path) -> None:
    counted = simulate(good)
    path = tmp_path / "tuned.json"
    assert tune_all(plan(), path, None, as_json=False) == 0
    assert found_in(path, "libgomp") == found_in(path, "libomp") == (192, None)
    entry = read(path).entries[0]
    assert (entry.runtime_build_id, entry.blas_core) == ("libgomp-id", "SkylakeX")
    assert entry.runs == sum(p.runs for p in entry.points) == counted["libgomp"]


def test_tall_tiles_are_tried_where_the_benchmark_has_them() -> None:
    made = plan("libgomp", heights=(1, 4))
    (tall,) = made.targets
    assert made.grid(tall).heights == (1, 4)
    assert made.grid(dataclasses.replace(tall, tall_tiles=False)).heights == (1,)


def test_every_run_is_a_record_that_can_be_compared(simulate: Simulate, tmp_path: Path) -> None:
    counted = simulate(good)
    tune_all(plan(), tmp_path / "tuned.json", None, as_json=False)
    dataset = load([journal_of(tmp_path)])
    assert not dataset.unreadable
    assert sum(s.repetitions for s in dataset.samples) == counted.total()
    assert all(s.repetitions <= ROUNDS_OF_A_PROCESS for s in dataset.samples)
    rounds = Counter((s.configuration, s.round) for s in dataset.samples)
    assert set(rounds.values()) == {1}
    rotas: dict[int | None, set[int | None]] = {}
    for s in dataset.samples:
        rotas.setdefault(s.rota, set()).add(s.round)
    assert None not in rotas
    assert all(len(own) == 1 for own in rotas.values())
    met = {(s.round, dataset.configurations[s.configuration].runtime) for s in dataset.samples}
    assert len({round_ for round_, _ in met}) == len(met)  # runtimes share no round


def test_without_a_tile_no_file_of_tiles_is_named(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(lambda c, seed: bad(Outcome.CRASH))
    path = tmp_path / "tuned.json"
    assert tune_all(plan("libgomp"), path, None, as_json=False) == 1
    assert not path.exists() and str(path) not in capsys.readouterr().out


@pytest.mark.parametrize("outcome", [Outcome.CRASH, Outcome.HANG, Outcome.FAILED_CHECK])
def test_a_candidate_whose_run_fails_is_a_row_and_never_wins(
    simulate: Simulate,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    outcome: Outcome,
) -> None:
    simulate(lambda c, seed: bad(outcome) if str(c.tile) in ("160", "192") else good(c, seed))
    path = tmp_path / "tuned.json"
    assert tune_all(plan("libgomp"), path, None, as_json=False) == 1
    assert found_in(path, "libgomp") not in (None, (192, None), (160, None))
    assert f"{outcome}: a planted problem" in capsys.readouterr().out


def test_a_tile_whose_digests_differ_between_runtimes_is_not_stored(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Either may be wrong: it is stored for neither."""

    def take(c: Configuration, seed: int) -> Taken:
        changes = {"digest": "bad"} if (c.runtime, str(c.tile)) == ("libomp", "192") else {}
        return good(c, seed, **changes)

    simulate(take)
    path = tmp_path / "tuned.json"
    assert tune_all(plan(), path, None, as_json=False) == 1
    assert found_in(path, "libgomp") is None
    assert found_in(path, "libomp") not in (None, (192, None))
    out = capsys.readouterr().out
    assert "differs from that of depend on libgomp" in out
    assert "not stored: digests differ at NB=192" in out


def test_a_tile_whose_digests_differ_between_variants_is_stored_for_none(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search for the first was done and stored before the other differed."""

    def take(c: Configuration, seed: int) -> Taken:
        changes = {"digest": "bad"} if (c.variant, str(c.tile)) == ("lean", "192") else {}
        return good(c, seed, **changes)

    simulate(take)
    path = tmp_path / "tuned.json"
    (one,) = plan("libgomp").targets
    both = [one, dataclasses.replace(one, variant="lean")]
    assert tune_all(plan(targets=both), path, None, as_json=False) == 1
    assert [(e.variant, e.tile.brief() == 192) for e in read(path).entries] == [("lean", False)]
    summary = capsys.readouterr().out.rpartition("GFlop/s (95 %)")[2]
    assert "cholesky depend on libgomp, N=2048: not stored: digests differ at NB=192" in summary


def test_digests_of_other_parameters_are_not_compared(simulate: Simulate, tmp_path: Path) -> None:
    def take(c: Configuration, seed: int) -> Taken:
        return good(c, seed, digest=f"{c.parameters['sweeps']}", parameters=c.parameters)

    simulate(take)
    (one,) = plan("libgomp").targets
    both = [dataclasses.replace(one, parameters=(("sweeps", count),)) for count in (4, 8)]
    path = tmp_path / "tuned.json"
    assert tune_all(plan("libgomp", targets=both), path, None, as_json=False) == 0
    assert [entry.parameters for entry in read(path).entries] == [{"sweeps": 4}, {"sweeps": 8}]


def test_where_all_candidates_fail_nothing_is_stored_and_the_others_go_on(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(lambda c, s: bad(Outcome.CRASH) if c.runtime == "libgomp" else good(c, s))
    path = tmp_path / "tuned.json"
    assert tune_all(plan(), path, None, as_json=False) == 1
    assert (found_in(path, "libgomp"), found_in(path, "libomp")) == (None, (192, None))
    assert "no candidate ran without a failure" in capsys.readouterr().out


def interrupted_after(runs: int) -> Take:
    taken: list[int] = []

    def take(c: Configuration, seed: int) -> Taken:
        if len(taken) == runs:
            raise KeyboardInterrupt
        taken.append(seed)
        return good(c, seed)

    return take


@pytest.mark.parametrize(
    "remedy", ["", f": free some space, then {SAME_COMMAND} resumes from there"]
)
def test_a_search_that_fails_says_how_to_resume_it(
    simulate: Simulate, tmp_path: Path, remedy: str
) -> None:
    def full(*_: object) -> Taken:
        raise MachineError(f"cannot write the records (No space left on device){remedy}")

    simulate(full)
    with pytest.raises(MachineError, match="No space left") as raised:
        tune_all(plan(), tmp_path / "tuned.json", None, as_json=False)
    said = raised.value.format_message()
    assert f"the same command with --resume {journal_of(tmp_path)} resumes" in said
    assert said.count("resume") == 2


@pytest.mark.slow
def test_an_interrupted_search_keeps_its_runs_and_can_be_resumed(
    simulate: Simulate, tmp_path: Path
) -> None:
    whole = simulate(good)
    tune_all(plan(), tmp_path / "whole.json", None, as_json=False)
    folder = tmp_path / "interrupted"
    path = folder / "tuned.json"
    runs = whole["libgomp"] + 60
    before = simulate(interrupted_after(runs))
    with pytest.raises(InterruptedByUserError) as raised:
        tune_all(plan(), path, None, as_json=False)
    assert whole["libgomp"] < before.total() <= runs
    assert found_in(path, "libgomp") == (192, None)  # finished before
    assert found_in(path, "libomp") is None
    journal = journal_of(folder)
    assert f"--resume {journal}" in str(raised.value)
    assert sum(s.repetitions for s in load([journal]).samples) == before.total()  # whole rotas

    after = simulate(good)
    assert tune_all(plan(), path, journal, as_json=False) == 0
    assert found_in(path, "libomp") == (192, None)
    assert before + after == whole
    assert after["libgomp"] == 0
    first, second = (read(p).entries for p in (tmp_path / "whole.json", path))
    assert [e.points for e in first] == [e.points for e in second]


def test_runs_that_a_journal_had_say_nothing_of_the_time_that_is_left(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(good)
    path = tmp_path / "tuned.json"
    tune_all(plan("libgomp", rounds=20), path, None, as_json=False)
    assert " left\n" in capsys.readouterr().out
    tune_all(plan("libgomp", rounds=20), path, journal_of(tmp_path), as_json=False)
    resumed = capsys.readouterr().out
    assert "final, 4 candidates, run" in resumed
    assert " left" not in resumed


def test_what_an_interrupted_search_stored_is_removed_where_digests_turn_out_to_differ(
    simulate: Simulate, tmp_path: Path
) -> None:
    def interrupted(c: Configuration, seed: int) -> Taken:
        if c.runtime == "libomp":
            raise KeyboardInterrupt
        return good(c, seed)

    def disputed(c: Configuration, seed: int) -> Taken:
        return good(c, seed, **({"digest": "bad"} if str(c.tile) == "192" else {}))

    path = tmp_path / "tuned.json"
    simulate(interrupted)
    with pytest.raises(InterruptedByUserError):
        tune_all(plan(), path, None, as_json=False)
    assert found_in(path, "libgomp") == (192, None)
    simulate(disputed)
    assert tune_all(plan(), path, journal_of(tmp_path), as_json=False) == 1
    assert found_in(path, "libgomp") is None
    assert found_in(path, "libomp") not in (None, (192, None))


def test_records_of_another_search_cannot_be_resumed(simulate: Simulate, tmp_path: Path) -> None:
    simulate(good)
    path = tmp_path / "tuned.json"
    tune_all(plan(), path, None, as_json=False)
    with pytest.raises(BadUsageError, match="other options"):
        tune_all(plan(seed=2), path, journal_of(tmp_path), as_json=False)


def test_a_damaged_file_of_tiles_is_reported_before_anything_runs(
    simulate: Simulate, tmp_path: Path
) -> None:
    counted = simulate(good)
    path = tmp_path / "tuned.json"
    path.write_text("{")
    with pytest.raises(BadUsageError, match="is damaged"):
        tune_all(plan(), path, None, as_json=False)
    assert (counted.total(), path.read_text()) == (0, "{")


def test_a_folder_that_cannot_be_written_is_reported_before_anything_runs(
    simulate: Simulate, tmp_path: Path
) -> None:
    counted = simulate(good)
    (tmp_path / "tuning").write_text("a file, no folder")
    with pytest.raises(MachineError, match="cannot write"):
        tune_all(plan(), tmp_path / "tuned.json", None, as_json=False)
    assert counted.total() == 0


def test_a_candidate_much_slower_than_the_fastest_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    limits: list[set[tuple[int, float]]] = []

    def take_rota(orders: Sequence[Order], rng: random.Random) -> list[Taken]:
        limits.append({(order.repetitions, order.seconds_limit) for order in orders})
        return [process(order, good) for order in orders]

    monkeypatch.setattr(evaluator_module, "take_rota", take_rota)
    monkeypatch.setattr(evaluator_module, "fit_together", lambda configurations: True)
    tune_all(plan("libgomp", time_limit=300.0), tmp_path / "tuned.json", None, as_json=False)
    ((count, first),), *later = limits
    assert first == pytest.approx(300.0 * count)
    for ((count, limit),) in later:
        patience = evaluator_module.LEAST_SECONDS + 0.1 * count * evaluator_module.HOPELESS
        assert limit == pytest.approx(patience)


def test_candidates_that_memory_does_not_hold_at_once_are_run_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(evaluator_module, "fit_together", lambda configurations: False)
    monkeypatch.setattr(
        evaluator_module,
        "take_sample",
        lambda order: dataclasses.replace(process(order, good), in_turns=False),
    )
    path = tmp_path / "tuned.json"
    assert tune_all(plan("libgomp"), path, None, as_json=False) == 0
    assert found_in(path, "libgomp") == (192, None)
    assert {sample.rota for sample in load([journal_of(tmp_path)]).samples} == {None}


def test_each_kernel_set_is_tuned_by_itself(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    monkeypatch.setenv("FAKE_WITHOUT_TUNED", "it is for another processor")

    def found(*kernels: str) -> list[Target]:
        return find_targets(
            build_root,
            benchmarks=["lu"],
            variants=[],
            kernels=kernels,
            sizes=[512],
            threads=2,
            presets=["libgomp"],
        )

    plain, tuned = found("openblas", "tuned")
    assert (plain.kernels, plain.unavailable) == ("openblas", None)
    assert tuned.unavailable == "kernel set tuned: it is for another processor"
    assert plain.cell != tuned.cell
    tile = plan().grid(plain).all()[0]
    assert "--kernels tuned" in " ".join(tuned.configuration(tile).arguments)
    with pytest.raises(BadUsageError, match="--kernels mine: unknown"):
        found("mine")
