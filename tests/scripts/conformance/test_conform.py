# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux conform` makes of programs that keep, break and hang, and what it keeps of that."""

import errno
import json
import os
import re
import shlex
import subprocess
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from signal import SIGABRT, SIGKILL, SIGSEGV
from unittest.mock import Mock

import pytest
from conform_rules import FAKE_RULE, LIMIT, Try, progress_of, write_rules
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables import variables as environment
from pollux.core.executables.process import HINTS, CannotStartError
from pollux.core.runtimes.found import Library, Target
from pollux.core.runtimes.places import find_builds
from pollux.machine.conformance import program, session
from pollux.machine.conformance.document import make_document
from pollux.machine.conformance.engine import MOST_EFFORT, conform, waiting
from pollux.machine.conformance.kept import order
from pollux.machine.conformance.program import TRIALS, Order, list_programs
from pollux.machine.conformance.results import (
    MEANING,
    Attempt,
    RuleResult,
    TargetResult,
    Verdict,
    combine,
    worst,
)
from pollux.machine.conformance.settings import Settings
from pollux.machine.conformance.show import (
    finding_lines,
    markdown,
    noteworthy,
    parts,
    trials,
    words,
)
from project import ROOT
from runtime_machine import make_machine

SHORT = 3.0  # for one that hangs
REAL = ROOT / "build/libgomp/bin/conformance"


@pytest.mark.parametrize("labels", [[], ["gcc+libomp19"]])
def test_results_in_a_folder_that_the_linker_would_split_are_bad_usage(
    labels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = make_machine(tmp_path, monkeypatch)
    with pytest.raises(BadUsageError, match="has a ':', which the dynamic linker takes"):
        session.targets(labels, machine.builds, tmp_path / "12:30")


@pytest.mark.parametrize("labels", [[], ["gcc+libomp19", "libgomp"]])
def test_what_leads_to_libraries_is_kept_with_the_results(
    labels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nothing is written into a source tree that is read only."""
    machine = make_machine(tmp_path, monkeypatch)
    write_rules(machine.builds / "libgomp/bin/conformance", "keeps")
    searched = Mock(wraps=find_builds)
    monkeypatch.setattr("pollux.core.runtimes.found.find_builds", searched)
    found = session.targets(labels, machine.builds, tmp_path / "kept")
    assert searched.call_count == 1
    folders = [t.variables["LD_LIBRARY_PATH"] for t in found if t.library is not None]
    assert folders
    assert {Path(folder).parent for folder in folders} == {tmp_path / "kept/.runtimes"}


def only(result: TargetResult) -> RuleResult:
    (rule,) = result.rules
    return rule


@pytest.mark.parametrize(
    ("rule", "verdict", "detail"),
    [
        ("keeps", Verdict.KEPT, ""),
        ("breaks", Verdict.BROKEN, "saw it"),
        ("serialises", Verdict.SERIALISED, "saw it"),
        ("ignores", Verdict.IGNORED, "saw it"),
        ("misses", Verdict.UNSUPPORTED, "the runtime lacks __kmpc_x"),
        ("lacks", Verdict.UNSUPPORTED, "the runtime lacks __kmpc_y"),
        ("ages", Verdict.UNSUPPORTED, "the runtime lacks OMP_5.0.1"),
        ("no-program", Verdict.NOT_COMPILED, "the compiler lacks depend iterator"),
        ("refuses", Verdict.NOT_RUN, "refuses: this is libomp, not libgomp"),
        ("dates", Verdict.NOT_RUN, "dates: '--seconds' is not an option"),
        ("crashes", Verdict.CRASHED, f"SIGSEGV: free(): invalid pointer ({HINTS[SIGSEGV]})"),
        ("gives-up", Verdict.CRASHED, "exit status 1: five dependences, /usr/src/a.c:7"),
        ("idles", Verdict.CRASHED, "exit status 0"),
        ("tears", Verdict.CRASHED, f"SIGKILL ({HINTS[SIGKILL]})"),
        ("falls", Verdict.CRASHED, f"SIGABRT ({HINTS[SIGABRT]})"),
        ("faints", Verdict.CRASHED, f"SIGABRT ({HINTS[SIGABRT]})"),
        ("stints", Verdict.NOT_RUN, "stints: the runtime gave a team of 1"),
    ],
)
def test_each_way_to_end_has_its_verdict(
    tried: Try, rule: str, verdict: Verdict, detail: str
) -> None:
    found = only(tried(rule, threads=(2,)))
    assert (found.verdict, found.detail) == (verdict, detail)


def test_a_program_that_cannot_be_started_is_not_run_and_ends_nothing(tmp_path: Path) -> None:
    """As in a build for another processor, or one that was not finished."""
    folder = tmp_path / "a build"
    write_rules(folder, "foreign absent keeps")
    (folder / "foreign").write_bytes(b"\x7fELF of another machine")
    (folder / "absent").unlink()
    found = conform(progress_of(folder, Settings((2,), 1, 1.0, LIMIT)), lambda: None)
    foreign, absent, keeps = found.rules
    assert (foreign.verdict, absent.verdict) == (Verdict.NOT_RUN, Verdict.NOT_RUN)
    assert foreign.detail == "cannot be started: Exec format error"
    assert absent.detail == "cannot be started: No such file or directory"
    assert keeps.verdict is Verdict.KEPT


def test_a_machine_that_lacks_something_for_a_start_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_process(command: list[str], *_: object, **__: object) -> None:
        raise CannotStartError(command[0], OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)))

    monkeypatch.setattr(program, "run_process", run_process)
    write_rules(tmp_path, "keeps")
    with pytest.raises(MachineError, match="Cannot allocate memory"):
        conform(progress_of(tmp_path, Settings((2,), 1, 1.0, LIMIT)), lambda: None)


def test_what_the_machine_does_not_let_a_program_write_is_no_result(tried: Try) -> None:
    with pytest.raises(MachineError, match=r"fills on 2 threads could not .* \(No space left on"):
        tried("fills", threads=(2,))


def test_a_hang_is_reported_with_seed_and_stacks_and_spares_the_other_thread_counts(
    tried: Try,
) -> None:
    found = only(tried("hangs", limit=SHORT))
    assert (found.verdict, found.threads, found.not_tried) == (Verdict.HUNG, [2], [1, 4])
    (attempt,) = found.attempts
    assert attempt.seed == 7
    assert attempt.stacks


@pytest.mark.slow
def test_a_hang_on_one_thread_hides_nothing_about_several(tried: Try) -> None:
    found = only(tried("hangs@1", limit=SHORT))
    assert [a.verdict for a in found.attempts] == [Verdict.KEPT, Verdict.KEPT, Verdict.HUNG]
    assert words(found) == "hung (1)"
    assert found.not_tried == []


@pytest.mark.slow
def test_thread_counts_that_were_left_out_are_reported(tried: Try) -> None:
    ((text, _),) = finding_lines(tried("hangs", limit=SHORT))
    assert text.endswith("; seed 7; not tried on 1, 4")


def test_what_fails_at_one_thread_count_alone_is_reported_with_it(tried: Try) -> None:
    found = only(tried("breaks@4"))
    assert (found.verdict, found.threads, words(found)) == (Verdict.BROKEN, [4], "broken (4)")


def test_the_seed_is_that_of_the_trial_that_broke_the_rule(tried: Try) -> None:
    found = only(tried("breaks-late", threads=(2,)))
    assert found.findings()[0].seed == 9
    assert found.trials == 3


def test_an_end_after_a_broken_trial_hides_neither_its_seed_nor_what_it_saw(tried: Try) -> None:
    """As where lost tasks keep a runtime from ending."""
    (attempt,) = only(tried("collapses", threads=(2,))).findings()
    assert (attempt.verdict, attempt.seed) == (Verdict.CRASHED, 9)
    assert attempt.detail == f"SIGABRT ({HINTS[SIGABRT]}), after a broken trial: saw it"
    assert attempt.replay is not None and "--seed 9 --trials 1" in attempt.replay


def test_the_replay_command_shows_the_same_again(tried: Try) -> None:
    found = only(tried("breaks@4"))
    replay = found.findings()[0].replay
    assert replay is not None
    done = subprocess.run(replay, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "seed": 7,
        "verdict": "broken",
        "detail": "saw it",
    }


def test_the_replay_command_has_the_environment_and_no_folders_of_the_project() -> None:
    variables = {"LD_LIBRARY_PATH": f"{ROOT}/results/.runtimes/1f", "OMP_WAIT_POLICY": "a b"}
    order = Order(ROOT / "build/libgomp/bin/conformance/x", 8, 1, 0.5, 8.0, variables)
    replay = order.replay(3)
    assert str(ROOT) not in replay
    assert shlex.split(replay) == [
        "LD_LIBRARY_PATH=results/.runtimes/1f",
        "OMP_WAIT_POLICY=a b",
        "build/libgomp/bin/conformance/x",
        *("--threads", "8", "--seed", "3", "--trials", "1"),
    ]


def test_concurrency_that_one_trial_saw_is_there(tried: Try) -> None:
    assert only(tried("meets-once")).verdict is Verdict.KEPT


def test_one_thread_shows_nothing_about_concurrency(tried: Try) -> None:
    assert only(tried("serialises@2", threads=(1, 2))).verdict is Verdict.SERIALISED
    assert only(tried("serialises@1", threads=(1, 2))).verdict is Verdict.KEPT


def attempt(verdict: Verdict, threads: int = 2) -> Attempt:
    return Attempt(
        threads=threads,
        trials=1,
        verdict=verdict,
        seed=None,
        detail="",
        replay=None,
        stderr="",
        stacks=None,
        seconds=0,
    )


def test_the_worst_of_several_verdicts_counts() -> None:
    ascending = list(Verdict)
    for better, poorer in pairwise(ascending[3:]):
        assert combine([attempt(better), attempt(poorer, 4)]) is poorer
    assert worst([Verdict.IGNORED, Verdict.SERIALISED]) is Verdict.SERIALISED
    assert combine([attempt(Verdict.KEPT), attempt(Verdict.BROKEN, 1)]) is Verdict.BROKEN


def test_only_trials_on_several_threads_are_counted(tried: Try) -> None:
    assert only(tried("keeps", threads=(1, 2, 4))).trials == 6


def set_processors(monkeypatch: pytest.MonkeyPatch, count: int, quota: float | None) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)))
    monkeypatch.setattr(environment, "processors_of_quota", lambda: quota)


@pytest.mark.parametrize(("processors", "quota"), [(2, None), (64, 2.0)])
def test_threads_beyond_the_processors_or_their_quota_wait_passively(
    monkeypatch: pytest.MonkeyPatch, processors: int, quota: float | None
) -> None:
    set_processors(monkeypatch, processors, quota)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert (waiting(2), waiting(4)) == ({}, {"OMP_WAIT_POLICY": "passive"})
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert waiting(4) == {}


def test_programs_get_the_library_and_how_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    set_processors(monkeypatch, 1, None)
    library = Library("xkaapi", "xkaapi", None, tmp_path / "x.so", None, ("KMP",), None, ())
    target = Target("clang+xkaapi", "libomp", library, {"LD_LIBRARY_PATH": "/drop/in"})
    write_rules(tmp_path, "shows")
    settings = Settings((2,), 1, 1.0, LIMIT)
    found = only(conform(progress_of(tmp_path, settings, target), lambda: None))
    assert found.detail == "OMP_WAIT_POLICY=passive LD_LIBRARY_PATH=/drop/in"


def test_unknown_rules_are_answered_by_those_there_are(tmp_path: Path) -> None:
    write_rules(tmp_path, "keeps breaks")
    with pytest.raises(BadUsageError, match="unknown rule nope; choose from keeps, breaks"):
        progress_of(tmp_path, Settings((2,), 1, 1.0, LIMIT, ("nope",)))


def test_a_build_without_programs_is_named(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"there is no .*rules\.json; scripts/build makes it"):
        list_programs(tmp_path)
    (tmp_path / "rules.json").write_text("{")
    with pytest.raises(MachineError, match="cannot be read"):
        list_programs(tmp_path)


def test_targets_are_ordered_as_people_count(tried: Try) -> None:
    result = tried("keeps", threads=(2,))
    labels = ["libgomp", "libomp", "clang+libomp9", "gcc+libomp9", "gcc+libomp13"]
    presets = ["libgomp", "libomp", "libomp", "libgomp", "libgomp"]
    made = [
        result.model_copy(update={"label": label, "preset": preset})
        for label, preset in zip(labels, presets, strict=True)
    ]
    shuffled = [made[at] for at in (3, 1, 4, 0, 2)]
    found = [r.label for r in sorted(shuffled, key=order)]
    assert found == ["libgomp", "libomp", "gcc+libomp9", "gcc+libomp13", "clang+libomp9"]


# What is shown


def test_the_worst_is_reported_first_and_nothing_of_what_was_kept(tried: Try) -> None:
    result = tried("keeps ignores breaks crashes no-program", threads=(2,))
    assert [rule.rule for rule in noteworthy(result)] == ["crashes", "breaks", "ignores"]


def test_each_kind_of_failure_of_a_rule_is_reported(tried: Try) -> None:
    rule = only(tried("breaks@2 ", threads=(2,)))
    both = rule.model_copy(
        update={
            "verdict": Verdict.CRASHED,
            "attempts": [*rule.attempts, attempt(Verdict.CRASHED, 4), attempt(Verdict.KEPT, 8)],
        }
    )
    assert words(both) == "crashed (4), broken (2)"


def test_a_terminal_too_narrow_for_all_targets_shows_them_in_turn(tried: Try) -> None:
    result = tried("keeps", threads=(2,))
    three = [result.model_copy(update={"label": f"libgomp-{n}"}) for n in range(3)]
    assert [len(part) for part in parts(three, 20)] == [1, 1, 1]
    assert [len(part) for part in parts(three, 200)] == [3]


def test_markdown_shows_failures_without_colours_and_says_what_kept_is_worth(tried: Try) -> None:
    text = markdown([tried("keeps breaks")])
    assert "| keeps | kept |" in text
    assert "| breaks | **broken** |" in text
    assert "kept in 6 trials on several threads (median 6), seed 7" in text
    assert "- libgomp breaks: broken on 1, 2, 4 threads: saw it; seed 7 on 2: `" in text


def test_markdown_shows_details_as_they_are(tried: Try) -> None:
    assert r"the runtime lacks \_\_kmpc_x" in markdown([tried("misses")])
    assert r"the runtime lacks \_\_kmpc_x" in make_document([tried("misses")])


def test_a_target_that_kept_nothing_has_no_trials_to_show(tried: Try) -> None:
    assert trials(tried("breaks")) == "no trials on several threads"


def test_one_trial_is_one(tried: Try) -> None:
    result = tried("keeps")
    rules = [rule.model_copy(update={"trials": 1}) for rule in result.rules]
    one = result.model_copy(update={"rules": rules})
    assert trials(one) == "kept in 1 trial on several threads (median 1)"


def test_the_page_names_rules_and_findings_and_no_folder_of_this_machine(tried: Try) -> None:
    result = tried("keeps breaks gives-up")
    combination = result.model_copy(update={"label": "gcc+libomp19"})
    page = make_document([result, combination])
    assert page.count("A runtime keeps. (OpenMP 5.2, 15.9.5)") == 1
    assert "[breaks](#breaks)" in page
    assert "### breaks" in page
    assert "- gcc+libomp19: broken on 1, 2, 4 threads: saw it; seed 7 on 2" in page
    assert "five dependences, a.c:7" in page
    for folder in (str(FAKE_RULE.parent), str(ROOT), "a build", "/usr/src", "/lib/"):
        assert folder not in page


@pytest.fixture
def page() -> list[str]:
    return (ROOT / "docs/conformance.md").read_text().splitlines()


def test_the_page_in_the_docs_has_the_words_of_its_template(page: list[str]) -> None:
    template = files("pollux.machine.conformance").joinpath("document.md.j2").read_text("utf-8")
    text = template.replace("{{ trials }}", str(TRIALS))
    fixed = [line for line in text.splitlines() if "{{" not in line and "{%" not in line]
    left = iter(page)
    assert [line for line in fixed if line not in left] == []
    for verdict, meaning in MEANING.items():
        assert f"| {verdict} | {meaning} |" in page


def test_the_page_in_the_docs_has_no_finding_that_its_template_would_lose(page: list[str]) -> None:
    tested = page[page.index("### What was tested") : page.index("## How to replay a seed")]
    labels = [line.split("|")[1].strip() for line in tested if line.startswith("| ")]
    findings = page[page.index("## The rules and the findings") :]
    told = {line[2:].partition(":")[0] for line in findings if line.startswith("- ")}
    assert told <= set(labels)


def test_findings_without_a_command_have_none(tried: Try) -> None:
    ((text, command),) = finding_lines(tried("refuses", threads=(2,)))
    assert text == "libgomp refuses: not run on 2 threads: refuses: this is libomp, not libgomp"
    assert command.endswith("--threads 2 --seed 7 --trials 1")


@pytest.mark.parametrize("seconds", [0.1, Settings.seconds, 2.0, 10.0, 600.0])
@pytest.mark.parametrize("threads", [1, 4])
def test_a_program_with_long_trials_has_the_time_for_them(
    tmp_path: Path, seconds: float, threads: int
) -> None:
    write_rules(tmp_path, "keeps")
    made = progress_of(tmp_path, Settings(seconds=seconds)).order("keeps", threads)
    usual = progress_of(tmp_path, Settings()).order("keeps", threads)
    assert usual.limit == Settings.limit
    assert made.limit - made.seconds * MOST_EFFORT >= usual.limit - usual.seconds * MOST_EFFORT


def test_no_rule_tries_longer_than_its_limit_is_for() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "conformance/rules").glob("*.c"))
    efforts = [float(text) for text in re.findall(r"\.effort = ([0-9.]+)", sources)]
    assert efforts and max(efforts) == MOST_EFFORT


# The real thing


@pytest.mark.skipif(not (REAL / "depend-order").exists(), reason="build/libgomp is not built")
def test_a_real_program_is_understood() -> None:
    settings = Settings((2,), 1, 0.05, 60.0, ("depend-order",))
    found = conform(progress_of(REAL, settings), lambda: None)
    assert only(found).verdict is Verdict.KEPT
    assert only(found).source.startswith("OpenMP")
    assert found.runtime is not None
    assert found.runtime.name == "libgomp"
