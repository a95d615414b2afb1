# SPDX-License-Identifier: BSD-3-Clause
"""scripts/test with stand-ins for all that its stages run."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from marks import ends_within
from project import ROOT, heed_interrupts, write_script

TOOLS = "ctest pytest ruff mypy git clang-format clang-tidy".split()
STAGES = 9  # of --quick


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("test", "usage.bash"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    for path in ("scripts/setup", "scripts/build", *(f".venv/bin/{tool}" for tool in TOOLS)):
        write_script(tmp_path / path, "true")
    (tmp_path / "build/libomp").mkdir(parents=True)
    (tmp_path / "build/libomp/compile_commands.json").write_text("[]")
    return tmp_path


def run(checkout: Path, *, quick: bool = True) -> tuple[int, str]:
    """The exit status of scripts/test, and its last line."""
    done = subprocess.run(
        [checkout / "scripts/test", *(["--quick"] if quick else [])],
        env={**os.environ, "TMPDIR": str(checkout)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_all_stages_pass(checkout: Path) -> None:
    assert run(checkout) == (0, f"{STAGES} passed, 0 failed")


def test_no_test_is_given_the_repository_of_a_hook(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(checkout))
    monkeypatch.setenv("GIT_INDEX_FILE", "index")
    write_script(checkout / ".venv/bin/pytest", '[ -z "${GIT_DIR+set}${GIT_INDEX_FILE+set}" ]')
    assert run(checkout) == (0, f"{STAGES} passed, 0 failed")


@pytest.mark.parametrize(
    ("tool", "stage"),
    [
        (".venv/bin/pytest", "test scripts"),
        (".venv/bin/ctest", "test libgomp"),
        ("scripts/build", "build"),
    ],
)
def test_a_stage_that_fails_is_named(checkout: Path, tool: str, stage: str) -> None:
    write_script(checkout / tool, "exit 1")
    status, last = run(checkout)
    assert status == 1
    assert f" failed: {stage}" in last


def test_without_libgomp_s_build_no_other_stage_runs(checkout: Path) -> None:
    write_script(checkout / "scripts/build", '[ "$2" != libgomp ]')
    assert run(checkout, quick=False) == (1, "0 passed, 1 failed: build libgomp")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_stages_too(checkout: Path, number: int) -> None:
    """A signal goes to the script alone; stages are process groups of their own."""
    os.mkfifo(checkout / "pipe")
    write_script(checkout / ".venv/bin/pytest", "echo $$ >pipe; exec tail -f /dev/null")
    command = [str(checkout / "scripts/test"), "--quick"]
    environment = {**os.environ, "TMPDIR": str(checkout)}
    with subprocess.Popen(command, env=environment, preexec_fn=heed_interrupts) as process:
        stage = int((checkout / "pipe").read_text())
        process.send_signal(number)
        assert process.wait() == 130
    assert ends_within(stage, 60)


@pytest.mark.parametrize("closed", ["failed", "lock"])
def test_a_failure_that_cannot_be_noted_is_one(checkout: Path, closed: str) -> None:
    """Where a file belongs there is a folder, into which not even the superuser writes."""
    write_script(checkout / ".venv/bin/mktemp", f"mkdir -p notes/{closed}; echo notes")
    write_script(checkout / ".venv/bin/pytest", "exit 1")
    status, last = run(checkout)
    assert status == 1
    assert last.endswith(" failed; some results could not be noted")


def test_without_a_folder_for_notes_nothing_is_run(checkout: Path) -> None:
    write_script(checkout / ".venv/bin/mktemp", "exit 1")
    write_script(checkout / "scripts/build", "touch built")
    done = subprocess.run([checkout / "scripts/test", "--quick"], check=False)
    assert done.returncode == 3
    assert not (checkout / "built").exists()


def test_c_files_are_analysed_in_a_folder_of_any_name(checkout: Path, tmp_path: Path) -> None:
    """With --quick, those that differ from the last commit, but none that the build writes."""
    root = tmp_path / "a & b|c++ (copy)"
    shutil.copytree(checkout, root, ignore=shutil.ignore_patterns(root.name))
    files = [root / name for name in ("lu/same.c", "lu/changed.c", "build/libomp/made.c")]
    commands = [{"command": f"{tmp_path}/clang -c", "file": str(file)} for file in files]
    listed = json.dumps(commands, indent=0)
    (root / "build/libomp/compile_commands.json").write_text(listed)
    write_script(tmp_path / "clang", "echo /nowhere")
    write_script(root / ".venv/bin/git", "printf '%s\\n' lu/changed.c build/libomp/made.c")
    write_script(root / ".venv/bin/clang-tidy", 'printf "%s\\n" "$@" >"$TMPDIR/analysed"')
    run(root)
    analysed = (root / "analysed").read_text().splitlines()
    assert [word for word in analysed if word.endswith(".c")] == [f"{root}/lu/changed.c"]
