# SPDX-License-Identifier: BSD-3-Clause
"""`pollux conform --against` and `--expect`: only what is new fails, what got better is told."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from conform_rules import FAKE_RULE, Try, write_rules
from forked import completed
from pollux.machine.conformance.against import joined
from pollux.machine.conformance.baseline import Baseline
from pollux.machine.conformance.gate import Decision, Gate, check, kind_of
from pollux.machine.conformance.junit import junit
from pollux.machine.conformance.kept import read_all
from pollux.machine.conformance.program import TRIALS
from pollux.machine.conformance.results import FAILED, Attempt, Compiler, RuleResult, Verdict
from pollux.machine.conformance.settings import SEED_MAX, SEEDS_APART, TRIES_AGAIN
from pollux.machine.conformance.stored import sort_files
from project import ROOT, write_script

Ended = subprocess.CompletedProcess[str]
Conform = Callable[..., Ended]
REASON = "known upstream"


@pytest.fixture
def conform(build_root: Path, tmp_path: Path) -> Conform:
    """`pollux conform` on two threads; programs of a build behave as its words say."""

    def run(*arguments: object, **builds: str) -> Ended:
        for preset, rules in builds.items():
            write_behaviour(build_root / preset / "bin/conformance", rules)
        kept = ("--conformance", tmp_path / "kept")
        if "--show" in arguments and "--expect" not in arguments:
            return completed("conform", *arguments, *kept, folder=tmp_path)
        runs = not {"--show", "--document"} & set(arguments)
        where = ("--build-root", build_root, *kept, *(("--threads", "2") if runs else ()))
        return completed("conform", *arguments, *where, folder=tmp_path)

    return run


def write_behaviour(folder: Path, rules: str) -> None:
    """Programs of rules called a, b, …, which keep or break them as the words say."""
    names = "abcdefgh"[: len(rules.split())]
    write_rules(folder, " ".join(names))
    for name, behaviour in zip(names, rules.split(), strict=True):
        program = f'"{sys.executable}" -ES "{FAKE_RULE}"'
        if behaviour == "flickers":  # which only other seeds than the first show
            write_script(
                folder / name,
                f'case " $* " in *" --seed 1 "*) w=keeps ;; *) w=breaks ;; esac\n'
                f'exec {program} $w "$@"',
            )
        else:
            write_script(folder / name, f'exec {program} {behaviour} "$@"')


def expecting(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def first(ended: Ended) -> str:
    return ended.stdout.partition("\n")[0]


def test_only_a_failure_that_the_other_target_has_not_fails(conform: Conform) -> None:
    done = conform(
        "libomp",
        "--against",
        "libgomp",
        libgomp="keeps breaks keeps breaks",
        libomp="keeps breaks breaks keeps",
    )
    assert done.returncode == 1, done.stderr
    assert first(done) == (
        "FAILED: libomp against libgomp: 1 new failure (c broken); 1 known; 1 better; 4 rules tried"
    )
    lines = [line.strip() for line in done.stdout.splitlines()[1:4]]
    assert lines[0].startswith("new: libomp c: broken, was kept in 12 trials: broken on 2")
    assert lines[1].startswith("known: libomp b: broken, was broken")
    assert lines[2] == "better: libomp d: kept, was broken: in 3 trials"


def test_nothing_new_passes_however_much_is_broken(conform: Conform) -> None:
    done = conform("libomp", "--against", "libgomp", libgomp="breaks ages", libomp="breaks ages")
    assert (done.returncode, first(done)) == (
        0,
        "PASSED: libomp against libgomp: no new failure; 1 known; 2 rules tried",
    )


def test_a_failure_that_shows_now_and_then_is_no_news(conform: Conform, tmp_path: Path) -> None:
    """The first trials on the other target were lucky; its result is the one that is kept."""
    done = conform("libomp", "--against", "libgomp", libgomp="flickers", libomp="breaks")
    assert done.returncode == 0, done.stdout
    assert "libgomp: trying a again, since it failed elsewhere" in done.stderr
    assert [r.rule("a").verdict for r in read_all(tmp_path / "kept")] == ["broken", "broken"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("first", "again", "verdict"),
    [
        *(("serialises", "keeps", "kept"), ("ignores", "keeps", "kept")),
        *(("keeps", "serialises", "kept"), ("serialises", "serialises", "serialised")),
        *(("serialises", "refuses", "serialised"), ("keeps", "breaks", "broken")),
    ],
)
def test_concurrency_that_another_try_shows_is_there(
    tried: Try, first: str, again: str, verdict: str
) -> None:
    (one,), (other,) = (tried(words, threads=(2,)).rules for words in (first, again))
    both = joined(one, other)
    assert both.verdict == verdict
    assert verdict == "broken" or both.trials == one.trials + other.trials


def test_the_programs_take_every_seed_of_a_second_try_and_of_its_trials() -> None:
    (most,) = re.findall(r"SEED_MAX = (\d+);", (ROOT / "conformance/rule.c").read_text())
    assert TRIALS <= SEEDS_APART
    assert int(most) >= SEED_MAX + TRIES_AGAIN * SEEDS_APART + TRIALS


@pytest.mark.parametrize("form", ["a stored result", "the output as JSON", "a gate's output"])
def test_a_file_stands_for_the_other_target(conform: Conform, tmp_path: Path, form: str) -> None:
    conform("libgomp", libgomp="keeps breaks", libomp="breaks breaks")
    file = tmp_path / "kept/libgomp.json"
    if form != "a stored result":
        more = ["--against", str(file)] if form == "a gate's output" else []
        file = tmp_path / "old.json"
        conform("libgomp", "--show", "--format", "json", "-o", file, *more)
    done = conform("libomp", "--against", file)
    assert done.returncode == 1
    assert "1 new failure (a broken); 1 known" in first(done)


def test_stored_results_are_compared_without_running_anything(
    conform: Conform, build_root: Path
) -> None:
    ran = conform("libomp", "--against", "libgomp", libgomp="keeps", libomp="breaks")
    (build_root / "libomp/bin/conformance/a").unlink()
    shown = conform("libomp", "--against", "libgomp", "--show")
    assert (shown.returncode, shown.stdout) == (ran.returncode, ran.stdout)
    assert conform("--show").returncode == 0


def test_failures_of_rules_that_are_not_tried_may_be_expected(
    conform: Conform, tmp_path: Path
) -> None:
    text = "".join(f'[[expected]]\nrule = "{rule}"\nreason = "{REASON}"\n' for rule in "ab")
    file = expecting(tmp_path / "expected.toml", text)
    done = conform("libgomp", "--rule", "a", "--expect", file, libgomp="breaks breaks")
    assert (done.returncode, "no new failure" in first(done)) == (0, True), done.stderr
    assert conform("libgomp", "--show", "--expect", file).returncode == 0


@pytest.mark.parametrize(
    ("entry", "status", "words"),
    [
        ("", 0, "no new failure; 1 known; 1 better"),
        ('targets = ["libg*"]', 0, "no new failure; 1 known"),
        ('targets = ["libomp", "clang+*"]', 1, "1 new failure (a broken)"),
        ('verdicts = ["hung"]', 1, "1 new failure (a broken)"),
        ('verdicts = ["hung", "broken"]', 0, "no new failure; 1 known"),
    ],
)
def test_expected_failures_pass_on_their_targets_and_in_their_way(
    conform: Conform, tmp_path: Path, entry: str, status: int, words: str
) -> None:
    file = expecting(
        tmp_path / "expected.toml",
        f'[[expected]]\nrule = "a"\nreason = "{REASON}"\n{entry}\n'
        f'[[expected]]\nrule = "b"\nreason = "{REASON}"\n',
    )
    done = conform("libgomp", "--expect", file, libgomp="breaks keeps")
    assert (done.returncode, words in first(done)) == (status, True), done.stdout + done.stderr
    assert (f"(expected: {REASON})" in done.stdout) or status == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[expected]]\nrule = 'a'", ":1: expected.reason: is missing"),
        ("[[expected]]\nrule = 'z'\nreason = 'x'", ':2: expected.rule: there is no rule "z"'),
        ("[[expected]]\nrule = 'a'\nreason = ''", ":3: expected.reason: is empty"),
        ("[[expected]]\nrule = 'a'\nreason = 'x'\nverdict = 'hung'", 'did you mean "verdicts"?'),
        ("[[expected]]\nrule = 'a'\nreason = 'x'\nverdicts = ['kept']", "choose from crashed"),
        ("[[expected]]\nrule = 'a'\nreason = 'x'\nverdicts = ['nope']", "choose from crashed"),
        ("[[expected]]\nrule = 'a'\nreason = 'x'\ntargets = 'a'", ":4: expected.targets: must be"),
        ("[[wanted]]", "unknown key"),
        ("expected = 3", "must be a"),
        ("[[", "not TOML"),
    ],
)
def test_a_bad_file_of_expected_failures_is_a_line_with_its_position(
    conform: Conform, tmp_path: Path, text: str, words: str
) -> None:
    file = expecting(tmp_path / "expected.toml", text)
    done = conform("libgomp", "--expect", file, libgomp="keeps")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert words in done.stderr
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("libgomp", "--against", "libgomp"), "name another target"),
        (("libgomp", "--against", "nope"), "there is no build nope"),
        (("libgomp", "--against", "no/such"), "cannot read no/such (No such file"),
        (("libgomp", "--against", "rubbish.json"), "holds no results of pollux conform"),
        (("libgomp", "--against", "empty.json"), "holds the results of no target"),
        (("libgomp", "--against", "/dev/zero"), "it is a device"),
        (("libgomp", "--against", "kept/libgomp.json"), "this run replaces it"),
        (("libgomp", "--expect", "nowhere.toml"), "cannot read nowhere.toml"),
        (("--document", "--against", "libgomp"), "--against has no effect beside --document"),
        (("libgomp", "--junit", "/nowhere/at/all"), "--junit takes a file in a folder"),
        (("libgomp", "--junit", "a", "-o", "a"), "name another file"),
        (("libgomp", "--format", "json", "-o", "kept/new.json"), "kept is for kept results"),
    ],
)
def test_bad_use_of_a_gate_is_one_line(
    conform: Conform,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    conform("libgomp", libgomp="keeps", libomp="keeps")
    (tmp_path / "rubbish.json").write_text('{"a": 1}')
    (tmp_path / "empty.json").write_text("[]")
    done = conform(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(
    ("rule", "status"), [("keeps", 0), ("b", 0), ("kept", 2)], ids=["tried", "listed", "unknown"]
)
def test_expected_failures_of_stored_results_name_rules_that_exist(
    conform: Conform, build_root: Path, tmp_path: Path, rule: str, status: int
) -> None:
    """Of a rule that was tried, or that the build has."""
    conform("libgomp", "--rule", "a", libgomp="keeps keeps")
    rule = rule.replace("keeps", "a")
    text = f'[[expected]]\nrule = "{rule}"\nreason = "{REASON}"\n'
    file = expecting(tmp_path / "expected.toml", text)
    done = conform("--show", "--expect", file)
    assert (done.returncode, 'there is no rule "kept"' in done.stderr) == (status, status == 2)
    (build_root / "libgomp/bin/conformance/rules.json").unlink()
    assert conform("--show", "--expect", file).returncode == 0


def test_a_target_that_refuses_to_run_is_not_judged(conform: Conform) -> None:
    done = conform("libomp", "--against", "libgomp", libgomp="refuses", libomp="breaks")
    assert done.returncode == 3
    assert first(done).startswith("UNDECIDED: libomp against libgomp: no new failure; 1 not judged")
    assert (
        conform("libomp", "--against", "libgomp", libgomp="keeps", libomp="refuses").returncode == 3
    )


def test_json_has_the_answer_and_each_change(conform: Conform) -> None:
    done = conform(
        "libomp", "--against", "libgomp", "--format", "json", libgomp="keeps", libomp="breaks"
    )
    found = json.loads(done.stdout)
    assert (found["schema"], found["status"]) == ("pollux-conform/1", "failed")
    assert found["answer"].startswith("FAILED: libomp against libgomp: 1 new failure (a broken)")
    (change,) = found["changes"]
    assert (change["rule"], change["kind"], change["verdict"]) == ("a", "new", "broken")
    assert "--seed 1 --trials 1" in change["replay"]
    assert [result["label"] for result in found["results"]] == ["libomp"]


def test_a_report_takes_results_and_gate_from_a_pipe_too(
    conform: Conform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What gives its contents once."""
    done = conform(
        "libomp", "--against", "libgomp", "--format", "json", libgomp="keeps", libomp="keeps"
    )
    path = tmp_path / "once.json"
    path.touch()
    contents = [done.stdout.encode()]
    monkeypatch.setattr(Path, "read_bytes", lambda _: contents.pop())
    stored = sort_files([path])
    assert [result.label for result in stored.results] == ["libomp"]
    assert [gate.is_passed for gate in stored.gates] == [True]


def test_junit_fails_what_is_new_and_skips_what_is_known(conform: Conform, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    conform(
        *("libomp", "--against", "libgomp", "--junit", file),
        libgomp="keeps keeps breaks",
        libomp="keeps breaks breaks",
    )
    root = Xml.parse(file).getroot()
    assert root.get("name", "").startswith("FAILED: libomp against libgomp")
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    skipped = {name for name, case in cases.items() if case.find("skipped") is not None}
    assert (failed, skipped) == ({"b"}, {"c"})
    assert (root.get("tests"), root.get("failures")) == (str(len(cases)), "1")


def test_junit_is_xml_whatever_the_file_to_compare_with_is_called() -> None:
    gate = Gate(Decision.PASSED, "PASSED: libomp against a\x1b\udcff.json", [])
    root = Xml.fromstring(junit([], gate))
    assert root.get("name") == "PASSED: libomp against a\\u001b\\udcff.json"


def test_without_a_gate_junit_fails_every_failure(conform: Conform, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    done = conform("libgomp", "--junit", file, libgomp="keeps breaks ages")
    assert done.returncode == 1
    failures = [case.get("type") for case in Xml.parse(file).getroot().iter("failure")]
    assert failures == ["broken"]


def rule_of(verdict: Verdict) -> RuleResult:
    attempt = Attempt(
        threads=2,
        trials=3,
        verdict=verdict,
        seed=1,
        detail="",
        replay=None,
        stderr="",
        stacks=None,
        seconds=0,
    )
    return RuleResult(
        rule="a",
        statement="",
        source="",
        verdict=verdict,
        threads=[2],
        detail="",
        trials=3,
        seed=1,
        unix_ns=0,
        attempts=[attempt],
        not_tried=[],
    )


def test_a_verdict_is_new_only_where_it_is_a_failure_that_was_none() -> None:
    """Over all pairs of verdicts: none fails unless the rule worked, or had no program, before."""
    new = {
        (was, now)
        for was in Verdict
        for now in Verdict
        if kind_of(rule_of(now), rule_of(was), None) == "new"
    }
    fine = [v for v in Verdict if v not in (*FAILED, Verdict.NOT_RUN)]
    worked = (Verdict.KEPT, Verdict.IGNORED, Verdict.SERIALISED)
    assert new == {(was, now) for was in fine for now in FAILED} | {
        (was, Verdict.UNSUPPORTED) for was in worked
    }
    undecided = {
        (was, now)
        for was in Verdict
        for now in Verdict
        if kind_of(rule_of(now), rule_of(was), None) == "not judged"
    }
    refused = Verdict.NOT_RUN
    assert undecided == {
        *((was, refused) for was in Verdict),
        *((refused, now) for now in (*FAILED, Verdict.UNSUPPORTED)),
        *((was, Verdict.NOT_COMPILED) for was in (*worked, *FAILED)),
    }
    assert not [
        v for v in Verdict if v in FAILED and kind_of(rule_of(v), rule_of(v), None) != "known"
    ]


def test_a_rule_that_an_older_compiler_lacks_is_not_judged(
    conform: Conform, tmp_path: Path
) -> None:
    """Another compiler may lack rules that this one has."""
    conform("libgomp", libgomp="keeps keeps")
    (before,) = read_all(tmp_path / "kept")
    lacked = before.rules[1].model_copy(update={"verdict": Verdict.NOT_COMPILED, "attempts": []})
    now = before.model_copy(update={"rules": [before.rules[0], lacked]})
    gate = check([now], Baseline("before", [before]), None)
    assert gate.decision is Decision.UNDECIDED
    assert [(c.rule, c.kind) for c in gate.changes] == [("b", "not judged")]
    other = before.model_copy(update={"compiler": Compiler(name="clang", version="22")})
    gate = check([now], Baseline("before", [other]), None)
    assert (gate.decision, gate.changes) == (Decision.PASSED, [])


def test_where_no_rule_was_judged_nothing_is_decided(conform: Conform, tmp_path: Path) -> None:
    conform("libgomp", libgomp="keeps")
    (result,) = read_all(tmp_path / "kept")
    assert check([result], None, None).decision is Decision.PASSED
    rules = [r.model_copy(update={"verdict": Verdict.NOT_COMPILED}) for r in result.rules]
    nothing = result.model_copy(update={"rules": rules})
    assert check([nothing], None, None).decision is Decision.UNDECIDED
    assert check([nothing, result], None, None).decision is Decision.PASSED
