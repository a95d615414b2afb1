# SPDX-License-Identifier: BSD-3-Clause
"""`pollux explain` takes its traces itself, in rounds, and keeps them."""

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import explain_program
import pytest
from explain_runs import explain, explain_json
from listings import listing, variant, write_names
from pollux.core.campaign.machine_load import Shares
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.process import Ended, run_process
from pollux.core.executables.turns import Arrival, Entrant
from pollux.core.tiles import Tile
from pollux.insight.explaining import between, session
from pollux.insight.explaining.between import explained_difference
from pollux.insight.explaining.session import Plan
from pollux.insight.graphs import obtain
from pollux.insight.graphs.file import read_graph
from pollux.insight.traces import in_turns
from pollux.insight.traces import obtain as traces
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest
from project import write_stand_in
from task_graphs import graph_lines, write_graph
from traces import trace_lines, write_lines

STAND_IN = "exit 70  # answered by explain_program"


def answer(command: Sequence[str], *given: Any, **options: Any) -> Ended:  # noqa: ANN401
    """What a build's stand-in does, in this process: starting one takes longer."""
    if STAND_IN not in Path(command[0]).read_text():
        return run_process(command, *given, **options)
    preset, _, name = command[0].split("/")[-3:]
    with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()) as said:
        status = explain_program.main(preset, name, [*command[1:]])
    return Ended(status, printed.getvalue(), said.getvalue())


def answer_in_turns(entrants: Sequence[Entrant], *_: object) -> list[Arrival]:
    ended = [answer(e.command, e.variables, e.seconds_limit) for e in entrants]
    return [Arrival(one, turns=2, ready_seconds=0.0) for one in ended]


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (obtain, traces):
        monkeypatch.setattr(module, "run_process", answer)
    monkeypatch.setattr(in_turns, "run_in_turns", answer_in_turns)
    monkeypatch.setattr(session, "lacking_at_once", lambda *_: None)
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        write_names(root / preset / "bin", ["lu", "lu-cw"])
        for name in ("lu", "lu-cw"):
            names = ["cw"] if name == "lu-cw" else ["seq", "depend", "taskloop"]
            listed = listing(name, [variant(v, "lu") for v in names])
            path = root / preset / "bin" / name
            write_stand_in(path, listed, f"{name} 1.0\nOpenMP: {preset}", STAND_IN)
    return root


def measured(builds: Path, **options: Any) -> dict[str, Any]:  # noqa: ANN401
    usual = {"size": 384, "tile": ["64"], "threads": 2, "rounds": 2, "build_root": builds}
    return usual | {"output": builds.parent / "out"} | options


@pytest.mark.slow
def test_what_was_measured_is_kept_and_explains_the_same_again(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = explain_json(capsys, "lu", **measured(builds))
    again = explain_json(capsys, builds.parent / "out", build_root=builds.parent / "nowhere")
    assert again == first
    assert [side["name"] for side in first["sides"]] == ["libgomp", "libomp"]
    assert [len(side["rounds"]) for side in first["sides"]] == [2, 2]
    assert "libgomp takes 1." in first["sentences"][0]


def test_a_graph_that_is_given_needs_no_build_with_ompt(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(builds / "libomp")
    options = measured(builds, runtime=["libgomp"], rounds=1)
    with pytest.raises(BadUsageError, match="--graph takes a file instead"):
        explain(["lu"], **options)
    both = graph_lines("lu-cw", "cw", 6) + graph_lines("lu", "depend", 6)
    graphs = [write_graph(builds.parent / "both.jsonl", both)]
    first = explain_json(capsys, "lu", graph=graphs, **options)
    again = explain_json(capsys, options["output"], build_root=builds)
    assert again == first
    [kept] = options["output"].glob("*.graph")
    assert str(read_graph(kept).instance) == "lu depend, N = 384, NB = 64"


def test_a_graph_file_of_something_else_is_refused(builds: Path) -> None:
    other = write_graph(builds.parent / "other.graph", graph_lines("lu", "depend", 5))
    options = measured(builds)
    words = r"--graph .*other.graph: none of its graphs is of lu depend, N = 384, NB = 64$"
    with pytest.raises(BadUsageError, match=words):
        explain(["lu"], graph=[other], **options)
    assert not options["output"].exists()
    lines = trace_lines(graph_lines("lu", "depend", 6), threads=2)
    trace = write_lines(builds.parent / "a.jsonl", lines)
    with pytest.raises(BadUsageError, match=words):
        explain([str(trace)], graph=[other], build_root=builds)


def test_a_graph_that_is_too_large_is_refused_before_anything_is_measured(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(obtain, "TASKS_MOST", 10)
    options = measured(builds)
    with pytest.raises(BadUsageError, match="lu depend, N = 384, NB = 64 has about"):
        explain(["lu"], **options)
    assert not options["output"].exists()


def test_all_variants_are_refused_before_anything_is_measured(builds: Path) -> None:
    options = measured(builds)
    with pytest.raises(BadUsageError, match="sides: name them in place of --variant all"):
        explain(["lu"], variant=["all"], **options)
    assert not options["output"].exists()


@pytest.mark.slow
def test_two_variants_are_measured_under_one_runtime(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explain_json(capsys, "lu", variant=["depend", "cw"], **measured(builds))
    assert [side["name"] for side in found["sides"]] == ["lu depend", "lu-cw cw"]
    assert {side["runtime"]["name"] for side in found["sides"]} == {"libomp"}


def test_with_one_thread_no_second_run_is_needed(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explain_json(capsys, "lu", runtime=["libomp"], **measured(builds, threads=1))
    assert [side["threads"] for side in found["sides"]] == [1]
    assert found["sides"][0]["terms"]["slowdown"] == 0


@pytest.mark.slow
def test_a_failing_run_leaves_what_was_measured_before(
    builds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLAIN_FAIL", f"4:{builds.parent / 'count'}")
    options = measured(builds, rounds=3)
    with pytest.raises(MachineError, match="the machine is on fire"):
        explain(["lu"], runtime=["libomp"], **options)
    capsys.readouterr()
    assert len(explain_json(capsys, options["output"])["sides"][0]["rounds"]) == 1


def test_what_ends_a_measurement_tells_how_to_explain_what_there_is(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLAIN_FAIL", f"2:{builds.parent / 'count'}")
    output = builds.parent / "a folder"
    with pytest.raises(MachineError, match=r"on fire; to .*: pollux explain '.*/a folder'$"):
        explain(["lu"], runtime=["libomp"], **measured(builds, output=output))
    (builds.parent / "count").write_text("x")
    with pytest.raises(MachineError, match=r"on fire$"):
        explain(["lu"], runtime=["libomp"], **measured(builds))


def test_all_rounds_are_taken_however_long_unless_they_are_to_decide(
    builds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    days = count(step=86400.0)
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: next(days)))
    options = measured(builds, runtime=["libomp"], threads=1, rounds=2)
    assert len(explain_json(capsys, "lu", **options)["sides"][0]["rounds"]) == 2
    options = measured(builds, rounds=2, until_decided=0.03, output=builds.parent / "until")
    assert len(explain_json(capsys, "lu", **options)["sides"][0]["rounds"]) == 1


@pytest.mark.parametrize(("judging", "rounds"), [(0, 2), (15, 1)])
def test_no_round_is_begun_that_would_end_after_the_budget(
    builds: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    judging: int,
    rounds: int,
) -> None:
    """Rounds of 50 s: after two of them, a third would end after 150; judged again in the end."""
    now = (time for end in count(0, 50) for time in (max(0, end - judging), end)[end == 0 :])
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: next(now)))
    options = measured(builds, until_decided=0.03, budget="2m", rounds=9)
    assert len(explain_json(capsys, "lu", **options)["sides"][0]["rounds"]) == rounds


def test_two_sides_take_turns_and_one_does_not(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together: list[list[tuple[str, int]]] = []

    def taking(wishes: Sequence[RunRequest], *given: Any, **options: Any) -> list[list[Trace]]:  # noqa: ANN401
        together.append([(wish.target, wish.threads) for wish in wishes])
        return in_turns.take_in_turns(wishes, *given, **options)

    monkeypatch.setattr(session, "take_in_turns", taking)
    explain(["lu"], runtime=["libomp"], **measured(builds))
    assert together == []
    explain(["lu"], **measured(builds, output=builds.parent / "two"))
    pairs = [[("libgomp", threads), ("libomp", threads)] for threads in (2, 1)]
    assert [sorted(rota) for rota in together] == pairs * 2


def test_two_sides_that_do_not_fit_are_run_one_after_the_other_and_it_is_said(
    builds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = explain_json(capsys, "lu", **measured(builds))
    monkeypatch.setattr(session, "lacking_at_once", lambda *_: "memory does not hold both")
    monkeypatch.setattr(session, "take_in_turns", None)
    apart = explain_json(capsys, "lu", **measured(builds, output=builds.parent / "apart"))
    assert apart == together
    explain(["lu"], **measured(builds, output=builds.parent / "again"))
    assert "memory does not hold both at once: they take no turns" in capsys.readouterr().out


def test_the_order_of_sides_is_drawn_anew_in_each_round(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first: list[str] = []

    def taking(wishes: Sequence[RunRequest], *given: Any, **options: Any) -> list[list[Trace]]:  # noqa: ANN401
        first.append(wishes[0].target)
        return in_turns.take_in_turns(wishes, *given, **options)

    monkeypatch.setattr(session, "take_in_turns", taking)
    explain(["lu"], **measured(builds, rounds=8))
    assert set(first[::2]) == set(first[1::2]) == {"libgomp", "libomp"}


def test_default_folders_are_of_one_process(builds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "RESULTS", builds.parent)
    options = measured(builds, runtime=["libomp"], threads=1, rounds=1, output=None)
    assert explain(["lu"], **options) == 0
    (folder,) = builds.parent.glob(f"explain-lu-*-{os.getpid()}")
    monkeypatch.setattr(session, "own_name", lambda _: folder.name)
    with pytest.raises(BadUsageError, match="File exists"):
        explain(["lu"], **options)


def test_a_folder_that_is_not_empty_is_not_written_to(builds: Path) -> None:
    options = measured(builds)
    options["output"].mkdir()
    (options["output"] / "mine").touch()
    with pytest.raises(BadUsageError, match="is not empty"):
        explain(["lu"], **options)


def test_an_interrupted_measurement_says_how_to_explain_what_there_is(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("pollux.insight.explaining.session.take_traces", interrupt)
    options = measured(builds, runtime=["libomp"])
    with pytest.raises(InterruptedByUserError, match=r"in round 1$"):
        explain(["lu"], **options)
    taken = count()
    take = traces.take_traces

    def one(*given: Any, **options: Any) -> list[Trace]:  # noqa: ANN401
        return take(*given, **options) if next(taken) == 0 else interrupt()

    monkeypatch.setattr("pollux.insight.explaining.session.take_traces", one)
    with pytest.raises(InterruptedByUserError, match=r"in round 1; .* pollux explain .*out"):
        explain(["lu"], **options)


def test_what_an_interruption_has_left_of_a_difference_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, began = tmp_path / "traces", []

    def interrupted(plan: Plan, output: Path, _: object, *, is_kept: bool) -> None:
        assert not is_kept  # so that nobody is told to explain it
        output.mkdir()  # it is refused where it exists
        began.append(plan)
        if len(began) == 1:
            raise InterruptedByUserError("interrupted")

    monkeypatch.setattr(between, "measure", interrupted)
    monkeypatch.setattr(between, "plan_of", lambda *_: "a plan")
    monkeypatch.setattr(between, "read_sides", lambda *_: [])
    monkeypatch.setattr(between, "graphs_for", lambda *_: [])
    monkeypatch.setattr(between, "explain_sides", lambda *_: SimpleNamespace(difference=None))
    work = {"preset": "libomp", "benchmark": "lu", "variant": "depend", "size": 384, "tile": 64}
    work |= {"threads": 2, "margin": 0.05, "seconds": 1.0}
    with pytest.raises(InterruptedByUserError):
        explained_difference(work, {}, folder, tmp_path)
    assert not folder.exists()
    for _ in range(2):  # the second time it is explained again
        assert explained_difference(work, {}, folder, tmp_path) == []
        assert len(began) == 2 and folder.is_dir()


@pytest.mark.parametrize(
    ("foreign", "words"),
    [(None, "a hypervisor withheld"), (0.05, "other processes used 5 % and a hypervisor withheld")],
)
def test_a_disturbance_is_told_where_other_processes_are_not_known(
    foreign: float | None, words: str
) -> None:
    assert session.disturbed(Shares(foreign, 0.2)).startswith(f"{words} 20 % of the processors")


def test_what_cannot_run_leaves_no_folder_behind(builds: Path) -> None:
    options = measured(builds)
    with pytest.raises(BadUsageError, match="no build nothing"):
        explain(["lu"], runtime=["nothing"], **options)
    listed = listing("lu", [variant("depend", "lu")])
    write_stand_in(builds / "libomp" / "bin" / "lu", listed, "lu 1.0\nOpenMP: libomp", "exit 2")
    with pytest.raises(BadUsageError):
        explain(["lu"], **options)
    assert not options["output"].exists()


@pytest.mark.parametrize("is_there", [True, False])
def test_a_first_run_that_fails_leaves_the_folder_as_it_was(
    builds: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLAIN_FAIL", f"1:{builds.parent / 'count'}")
    options = measured(builds, until_decided=0.03)
    if is_there:
        options["output"].mkdir()
    with pytest.raises(MachineError, match="on fire"):
        explain(["lu"], **options)
    assert options["output"].exists() == is_there
    assert not is_there or not any(options["output"].iterdir())


def test_times_alone_are_not_given_to_what_measures_them(builds: Path) -> None:
    options = measured(builds, alone=[builds / "nowhere"])
    with pytest.raises(BadUsageError, match="--alone is for files of traces"):
        explain(["lu"], **options)
    assert not options["output"].exists()


def test_ompt_is_measured_on_a_runtime_that_has_it(
    builds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    take = traces.take_traces

    def taking(*given: Any, ompt: bool, **options: Any) -> list[Trace]:  # noqa: ANN401
        asked.append(ompt)
        return take(*given, **options)

    monkeypatch.setattr(session, "take_traces", taking)
    found = explain_json(capsys, "lu", ompt=True, **measured(builds, rounds=1))
    assert [side["runtime"]["name"] for side in found["sides"]] == ["libomp"]
    assert asked == [True, False]


def test_a_runtime_without_ompt_is_refused_before_anything_is_measured(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "take_traces", None)
    options = measured(builds, runtime=["libomp", "libgomp"])
    with pytest.raises(MachineError, match=r"libgomp: exit status 3: lu: libgomp has no OMPT$"):
        explain(["lu"], ompt=True, **options)
    assert not options["output"].exists()


@pytest.mark.parametrize(("seconds", "warmups"), [(0.9, [3, 3]), (1.0, [3, 0])])
def test_long_runs_on_one_thread_need_no_warm_up(
    builds: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, warmups: list[int]
) -> None:
    """They take at least as long as the run on all threads before them."""
    asked: list[int] = []
    take = traces.take_traces

    def taking(wish: RunRequest, **options: Any) -> list[Trace]:  # noqa: ANN401
        asked.append(wish.warmup)
        return [replace(trace, region=round(seconds * 1e9)) for trace in take(wish, **options)]

    monkeypatch.setattr(session, "take_traces", taking)
    explain(["lu"], runtime=["libomp"], **measured(builds, rounds=1))
    assert asked == warmups


def test_tiles_are_compared_in_the_order_given(
    builds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = measured(builds, tile=["128,64"], threads=1, rounds=1)
    found = explain_json(capsys, "lu", **options)
    assert [side["name"] for side in found["sides"]] == ["NB = 128", "NB = 64"]


@pytest.mark.parametrize("tile", [["64,64x64,default"], ["default", "fastest"]])
def test_a_run_is_not_compared_with_itself(
    builds: Path, tile: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Benchmarks, "tile", lambda *_: Tile.square(64))
    options = measured(builds, tile=tile)
    with pytest.raises(
        BadUsageError, match=r"lu depend, N = 384, NB = 64, openblas kernels, is given twice"
    ):
        explain(["lu"], **options)
    assert not options["output"].exists()


def test_a_sequential_variant_runs_once_in_a_round(
    builds: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPLAIN_SEQUENTIAL", "1")
    found = explain_json(capsys, "lu", runtime=["libomp"], **measured(builds))
    assert [(s["threads"], len(s["rounds"])) for s in found["sides"]] == [(1, 2)]


def test_a_variant_whose_graph_depends_on_the_team_is_not_measured(builds: Path) -> None:
    options = measured(builds, variant=["taskloop"])
    with pytest.raises(BadUsageError, match="lu taskloop has another task graph for each team"):
        explain(["lu"], **options)
    assert not options["output"].exists()


def test_more_than_two_sides_are_not_measured(builds: Path) -> None:
    options = measured(builds, tile=["32,64,96"])
    with pytest.raises(BadUsageError, match="not 3"):
        explain(["lu"], **options)
    assert not options["output"].exists()


@pytest.mark.parametrize("text", ["", "{}", '{"until_decided": 3}', '{"until_decided": null}'])
def test_rounds_whose_end_is_not_known_are_refused(tmp_path: Path, text: str) -> None:
    """Their number may have been chosen by what they showed, which makes intervals wider."""
    file = tmp_path / session.MARGIN
    assert session.kept_margin([tmp_path]) is None
    session.keep_margin(0.03, tmp_path)
    assert session.kept_margin([tmp_path]) == 0.03
    file.write_text(text)
    with pytest.raises(BadUsageError, match=re.escape(f"{file}: cannot be read")):
        session.kept_margin([tmp_path])
