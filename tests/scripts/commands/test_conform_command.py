# SPDX-License-Identifier: BSD-3-Clause
"""`pollux conform` on the command line: exit status, output, and what an end before time leaves."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conform_rules import write_rules
from forked import completed
from pollux.machine.conformance.document import make_document
from pollux.machine.conformance.kept import read_all
from project import POLLUX, heed_interrupts, write_script


def arguments_of(build_root: Path, results: Path, *arguments: str) -> list[str]:
    where = ("--build-root", str(build_root), "--conformance", str(results))
    return ["conform", *arguments, *where]


def run(build_root: Path, results: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return completed(*arguments_of(build_root, results, *arguments), folder=build_root.parent)


@pytest.fixture
def rules(build_root: Path) -> Callable[[str], None]:
    """Puts programs into the build libgomp."""
    return lambda names: write_rules(build_root / "libgomp/bin/conformance", names)


@pytest.mark.parametrize(
    ("names", "status"),
    [("keeps ignores serialises", 0), ("keeps breaks refuses", 1), ("refuses", 3)],
)
def test_the_exit_status_shows_whether_something_broke(
    build_root: Path, tmp_path: Path, rules: Callable[[str], None], names: str, status: int
) -> None:
    rules(names)
    done = run(build_root, tmp_path, "libgomp", "--threads", "2")
    assert done.returncode == status, done.stderr
    assert all(name in done.stdout for name in names.split())


def test_without_targets_all_builds_with_programs_are_tried_and_progress_is_shown(
    build_root: Path, tmp_path: Path, rules: Callable[[str], None]
) -> None:
    rules("keeps ignores")
    done = run(build_root, tmp_path, "--threads", "2", "--format", "json")
    assert [result["label"] for result in json.loads(done.stdout)] == ["libgomp"]
    assert "1/1 libgomp: 2 of 2 rules; 1 kept, 1 ignored" in done.stderr


def test_what_was_kept_is_shown_without_running_anything(
    build_root: Path, tmp_path: Path, rules: Callable[[str], None]
) -> None:
    rules("breaks")
    ran = run(build_root, tmp_path, "libgomp", "--threads", "2", "--format", "markdown")
    (build_root / "libgomp/bin/conformance/breaks").unlink()
    kept = ("--show", "--format", "markdown", "--conformance", str(tmp_path))
    shown = completed("conform", *kept, folder=tmp_path)
    assert (shown.returncode, shown.stdout) == (0, ran.stdout)
    again = completed("conform", *kept, "libgomp", "libgomp", folder=tmp_path)
    assert again.stdout == ran.stdout
    nothing = completed("conform", "--show", "--conformance", "none", folder=tmp_path)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert nothing.stderr == "pollux: no results in none; pollux conform runs the rules\n"


def test_the_page_of_the_docs_is_written_where_it_is_asked_for(
    build_root: Path, tmp_path: Path, rules: Callable[[str], None]
) -> None:
    rules("breaks")
    run(build_root, tmp_path, "libgomp", "--threads", "2")
    page = tmp_path / "page.md"
    options = ("--document", "--conformance", str(tmp_path), "-o", str(page))
    done = completed("conform", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert page.read_text() == make_document(read_all(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nope",), "there is no build nope; choose from libgomp"),
        (("libgomp", "--rule", "nope"), "unknown rule nope; choose from keeps"),
        (("--threads", "0"), "'0' is not a positive number"),
        (("--threads", "4096"), "4096 is more than 1024"),
        (("--seed", "1000000000000000"), "--seed"),
        (("--show",), "--build-root has no effect beside --show without --expect"),
        (("--show", "--rule", "keeps"), "--rule has no effect beside --show"),
        (("--document", "--format", "json"), "--format has no effect beside --document"),
        (("--document",), "--build-root has no effect beside --document"),
        (("libgomp", "-o", "/nowhere/at/all"), "a file in a folder that exists"),
    ],
)
def test_bad_usage_is_one_line(
    build_root: Path,
    tmp_path: Path,
    rules: Callable[[str], None],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    rules("keeps")
    done = run(build_root, tmp_path / "none", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_builds_without_programs_are_the_machines_fault(build_root: Path, tmp_path: Path) -> None:
    done = run(build_root, tmp_path)
    assert done.returncode == 3
    assert "has rules to run; scripts/build makes them" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_a_run_that_is_ended_keeps_what_was_done(
    build_root: Path, tmp_path: Path, rules: Callable[[str], None], number: int, status: int
) -> None:
    rules("breaks hangs")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    hangs = build_root / "libgomp/bin/conformance/hangs"
    write_script(hangs, f'echo $$ > "{pipe}"\nexec sleep 1000')
    command = arguments_of(build_root, tmp_path / "kept", "libgomp", "--threads", "2")
    process = subprocess.Popen(
        [POLLUX, *command, "--time-limit", "900"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    started = int(pipe.read_text())  # so that the first rule is done
    process.send_signal(number)
    _, stderr = process.communicate()
    assert process.returncode == status
    assert status != 130 or "interrupted; what was done is kept" in stderr
    (result,) = read_all(tmp_path / "kept")
    assert [(rule.rule, rule.verdict) for rule in result.rules] == [("breaks", "broken")]
    if number == signal.SIGKILL:  # `sleep` does not follow whoever started it, as programs do
        os.kill(started, signal.SIGKILL)
