# SPDX-License-Identifier: BSD-3-Clause
"""Pollux without its source: the wheel in an environment of its own, programs in a moved prefix.

What it prints names nothing of a source tree, and it writes where the user stands alone.
"""

import json
import re
import shlex
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from answering import Answering, answering
from installation import (
    Installation,
    build_wheel,
    install_programs,
    install_wheel,
    packages_here,
    written,
)
from pollux.core.cli import PARTS, app
from pollux.core.executables.version import version_text
from project import ROOT

pytestmark = pytest.mark.slow

SMALL = ("--benchmark", "cholesky", "--variant", "depend", "--size", "64", "--tile", "32")
built = pytest.mark.skipif(
    not (ROOT / "build/libgomp/bin/calibration").is_file(), reason="needs libgomp's build"
)
HELP = """
from pollux.core.cli import app
from pollux.core.runtimes.get import app as other
app(["--help"], standalone_mode=False)
other(["--help"], standalone_mode=False)
for command in {commands}:
    app([command, "--help"], standalone_mode=False)
"""
CAMPAIGN = """\
name = "small"
processes = 2
reference = "libgomp"
[runtimes.libgomp]
preset = "libgomp"
[grid]
benchmark = "cholesky"
variant = ["depend", "forkjoin"]
size = 64
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installation:
    """All packages, and programs in a prefix that was moved, where they are built."""
    folder = tmp_path_factory.mktemp("an installation")
    install_wheel(wheel, folder / "its environment", packages_here(optional=True))
    (folder / "work").mkdir()
    (folder / "home").mkdir()
    if (ROOT / "build/libgomp/bin/calibration").is_file():
        install_programs("libgomp", folder / "first")
        (folder / "first").rename(folder / "a prefix")
    return Installation(folder / "its environment", folder / "work", str(folder / "a prefix"))


@pytest.fixture
def installed(everything: Installation, tmp_path: Path) -> Iterator[Installation]:
    """The same in a new folder; afterwards nothing was written elsewhere."""
    prefix = Path(everything.builds)
    before = written(prefix) if prefix.is_dir() else {}, everything.files()
    (tmp_path / "work").mkdir()
    yield replace(everything, work=tmp_path / "work")
    after = written(prefix) if prefix.is_dir() else {}, everything.files()
    assert after == before


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installation:
    """The packages alone that `pip install pollux` brings without extras; nothing is built."""
    folder = tmp_path_factory.mktemp("bare")
    install_wheel(wheel, folder / "environment", packages_here(optional=False))
    (folder / "work").mkdir()
    return Installation(folder / "environment", folder / "work")


@pytest.fixture(scope="module")
def answers(bare: Installation) -> Iterator[Answering]:
    """The same for many commands in one process."""
    python = bare.environment / "bin/python"
    with answering(python, bare.work, bare.variables()) as process:
        yield process


def test_the_wheel_is_small_and_has_what_commands_read(wheel: Path) -> None:
    assert wheel.stat().st_size <= 1_100_000
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (*ROOT.glob("campaigns/*.toml"), *ROOT.glob("campaigns/data/*")):
        assert f"pollux/data/{path.relative_to(ROOT)}" in names
    for path in ROOT.glob("docs/*.schema.json"):
        assert f"pollux/data/docs/{path.name}" in names
    assert not [name for name in names if "__pycache__" in name or "tests" in name]


def test_nothing_that_help_prints_is_of_a_source_tree(bare: Installation) -> None:
    commands = [command.__name__ for part in PARTS.values() for command in part]
    shown = bare.python(HELP.format(commands=commands))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.count("Usage: ") == len(commands) + 2
    assert "scripts/" not in shown.stdout
    assert "pollux/data/docs" in shown.stdout.replace("\n", "")


def test_version_and_commit_are_those_of_the_source(bare: Installation) -> None:
    shown = bare.pollux("--version").stdout
    assert shown == f"{version_text()}\n"
    assert re.fullmatch(r"pollux \d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?\n", shown)


def test_the_manual_page_is_installed_and_has_the_help_of_every_command(bare: Installation) -> None:
    page = bare.environment / "share/man/man1/pollux.1"
    text = re.sub(r"-\n *", "-", page.read_text(encoding="utf-8").replace("\\-", "-"))
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        section = text.partition(f'.SH "POLLUX {name.upper()}"\n')[2].partition("\n.SH")[0]
        assert section.startswith(f".nf\nUsage: pollux {name} ")
        shown = (one for one in command.params if not one.hidden)
        options = {word for one in shown for word in one.opts if word.startswith("--")}
        assert options <= {*re.findall(r"--[a-z][a-z-]+", section)}
    assert "scripts/" not in text
    if (groff := shutil.which("groff")) is not None:
        command = [groff, "-man", "-ww", "-K", "utf8", "-T", "utf8", str(page)]
        set_out = subprocess.run(command, capture_output=True, text=True, check=True)
        assert set_out.stderr == ""
        assert "run and compare the Pollux benchmarks" in set_out.stdout


def test_bash_completes_commands_and_options_from_what_is_installed(bare: Installation) -> None:
    script = bare.environment / "share/bash-completion/completions/pollux"
    lines = f"""
        PATH={shlex.quote(str(bare.environment / "bin"))}:$PATH
        source {shlex.quote(str(script))}
        for words in "pollux co" "pollux run --ker"; do
            COMP_WORDS=($words) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            $(complete -p pollux | sed "s/.*-F \\([^ ]*\\).*/\\1/") pollux
            echo "${{COMPREPLY[@]}}"
        done
    """
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("compare conform\n--kernels\n", "")


def test_without_a_build_each_command_says_where_they_are_looked_for(answers: Answering) -> None:
    hint = "pollux builds shows where builds are looked for"
    for command in (("run", "quick"), ("tune",), ("conform",), ("power",)):
        refused = answers.pollux(*command)
        assert refused.status in (2, 3), command
        (line,) = refused.stderr.splitlines()
        assert hint in line
    assert hint in answers.pollux("runtimes").stdout
    listed = answers.pollux("builds")
    assert listed.status == 3
    assert listed.stdout.endswith("POLLUX_BUILDS=DIR\n")
    assert "scripts/" not in answers.pollux("doctor").stdout


def test_a_missing_package_is_a_line_that_names_its_extra(answers: Answering) -> None:
    for command, extra in (
        (("report", "none.jsonl"), "report"),
        (("plot", "none.jsonl"), "plot"),
        (("explain", "lu"), "insight"),
        (("run", "quick", "--report"), "report"),
    ):
        refused = answers.pollux(*command)
        assert refused.status == 3
        (line,) = refused.stderr.splitlines()
        assert line.endswith(f"which is not installed: pip install 'pollux[{extra}]'")


def test_a_shipped_campaign_is_found_by_its_name(answers: Answering) -> None:
    refused = answers.pollux("run", "none")
    assert refused.status == 2
    assert ", quick" in refused.stderr


@built
def test_run_and_compare_need_no_extra(bare: Installation, everything: Installation) -> None:
    there = replace(bare, builds=everything.builds)
    (there.work / "small.toml").write_text(CAMPAIGN)
    ran = there.pollux("run", "small.toml", "--quiet")
    assert ran.returncode == 0, ran.stderr
    compared = there.pollux("compare", "--by", "variant", "--reference", "forkjoin")
    assert compared.returncode == 0, compared.stderr
    assert (there.work / "results/small.jsonl").is_file()


@built
def test_programs_of_a_prefix_are_found(installed: Installation) -> None:
    listed = json.loads(installed.pollux("builds", "--format", "json").stdout)
    (row,) = [row for row in listed["builds"] if row["place"] == installed.builds]
    assert row["used"] and row["label"] == "libgomp" and row["build_type"] == "Release"


@built
def test_a_campaign_and_its_report_go_where_the_user_stands(installed: Installation) -> None:
    (installed.work / "small.toml").write_text(CAMPAIGN)
    ran = installed.pollux("run", "small.toml", "--report")
    assert ran.returncode == 0, ran.stderr
    assert "scripts/" not in ran.stdout + ran.stderr
    assert (installed.work / "results/small.html").stat().st_size > 100_000


@pytest.mark.skipif(not (ROOT / "build/libomp/lib").is_dir(), reason="needs libomp's build")
def test_what_needs_the_graph_finds_the_build_that_writes_it(installed: Installation) -> None:
    libomp = replace(installed, builds=f"{installed.builds}:{ROOT / 'build/libomp'}")
    options = ("--runtime", "libgomp", "--rounds", "3")
    done = libomp.pollux("explain", "cholesky", "--size", "128", *options)
    assert done.returncode == 0, done.stderr
    assert "scripts/" not in done.stdout + done.stderr
    (folder,) = (libomp.work / "results").glob("explain-*")
    assert [*folder.iterdir()]


@built
def test_every_command_that_measures_works(installed: Installation) -> None:
    for command in (
        ("gantt", "cholesky", *SMALL[2:], "--runtime", "libgomp"),
        ("conform", "libgomp", "--rule", "depend-order", "--threads", "2", "--seconds", "0.1"),
        ("tune", *SMALL[:6], "--runtime", "libgomp"),
    ):
        done = installed.pollux(*command)
        assert done.returncode == 0, done.stderr
        assert "scripts/" not in done.stdout + done.stderr
    made = {path.name.split("-")[0] for path in (installed.work / "results").iterdir()}
    assert made >= {"gantt", "conformance", "tuned.json"}


@built
def test_programs_beside_the_package_and_on_the_path_are_found(
    bare: Installation, everything: Installation
) -> None:
    prefix = Path(everything.builds)
    folder = bare.environment / "lib/pollux"
    folder.symlink_to(prefix / "lib/pollux")
    try:
        (place,) = json.loads(bare.pollux("builds", "--format", "json").stdout)["places"]
    finally:
        folder.unlink()
    assert place == {
        "path": str(bare.environment),
        "from": "beside this Python package",
        "problem": None,
    }
