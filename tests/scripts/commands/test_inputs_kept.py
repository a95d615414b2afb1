# SPDX-License-Identifier: BSD-3-Clause
"""No command overwrites a file that it reads, whatever name of the file it is given."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from explain_runs import Files
from forked import pollux
from pollux.core.cli import app
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.writing import check_outputs
from simulated_meter import write_meter
from synthetic import write_campaign

# IN is a file that the command reads, OUT another name of it.
COMMAND_LINES = """
compare IN=records --output OUT
compare records --metric energy --meter IN=wall.toml --output OUT
compare records --metric energy --meter wall.toml --output OUT=wall.csv
energy IN=records --output OUT
energy IN=table.csv --output OUT
energy records --meter IN=wall.toml --output OUT
energy records --meter wall.toml --output OUT=wall.csv
report IN=records --output OUT
run IN=campaign --output OUT
tune --resume IN=records --output OUT
conform --show --conformance kept --output OUT=kept/libgomp.json
explain IN=traces --graph graph --plot OUT
explain traces --graph IN=graph --plot OUT
explain traces --graph graph --alone IN=traces --plot OUT
graph --graph IN=graph --output OUT
graph --graph graph --times IN=traces --output OUT
simulate --graph IN=graph --rates other=10,move=5 --trace OUT
simulate --graph graph --times IN=traces --trace OUT
simulate --graph graph --times IN=traces --output OUT
simulate --graph graph --times IN=traces --gantt OUT
""".strip().splitlines()
OUT = "another name.svg"
# All with the hard link, which no comparison of names finds: one function finds the others too.
CASES = [
    *((line, "hard link") for line in COMMAND_LINES),
    *((COMMAND_LINES[0], way) for way in ("itself", "symbolic link", "chain of links")),
    (COMMAND_LINES[2], "itself"),
]


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files to read, and the working folder."""
    traces = Files(tmp_path)
    traces.write("libomp", [1.0]).rename(tmp_path / "traces")
    traces.graph.rename(tmp_path / "graph")
    write_campaign(tmp_path / "records", {"libgomp": 1.0, "libomp": 1.1}, rounds=2)
    (tmp_path / "campaign").write_text('name = "trial"\n[grid]\nsize = 64\n')
    write_meter(tmp_path, np.arange(4.0), np.full(4, 100.0))
    (tmp_path / "table.csv").write_text("benchmark,runtime,gflops,seconds,joules\nlu,x,1,1,1\n")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "libgomp.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(way: str, target: Path) -> Path:
    """Another name of a file; a copy that is then both input and output."""
    name, link = Path(OUT), Path("link")
    if way == "itself":
        shutil.copy(target, name)
    elif way == "hard link":
        name.hardlink_to(target)
    elif way == "symbolic link":
        name.symlink_to(target)
    else:
        link.symlink_to(target)
        name.symlink_to(link)
    return name


@pytest.mark.slow
@pytest.mark.parametrize(("line", "way"), CASES)
def test_an_input_is_not_overwritten(line: str, way: str, inputs: Path) -> None:
    marked = next(word for word in line.split() if "=" in word and word[:2] in ("IN", "OU"))
    target = inputs / marked.partition("=")[2]
    is_one = way == "itself" and marked.startswith("OUT")
    name = target if is_one else named(way, target)
    read = str(name) if way == "itself" else str(target)
    words = [w.replace(marked, read) if w.startswith("IN") else w for w in line.split()]
    words = [str(name) if w.startswith("OUT") else w for w in words]
    before = target.read_bytes()
    with pytest.raises(BadUsageError, match=r" is .*, which is read; name another file"):
        app(words, standalone_mode=False)
    assert target.read_bytes() == name.read_bytes() == before


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("plot {} --kind runtimes --output .", "cholesky-speed-by-runtime.svg"),
        ("gantt {} --format html --output .", "gantt.html"),
        ("gantt {} --format svg --output .", "gantt.svg"),
    ],
)
def test_a_folder_may_hold_the_input(command: str, name: str, inputs: Path) -> None:
    """Files that are named by the command are refused too, if they are what it reads."""
    source = inputs / ("records" if "plot" in command else "traces")
    (inputs / name).hardlink_to(source)
    before = source.read_bytes()
    with pytest.raises(BadUsageError, match=f"{name} is .*, which is read; name another"):
        app(command.format(source).split(), standalone_mode=False)
    assert source.read_bytes() == before


def test_no_figure_is_written_where_a_later_one_is_refused(inputs: Path) -> None:
    (inputs / "cholesky-speed-by-runtime.png").hardlink_to(inputs / "records")
    before = {path.name for path in inputs.iterdir()}
    words = "plot records --kind runtimes --format svg --format png --output .".split()
    with pytest.raises(BadUsageError, match="which is read"):
        app(words, standalone_mode=False)
    assert {path.name for path in inputs.iterdir()} == before


def test_standard_output_is_an_output(inputs: Path) -> None:
    before = Path("records").read_bytes()
    appended = os.open("records", os.O_WRONLY | os.O_APPEND)
    ended = pollux("compare", "records", folder=inputs, stdout=appended)
    os.close(appended)
    assert ended.status == 2
    assert ended.stderr == (
        "pollux: standard output is records, which is read; redirect it to another file\n"
    )
    assert Path("records").read_bytes() == before


def test_two_outputs_are_two_files(inputs: Path) -> None:
    check_outputs({"--trace": Path("a"), "--output": Path("b")})
    with pytest.raises(BadUsageError, match="--output a is also that of --trace; name another"):
        check_outputs({"--trace": inputs / "a", "--output": Path("a")})


@pytest.mark.parametrize("name", ["kept", "nowhere/a", "x" * 300 + "/a", "loop/a", "campaign/a"])
def test_what_cannot_be_written_is_refused_before_any_work(name: str, inputs: Path) -> None:
    (inputs / "loop").symlink_to(inputs / "loop")
    with pytest.raises(BadUsageError, match="--output takes a file in a folder that exists"):
        check_outputs({"--output": Path(name)})


def test_a_folder_that_takes_no_new_file_is_refused_before_any_work(
    inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)
    check_outputs({"--output": inputs / "records"}, appends=True)
    check_outputs({"--output": Path("/dev/null")})
    for name in ("new", "records"):  # a file is replaced by another
        with pytest.raises(BadUsageError, match=rf"{name} \(Permission denied\); --trace takes"):
            check_outputs({"--trace": inputs / name})
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    with pytest.raises(MachineError, match=r"new \(Read-only file system\)"):
        check_outputs({"--trace": inputs / "new"})


@pytest.mark.parametrize(
    "line",
    [
        "compare /dev/zero",
        "graph --graph /dev/zero",
        "explain /dev/zero",
        "tune --table x --output /dev/full",
    ],
)
def test_a_device_without_an_end_is_not_read(line: str) -> None:
    with pytest.raises(BadUsageError, match=r"cannot read /dev/\w+ \(it is a device, not a file\)"):
        app(line.split(), standalone_mode=False)


def test_devices_and_pipes_are_written_whatever_is_read(inputs: Path) -> None:
    os.mkfifo(inputs / "pipe")
    for name in ("/dev/null", "pipe"):
        check_outputs({"--output": Path(name), "--trace": Path(name)}, [Path(name)])
