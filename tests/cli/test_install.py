# SPDX-License-Identifier: BSD-3-Clause
"""An installed tree holds what users need, and runs wherever it is moved to."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from executable import (
    BENCHMARKS,
    BIN,
    DISTRIBUTED,
    DISTRIBUTED_MICRO,
    FACTORIZATIONS,
    MICRO_BENCHMARKS,
    ROOT,
    of_results,
    run,
)

pytestmark = [pytest.mark.any_runtime, of_results]

LABEL = BIN.parent.name
COMMANDS = {*BENCHMARKS, *MICRO_BENCHMARKS, *DISTRIBUTED, *DISTRIBUTED_MICRO}
TOOLS = {"calibration", "identify", "power-sampler"}
SHARED = (
    "README.md",
    "LICENSE",
    "campaigns/quick.toml",
    "campaigns/data/poisson2d.mtx",
    "docs/campaigns.md",
    "docs/record.schema.json",
)
LONG_OPTION = re.compile(r"(?:^ +|, )(--[a-z-]+)", re.MULTILINE)


def cmake(*words: object, umask: int = -1, **settings: str) -> None:
    program = shutil.which("cmake", path=f"{ROOT}/.venv/bin:{os.environ['PATH']}")
    if program is None:
        pytest.skip("there is no cmake")
    command = [program, *map(str, words)]
    environment = {name: value for name, value in os.environ.items() if name != "DESTDIR"}
    environment |= settings
    subprocess.run(command, check=True, capture_output=True, env=environment, umask=umask)


def install(prefix: Path, **settings: str) -> None:
    cmake("--install", BIN.parent, "--prefix", prefix, umask=-1, **settings)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prefix that the build was installed to, and that was moved afterwards."""
    folder = tmp_path_factory.mktemp("prefixes")
    install(folder / "first")
    (folder / "a path").mkdir()
    return (folder / "first").rename(folder / "a path" / "second")


def test_an_installed_tree_runs_where_it_is_moved_to(installed: Path) -> None:
    example = installed / "share/pollux/campaigns/data/poisson2d.mtx"
    for benchmark in FACTORIZATIONS:
        result = run(benchmark, "--matrix", example, "-b", 64, "-r", 1, folder=installed / "bin")
        assert result.status == 0, result.err


def test_an_installed_tree_holds_documents_and_nothing_of_the_tests(installed: Path) -> None:
    for name in SHARED:
        assert (installed / "share/pollux" / name).is_file(), name
    tree = installed / "lib/pollux" / LABEL
    assert {path.name for path in (tree / "bin").iterdir()} == {
        *COMMANDS,
        *TOOLS,
        "benchmarks.json",
        "conformance",
    }
    assert {path.name for path in installed.iterdir()} == {"bin", "lib", "share"}


def test_the_links_in_bin_are_the_benchmarks_of_the_build(installed: Path) -> None:
    links = {path.name: path for path in (installed / "bin").iterdir()}
    assert {*links} == COMMANDS
    for name, link in links.items():
        assert link.readlink() == Path("../lib/pollux") / LABEL / "bin" / name


def test_installed_programs_name_nothing_of_the_build_tree(installed: Path) -> None:
    tree = installed / "lib/pollux" / LABEL
    files = [path for path in tree.rglob("*") if path.is_file()]
    programs = [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]
    assert len(programs) > len(COMMANDS)
    shown = subprocess.run(
        ["readelf", "-d", *programs],
        env={**os.environ, "LC_ALL": "C"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = re.findall(r"Library r(?:un)?path: \[(.*)\]", shown)
    assert paths
    assert not [path for path in paths if str(ROOT) in path]


def test_installed_programs_show_version_and_commit(installed: Path) -> None:
    shown = run(BENCHMARKS[0], "--version", folder=installed / "bin").out.splitlines()[0]
    assert shown == run(BENCHMARKS[0], "--version").out.splitlines()[0]
    commit = BIN.parent / "commit.txt"
    of_commit = f" (commit {commit.read_text()[:12]})" if commit.exists() else ""
    assert re.fullmatch(rf"pollux {BENCHMARKS[0]} \d+\.\d+\.\d+" + re.escape(of_commit), shown)


def test_manual_pages_and_completions_have_every_option_of_the_help(installed: Path) -> None:
    for name in COMMANDS:
        options = {*LONG_OPTION.findall(run(name, "--help").out)}
        page = (installed / f"share/man/man1/{name}.1").read_text()
        line = (installed / f"share/bash-completion/completions/{name}").read_text()
        completed = {word.rstrip("=") for word in line.split("'")[1].split()}
        assert options
        assert completed == options
        assert not [option for option in options if option.replace("-", r"\-") not in page]


def test_what_is_in_bin_already_stays(tmp_path: Path) -> None:
    taken, dangling, foreign, *_ = FACTORIZATIONS
    other = tmp_path / "lib/pollux/other/bin" / taken
    other.parent.mkdir(parents=True)
    other.touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / taken).symlink_to(f"../lib/pollux/other/bin/{taken}")
    (tmp_path / "bin" / dangling).symlink_to(f"../lib/pollux/gone/bin/{dangling}")
    (tmp_path / "bin" / foreign).write_text("someone else's")
    install(tmp_path)
    assert (tmp_path / "bin" / taken).resolve() == other
    assert (tmp_path / "bin" / dangling).resolve().is_file()
    assert (tmp_path / "bin" / foreign).read_text() == "someone else's"
    assert not (tmp_path / f"share/man/man1/{taken}.1").exists()


@pytest.mark.parametrize(
    ("links", "of_cholesky", "of_lu"),
    [("ON", "own", "own"), ("OFF", "other", None), ("AUTO", "other", "own")],
)
def test_links_are_taken_over_made_where_there_are_none_or_left_alone(
    tmp_path: Path, links: str, of_cholesky: str, of_lu: str | None
) -> None:
    other = tmp_path / "lib/pollux/other/bin/cholesky"
    other.parent.mkdir(parents=True)
    other.touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cholesky").symlink_to("../lib/pollux/other/bin/cholesky")
    variables = {"links": links, "commands": "cholesky;lu", "tree": "lib/pollux/own", "asks": "OFF"}
    given = [f"-D{name}={value}" for name, value in variables.items()]
    script = ROOT / "cmake/install-commands.cmake"
    cmake(f"-DCMAKE_INSTALL_PREFIX={tmp_path}", *given, "-P", script)
    found = {path.name: path.readlink().parts[3] for path in (tmp_path / "bin").iterdir()}
    assert found == {"cholesky": of_cholesky, **({"lu": of_lu} if of_lu else {})}


def write_program(prefix: Path) -> None:
    """An installed stand-in for lu that has a help."""
    program = prefix / "lib/pollux/own/bin/lu"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nprintf '\\nlu: factors\\n\\n  --size=N\\n'\n")
    program.chmod(0o755)


INSTALLS_COMMANDS = f"""cmake_minimum_required(VERSION 3.25)
project(small NONE)
install(CODE "
set(commands lu)
set(tree lib/pollux/own)
set(links ON)
set(asks ON)
set(version 1)")
install(SCRIPT "{ROOT}/cmake/install-commands.cmake")
"""


def test_links_and_pages_are_in_the_manifest_and_readable_by_all(tmp_path: Path) -> None:
    prefix, build = tmp_path / "a prefix", tmp_path / "build"
    write_program(prefix)
    (tmp_path / "CMakeLists.txt").write_text(INSTALLS_COMMANDS)
    cmake("-S", tmp_path, "-B", build)
    root = tmp_path / "root"
    shutil.copytree(prefix, root / prefix.relative_to("/"))
    for settings in ({"DESTDIR": str(root)}, {}):
        cmake("--install", build, "--prefix", prefix, umask=0o077, **settings)
        listed = (build / "install_manifest.txt").read_text().splitlines()
        installed = ("bin/lu", "share/man/man1/lu.1", "share/bash-completion/completions/lu")
        assert listed == [f"{prefix}/{path}" for path in installed]
    for path in installed[1:]:
        assert (prefix / path).stat().st_mode & 0o777 == 0o644


def test_pages_and_completions_of_others_stay(tmp_path: Path) -> None:
    write_program(tmp_path)
    script = ROOT / "cmake/install-commands.cmake"
    page = tmp_path / "share/man/man1/lu.1"
    completion = tmp_path / "share/bash-completion/completions/lu"

    def installed(version: str) -> tuple[str, str]:
        variables = {"links": "ON", "commands": "lu", "tree": "lib/pollux/own", "asks": "ON"}
        given = [f"-D{name}={value}" for name, value in {**variables, "version": version}.items()]
        cmake(f"-DCMAKE_INSTALL_PREFIX={tmp_path}", *given, "-P", script)
        return page.read_text(), completion.read_text()

    first, words = installed("1")
    assert "--size=" in words
    assert installed("2") == (first.replace("Pollux 1", "Pollux 2"), words)
    page.write_text('.TH LU 1 "" "another package"\n')
    completion.write_text("complete -F _lu lu\n")
    assert installed("3") == ('.TH LU 1 "" "another package"\n', "complete -F _lu lu\n")


def test_destdir_comes_before_the_prefix(tmp_path: Path) -> None:
    install(tmp_path / "prefix", DESTDIR=str(tmp_path / "root"))
    installed = tmp_path / "root" / (tmp_path / "prefix").relative_to("/")
    assert {path.name for path in (installed / "bin").iterdir()} == COMMANDS
    assert (installed / "lib/pollux" / LABEL / "bin" / BENCHMARKS[0]).is_file()
    assert not (tmp_path / "prefix").exists()
