# SPDX-License-Identifier: BSD-3-Clause
"""Traces are taken by the executables as requested; errors are one line."""

import json
import resource
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from listings import listing, variant, write_names
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.tiles import Tile
from pollux.insight.commands.gantt import gantt
from pollux.insight.graphs.model import Instance
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.obtain import RunRequest, run, take_trace
from pollux.insight.traces.taking import append
from project import write_script
from run_record import record
from task_graphs import graph_lines
from traces import trace_lines, write_lines

SPECIMEN = Instance("lu", "depend", 256, 256, Tile.square(64), None)
Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Makes a build tree whose lu behaves as requested and logs its arguments."""

    def make(  # noqa: PLR0913 (the ways an executable can fail)
        status: int = 0,
        words: str = "",
        *,
        trace: list[str] | None = None,
        passed: bool = True,
        records: int = 1,
        preset: str = "libomp",
    ) -> Path:
        lines = trace if trace is not None else trace_lines(graph_lines("lu", "depend", 4))
        kept = write_lines(tmp_path / f"{preset}.trace", lines)
        printed = record(("lu", "depend", 256, 64), preset, 42, 5.0, passed=passed)
        if not passed:
            printed["residuals"][0] |= {"passed": False, "value": 99.0}
        listed = listing("lu", [variant("depend", "lu")])
        write_names(tmp_path / "build" / preset / "bin", ["lu"])
        write_script(
            tmp_path / "build" / preset / "bin" / "lu",
            f"""
echo "$@" >> {shlex.quote(str(tmp_path / "calls"))}
case "$1" in
--version) exit 0 ;;
--list) echo {shlex.quote(json.dumps(listed))}; exit 0 ;;
esac
while [ $# -gt 0 ]; do
    [ "$1" = --trace ] && [ {status} = 0 ] && cp {shlex.quote(str(kept))} "$2"
    shift
done
for i in $(seq {records}); do echo {shlex.quote(json.dumps(printed))}; done
echo {shlex.quote(words)} >&2
exit {status}""",
        )
        return tmp_path / "build"

    return make


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text().splitlines()


def test_a_trace_is_of_the_requested_run(build: Build, tmp_path: Path) -> None:
    trace = take_trace(
        RunRequest(SPECIMEN, 2, "libomp", seed=7, repeat=3), ompt=True, build_root=build()
    )
    assert trace.instance == SPECIMEN
    assert trace.label == "libomp"
    [call] = calls(tmp_path)
    asked = shlex.split(call)
    for option in ("--variant depend", "--size 256", "--tile 64", "--threads 2", "--seed 7"):
        assert option in call
    assert "--repeat 3" in call
    assert {"--trace", "--ompt"} <= set(asked)
    assert not {"--rows", "--inner"} & set(asked)


def test_untraced_runs_are_not_traced(build: Build, tmp_path: Path) -> None:
    records = run(RunRequest(SPECIMEN, 2, "libomp", repeat=2), build(records=2))
    assert len(records) == 2
    assert "--trace" not in calls(tmp_path)[0]


def test_a_traced_record_is_not_among_the_measured_ones(build: Build) -> None:
    root = build()
    lu = root / "libomp" / "bin" / "lu"
    lu.write_text(lu.read_text().replace('"traced": false', '"traced": true'))
    assert run(RunRequest(SPECIMEN, 2, "libomp"), root) == []


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"status": 3, "words": "lu: no memory"}, MachineError, "no memory"),
        ({"status": 2, "words": "lu: no variant x"}, BadUsageError, "lu: no variant x"),
        ({"status": 1, "passed": False}, MachineError, "check failed: A-LLT 99"),
        ({"records": 0}, MachineError, "printed no records"),
        ({"trace": []}, BadUsageError, "is empty"),
        ({"trace": trace_lines(graph_lines("lu", "depend", 5))}, MachineError, "traced lu depend"),
    ],
)
def test_errors_are_one_line(
    build: Build, how: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as raised:
        take_trace(RunRequest(SPECIMEN, 2, "libomp"), build_root=build(**how))
    message = str(raised.value.message)  # type: ignore[attr-defined]
    assert words in message
    assert "\n" not in message


def test_a_program_without_tracing_is_named(build: Build) -> None:
    root = build()
    lu = root / "libomp" / "bin" / "lu"
    lu.write_text(lu.read_text().replace("--trace ]", "--never ]"))
    with pytest.raises(MachineError, match="wrote no trace"):
        take_trace(RunRequest(SPECIMEN, 2, "libomp"), build_root=root)


def test_the_kernel_set_is_passed_on() -> None:
    request = RunRequest(SPECIMEN, 2, "libomp", kernels="tuned")
    assert "--kernels tuned" in " ".join(request.arguments())
    assert "tuned kernels" in str(request)


def test_builds_and_benchmarks_that_do_not_exist_are_bad_usage(build: Build) -> None:
    root = build()
    qr = Instance("qr", "depend", 8, 8, Tile.square(4), 2)
    with pytest.raises(BadUsageError, match="there is no build libx"):
        take_trace(RunRequest(SPECIMEN, 2, "libx"), build_root=root)
    with pytest.raises(BadUsageError, match="unknown benchmark 'qr'; choose from lu"):
        take_trace(RunRequest(qr, 2, "libomp"), build_root=root)


def test_traces_that_were_taken_are_kept_when_a_later_one_fails(
    build: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build()
    root = build(3, "lu: no memory", preset="libgomp")
    app = typer.Typer(rich_markup_mode=None)
    app.command()(gantt)
    options = "lu --size 256 --tile 64 --threads 2 --runtime libomp --runtime libgomp"
    folder = ["--build-root", str(root), "--output", str(tmp_path / "out")]
    with pytest.raises(MachineError, match="no memory"):
        app([*options.split(), *folder], standalone_mode=False)
    [kept] = (tmp_path / "out").glob("traces-*.jsonl")
    assert str(kept) in capsys.readouterr().out
    assert [trace.label for trace in read_traces(kept)] == ["libomp"]


def test_a_write_that_fails_leaves_a_file_as_it_was(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    append(old, b"trace\n" * 300)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        for path in (old, new):
            with pytest.raises(BadUsageError, match=f"cannot write {path}"):
                append(path, b"trace\n" * 400)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert old.read_bytes() == b"trace\n" * 300
    assert not new.exists()


def test_a_chart_of_taken_traces_has_one_run_for_each(build: Build, tmp_path: Path) -> None:
    build()
    root = build(preset="libgomp")
    app = typer.Typer(rich_markup_mode=None)
    app.command()(gantt)
    options = "lu --size 256 --tile 64 --threads 2 --runtime libomp --runtime libgomp"
    folder = ["--build-root", str(root), "--output", str(tmp_path / "out"), "--format", "svg"]
    assert app([*options.split(), *folder], standalone_mode=False) == 0
    text = (tmp_path / "out/gantt.svg").read_text()
    assert ">lu depend, libomp<" in text
    assert ">lu depend, libgomp<" in text
    assert "2 threads, N = 256, NB = 64, openblas kernels." in text
