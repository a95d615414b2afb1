# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that no command takes: one line says what is wrong, and nothing is measured."""

from pathlib import Path

import pytest
from imagined_campaign import Imagined
from listings import write_names
from pollux.core import cli
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.loading import load
from pollux.core.campaign.journal import Journal
from pollux.core.commands.run_session import refuse_changes
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.tiles import Tile
from pollux.insight.graphs.choice import Sizes
from task_graphs import graph_lines, write_graph


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "x.jsonl", "--benchmark", ""), "an argument after --benchmark is empty; is a"),
        (("compare", "x.jsonl", "--benchmark="), "an argument after --benchmark= is empty; is a"),
        (("run", ""), "an argument is empty; is a variable of the shell not set?"),
        (("compare", "x.jsonl", "--runtime", ","), "',' has no value; a list is written A,B"),
        (("graph", "lu", "--size", "0"), '--size: must be at least 1, not "0"'),
        (("plot", "--width=nan"), '--width: must be at most 40, not "nan"'),
        (("explain", "lu", "--rounds", "x"), '--rounds: must be a valid integer, not "x"'),
        (("compare", "--format", "xml"), "Invalid value for '--format': 'xml' is not one of"),
        (("run", "/dev/null"), "/dev/null: is not a regular file"),
        (("run", "quick", "--dry-run", "-o", "/dev/null"), "/dev/null is not a regular file"),
        (("run", "quick", "--tile", "0x64"), "0x64 is not a tile size"),
        (("run", "quick", "--size", "0x10"), '"0x10" is not a matrix order'),
        (("run", "quick", "--threads", "65537"), "65537 is more than the 65536 that are allowed"),
        (
            ("run", "quick", "--budget", "0s"),
            "--budget 0s: budget: must be greater than 0",
        ),
        (("run", "quick", "--undecided", "pass"), "--undecided is for the gate"),
        (
            ("run", "quick", "--until-decided", "3%", "--set", "until_decided=5%"),
            "--until-decided and --set until_decided=… replace the same key; give only one",
        ),
        (
            ("run", "quick", "--budget", "1h", "--set", "budget=10m"),
            "--budget and --set budget=… replace the same key; give only one",
        ),
        (
            ("run", "quick", "--apart", "--set", "apart=false"),
            "--apart and --set apart=… replace the same key; give only one",
        ),
        (("run", "quick", "--runtime", "gcc+"), "gcc+ names no library"),
    ],
)
def test_a_line_says_what_is_wrong(
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["pollux", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert message in written.err.splitlines()[0]


@pytest.mark.parametrize("command", ["run quick", "tune --benchmark lu", "conform", "graph lu"])
def test_a_circle_of_links_has_no_builds(command: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    words = [*command.split(), "--build-root", str(tmp_path / "loop")]
    with pytest.raises((BadUsageError, MachineError), match=r"(is built|no build) in .*/loop"):
        cli.app(words, standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "FILE", "--output", "kept"), "--output has no effect beside files of traces"),
        (("explain", "FILE", "--ompt"), "--ompt has no effect beside files of traces"),
        (("explain", "FILE", "--seed", "42"), "--seed has no effect beside files of traces"),
        (("gantt", "FILE", "--variant", "cw"), "--variant has no effect beside files of traces"),
        (("graph", "--graph", "FILE", "--size", "2048"), "--size has no effect beside --graph"),
        (("graph", "--graph", "FILE", "--runtime", "libomp"), "--runtime has no effect beside"),
        (
            ("graph", "--graph", "FILE", "--format", "dot", "--times", "FILE"),
            "--times has no effect on --format dot",
        ),
        (
            ("graph", "--graph", "FILE", "--format", "svg", "--check", "--weights", "calls"),
            "--weights has no effect on --format svg",
        ),
        (
            ("graph", "--graph", "FILE", "--times", "FILE", "--weights", "calls"),
            "--weights has no effect beside --times",
        ),
        (("graph", "lu", "--width", "5"), "--width has no effect on --format table"),
    ],
)
def test_what_has_no_effect_beside_files_is_refused(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "file.jsonl"
    file.touch()
    build = tmp_path / "build"
    write_names(build / "libomp" / "bin")
    given = [str(file) if word == "FILE" else word for word in arguments]
    with pytest.raises(BadUsageError, match=message):
        cli.app([*given, "--build-root", str(build)], standalone_mode=False)


@pytest.mark.parametrize(
    "command", [("explain",), ("gantt",), ("graph",), ("simulate", "--rates", "other=10")]
)
def test_an_inner_block_is_for_benchmarks_that_have_one(
    command: tuple[str, ...], depend_root: Path
) -> None:
    options = ("lu", "cholesky")[: 1 + (command[0] != "explain")]
    with pytest.raises(BadUsageError, match=r"^--inner: lu( and cholesky)? ha.* no inner block$"):
        cli.app(
            [*command, *options, "--inner", "32", "--build-root", str(depend_root)],
            standalone_mode=False,
        )


def test_graphs_without_an_inner_block_go_beside_those_with_one(depend_root: Path) -> None:
    sizes = Sizes(None, 256, Tile.square(64), 128)
    known = benchmarks_of(depend_root)
    (lu,), (qr,) = (sizes.instances(known, name, "depend", "openblas") for name in ("lu", "qr"))
    assert (lu.ib, qr.ib) == (None, 64)


@pytest.mark.parametrize(
    ("command", "variant", "message"),
    [
        (("simulate", "--rates", "other=10"), "nested", "its kernels run on teams of threads"),
        (("simulate", "--rates", "other=10"), "taskloop", "has another task graph for each team"),
        (("graph",), "taskloop", "has another task graph for each team"),
        (("gantt", "cholesky", "--format", "perfetto"), "taskloop", "has another task graph for"),
        (("explain", "cholesky", "--variant", "taskloop"), "taskloop", "has another task graph"),
    ],
)
def test_graphs_in_files_are_refused_as_their_variants_are(
    command: tuple[str, ...],
    variant: str,
    message: str,
    build_root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", f"seq,depend,{variant}")
    header, *events = graph_lines("cholesky", "depend", 4)
    header = header.replace('"variant": "depend"', f'"variant": "{variant}"')
    file = write_graph(build_root / "graph", [header, *events])
    given = [*command, "--graph", str(file), "--build-root", str(build_root)]
    if command[0] == "explain":
        given += ["--size", "256", "--tile", "64", "--output", str(build_root / "traces")]
    with pytest.raises(BadUsageError, match=f"^cholesky {variant}:? {message}"):
        cli.app(given, standalone_mode=False)


def test_records_of_a_campaign_of_another_name_are_not_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Imagined(tmp_path, monkeypatch, {512: (0.0, 0.01)})
    trial.run_fixed(processes=1)
    journal = Journal(trial.path)
    refuse_changes(trial.plan(), journal, "")
    with pytest.raises(BadUsageError, match="its name was trial and is now other; --fresh"):
        refuse_changes(trial.plan(name="other"), journal, "--fresh renames it")


def test_records_whose_first_line_is_damaged_are_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Imagined(tmp_path, monkeypatch, {512: (0.0, 0.01)})
    trial.run_fixed(processes=1)
    trial.path.write_text(trial.path.read_text().replace('"event":"start"', '"event":"sta', 1))
    journal = Journal(trial.path)
    refuse_changes(trial.plan(), journal, "")
    trial.launcher = ["taskset"]
    with pytest.raises(BadUsageError, match="launcher of lu depend on libgomp was"):
        refuse_changes(trial.plan(), journal, "")


def test_records_without_further_quantities_name_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Imagined(tmp_path, monkeypatch, {512: (0.0, 0.01)})
    trial.run_fixed(processes=1)
    with pytest.raises(BadUsageError, match="in these records; they name none"):
        narrow(load([trial.path]), {"quantity": ["creation"]})
