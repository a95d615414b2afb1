# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run` as its user meets it: every sample, whatever happens, exactly once."""

import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from micro_campaigns import configuration
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.commands import run_jobs, run_session
from pollux.core.commands.run_results import next_steps
from pollux.core.commands.run_session import first_difference
from pollux.core.executables.process import HINTS
from project import Campaign, write_script
from rich.console import Console
from synthetic import write_campaign

# Whatever else this machine does meanwhile disturbs no block.
GRID = '[grid]\nsize = 512\nbenchmark = ["cholesky", "lu"]\n[blocks]\nforeign_cpu = 9.0\n'


def lines(path: Path, event: str) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in entries if line["event"] == event]


def outcomes(campaign: Campaign) -> dict[tuple[str, str, str], Counter[str]]:
    """By benchmark, variant and runtime: how often each outcome."""
    path = campaign.output
    names = {c["hash"]: c["configuration"] for c in lines(path, "configuration")}
    counted: dict[tuple[str, str, str], Counter[str]] = {}
    for sample in lines(path, "sample"):
        c = names[sample["configuration"]]
        key = c["benchmark"], c["variant"], c["runtime"]
        counted.setdefault(key, Counter())[sample["outcome"]] += 1
    return counted


def taken(campaign: Campaign) -> Counter[tuple[str, int, int]]:
    return Counter(
        (s["configuration"], s["round"], s["attempt"]) for s in lines(campaign.output, "sample")
    )


def test_good_runs_give_status_0_and_their_records(campaign: Campaign) -> None:
    done = campaign.run("good", GRID, "--set", "processes=3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "12 runs, 0 failed" in done.stdout
    samples = lines(campaign.output, "sample")
    assert Counter(s["outcome"] for s in samples) == {"ok": 12}
    assert {s["records"][0]["schema"] for s in samples} == {"pollux-run/1"}
    assert {s["records"][0]["seed"] - s["round"] for s in samples} == {20261}
    assert lines(campaign.output, "end")[-1]["complete"]


GOING_WRONG = {
    "crash": ("crash", f"killed by SIGSEGV ({HINTS[signal.SIGSEGV]})"),
    "fail": ("failed check", "check failed: A-LLT 99, limit 30"),
    "silent": ("no record", "0 records instead of 1"),
    "refuse": ("refused", "exit status 3: lu: 999 threads are more than this machine has"),
    "torn": ("crash", f"killed by SIGKILL ({HINTS[signal.SIGKILL]})"),
}


@pytest.mark.slow
def test_runs_that_go_wrong_are_rows_and_what_to_read_next_and_the_rest_goes_on(
    campaign: Campaign,
) -> None:
    options = ("--set", "processes=2", "--set", "benchmark=lu")
    done = campaign.run(",".join([*GOING_WRONG, "good"]), GRID, *options)
    assert done.returncode == 1
    for variant, (outcome, problem) in GOING_WRONG.items():
        assert f"lu {variant} N=512 on libomp: {outcome}: {problem}\n" in done.stdout
        assert outcomes(campaign)["lu", variant, "libomp"] == {outcome: 2}
    assert outcomes(campaign)["lu", "good", "libomp"] == {"ok": 2}
    after = done.stdout.partition("\nnext\n")[2]
    wrong = f"  pollux report {campaign.output_as_shown}: what went wrong, with stacks"
    assert after.startswith(wrong)


@pytest.mark.slow
def test_a_run_that_hangs_is_killed_and_its_stacks_kept(campaign: Campaign) -> None:
    limit = ("--set", "time_limit=10", "--set", "benchmark=lu", "--set", "processes=1")
    once = GRID + '[[exclude]]\nvariant = "hang"\nruntime = "libgomp"\n'
    done = campaign.run("hang,good", once, *limit)
    assert done.returncode == 1
    hung = [s for s in lines(campaign.output, "sample") if s["outcome"] == "hang"]
    assert len(hung) == 1
    assert re.fullmatch(r"killed: not finished after \d+\.\d s", hung[0]["problem"])
    assert "pause" in hung[0]["detail"]
    assert outcomes(campaign)["lu", "good", "libomp"] == {"ok": 1}


@pytest.mark.slow
def test_what_always_fails_is_given_up_and_its_partner_is_not(campaign: Campaign) -> None:
    campaign.run("half", GRID, "--set", "processes=5")
    assert outcomes(campaign)["lu", "half", "libomp"] == {"crash": 3}
    assert outcomes(campaign)["lu", "half", "libgomp"] == {"ok": 5}


@pytest.mark.slow
def test_a_variant_that_cannot_run_is_recorded_with_its_reason(campaign: Campaign) -> None:
    done = campaign.run("good,unavailable", GRID, "--set", "processes=1")
    assert done.returncode == 0
    reasons = [line["reason"] for line in lines(campaign.output, "unavailable")]
    assert reasons == ["needs a newer compiler"] * 4
    assert not any(key[1] == "unavailable" for key in outcomes(campaign))


@pytest.mark.slow
def test_the_same_command_takes_only_what_is_missing(campaign: Campaign) -> None:
    campaign.run("good", GRID, "--set", "processes=2")
    before = campaign.output.read_text()
    campaign.run("good", GRID, "--set", "processes=4")
    assert campaign.output.read_text().startswith(before)
    assert set(taken(campaign).values()) == {1}
    assert len(taken(campaign)) == 4 * 4
    campaign.run("good", GRID, "--set", "processes=4")
    assert len(taken(campaign)) == 4 * 4


def test_until_all_is_decided_and_the_answer_stays_the_answer(campaign: Campaign) -> None:
    options = ("--until-decided", "3%", "--budget", "5m")
    done = campaign.run("good", GRID, *options)
    assert (done.returncode, done.stderr) == (0, "")
    start, end = lines(campaign.output, "start")[-1], lines(campaign.output, "end")[-1]
    assert (start["until_decided"], start["budget"], end["stopped"]) == (0.03, 300, "decided")
    assert "2 of 2 comparisons decided\n" in done.stdout
    answer = answer_of(done.stdout)
    assert answer.startswith("libomp is faster than libgomp by 25.0 %")
    assert answer == compare(load([campaign.output])).headline
    before = taken(campaign)
    again = campaign.run("good", GRID, *options)
    assert (answer_of(again.stdout), taken(campaign)) == (answer, before)
    assert set(before.values()) == {1}


def answer_of(stdout: str) -> str:
    """The paragraph before the next commands."""
    paragraphs = stdout.partition("\nnext\n")[0].rstrip("\n").split("\n\n")
    return paragraphs[-1]


def test_what_contradicts_until_decided_is_refused(campaign: Campaign) -> None:
    for options, message in (
        (
            ("--set", "processes=2", "--budget", "5m"),
            "budget: is for a campaign that runs until_decided, and this one does not",
        ),
        (
            ("--runtime", "libomp", "--budget", "5m"),
            "budget: is for a campaign that runs until_decided, and this one does not",
        ),
        (("--until-decided", "3%", "--budget", "soon"), "is not a span of time"),
    ):
        done = campaign.run("good", GRID, *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr


@pytest.mark.slow
def test_it_ends_with_the_answer_the_next_commands_and_the_gate(campaign: Campaign) -> None:
    done = campaign.run("good", GRID, "--set", "processes=3", "--fail-if-slower", "3%")
    assert done.returncode == 4
    answer = done.stdout.index("libomp vs. libgomp: undecided (too few")
    records = campaign.output_as_shown
    after = done.stdout[answer:]
    assert 0 < after.index(f"pollux compare {records}") < after.index("--set processes=8: more")
    assert after.splitlines()[-1].startswith("UNDECIDED: no slowdown of more than 3 % in 0 of 2")
    done = campaign.run("good", GRID, "--set", "processes=8", "--fail-if-slower", "3%", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "PASSED: no slowdown of more than 3 % in 2 of 2 cells"


@pytest.mark.parametrize(
    ("rounds", "way"), [(4, "with --set processes="), (12, "with --fresh --set processes=")]
)
def test_a_plan_is_extended_only_where_it_could_not_have_decided_anything(
    tmp_path: Path, rounds: int, way: str
) -> None:
    path = tmp_path / "t.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.0}, rounds=rounds, noise=0.1)
    result = compare(load([path]))
    assert sum(way in line for line in next_steps(result, [path])) == 1


@pytest.mark.parametrize(("quiet", "shown"), [((), True), (("--quiet",), False)])
def test_a_report_changes_neither_the_status_nor_what_quiet_says(
    campaign: Campaign, quiet: tuple[str, ...], shown: bool
) -> None:
    options = ("--set", "processes=1", *quiet)
    campaign.run("crash", GRID, *options)
    for more in ((), ("--report",)):
        done = campaign.run("good", GRID, *options, *more)
        assert done.returncode == 0, more  # the failures are of an earlier plan
    page = campaign.output.with_suffix(".html")
    assert page.is_file()
    assert str(page.name) in done.stdout
    assert ("GFlop/s" in done.stdout) == shown
    assert shown or done.stdout.count("\n") == 1


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_factors_that_disagree_give_status_1(campaign: Campaign, quiet: tuple[str, ...]) -> None:
    done = campaign.run("differ", GRID, "--set", "processes=1", *quiet)
    assert done.returncode == 1
    assert ("pollux: factors disagree in cholesky N=512, NB=64; lu" in done.stderr) == bool(quiet)
    assert {*outcomes(campaign)["lu", "differ", "libomp"]} == {"ok"}


@pytest.mark.slow
def test_a_changed_configuration_is_noticed_and_named(campaign: Campaign) -> None:
    campaign.run("good", GRID, "--set", "processes=1")
    done = campaign.run("good", GRID, "--set", "processes=1", "--set", "seed=7")
    assert (done.returncode, done.stdout) == (2, "")
    assert "seed of cholesky good on libgomp was 20261 and is now 7" in done.stderr
    assert done.stderr.count("\n") == 1
    done = campaign.run("good", GRID, "--set", "processes=1", "--set", "seed=7", "--fresh")
    assert done.returncode == 0
    assert len(list(campaign.output.parent.glob("records-*.jsonl"))) == 1
    assert len(taken(campaign)) == 4


def test_what_cannot_run_leaves_the_records_where_they_are(campaign: Campaign) -> None:
    campaign.run("good", GRID, "--set", "processes=1")
    before = campaign.output.read_bytes()
    done = campaign.run("good", GRID, "--fresh", "--variant", "nothing")
    assert done.returncode == 2
    assert campaign.output.read_bytes() == before


def test_records_of_another_axis_are_kept_as_they_are(campaign: Campaign) -> None:
    campaign.run("good", GRID, "--set", "processes=1")
    before = campaign.output.read_bytes()
    done = campaign.run("good", GRID, "--set", "processes=1", "--by", "variant")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`by` was runtime and is now variant; --fresh renames it" in done.stderr
    assert campaign.output.read_bytes() == before


@pytest.mark.slow
def test_a_new_build_is_noticed(campaign: Campaign) -> None:
    campaign.run("good", GRID, "--set", "processes=1")
    executable = campaign.build_root / "libomp" / "bin" / "lu"
    executable.write_text(executable.read_text() + "# built again\n")
    done = campaign.run("good", GRID, "--set", "processes=2")
    assert done.returncode == 2
    assert "the executable of lu good on libomp was rebuilt or replaced" in done.stderr


def test_a_library_that_was_replaced_is_told_before_what_follows_from_it() -> None:
    own = {"builds": {"runtime library": "a"}, "variables": {"LD_LIBRARY_PATH": "/a"}}
    new = {"builds": {"runtime library": "b"}, "variables": {"LD_LIBRARY_PATH": "/b"}}
    earlier, now = (configuration("mine", "chain", **fields) for fields in (own, new))
    words = "the runtime library of task-overhead chain on mine was rebuilt or replaced"
    assert first_difference(earlier, now) == words
    gone = configuration("mine", "chain", builds={})
    assert first_difference(earlier, gone) == words
    assert first_difference(now, now).endswith("was described by another version of pollux")


@pytest.mark.slow
def test_an_executable_that_is_replaced_meanwhile_has_one_failure_and_no_more_runs(
    campaign: Campaign,
) -> None:
    executable = campaign.build_root / "libomp" / "bin" / "lu"
    count = campaign.output.with_name("count")
    replaced_after_the_third_run = (
        f'#!/bin/sh\ncase $* in *--seed*) echo x >>"{count}"; '
        f'[ "$(wc -l <"{count}")" = 3 ] && echo "# new" >>"$0";; esac\n'
    )
    executable.write_text(
        executable.read_text().replace("#!/bin/sh\n", replaced_after_the_third_run)
    )
    done = campaign.run("good", GRID, "--set", "processes=5")
    assert done.returncode == 1
    problem = f"{executable} was replaced after the runs were planned"
    assert f"lu good N=512 on libomp: refused: {problem}\n" in done.stdout
    assert outcomes(campaign)["lu", "good", "libomp"] == {"ok": 2, "refused": 1}
    assert outcomes(campaign)["lu", "good", "libgomp"] == {"ok": 5}


@pytest.mark.parametrize(("options", "how"), [((), ""), (("--fresh",), " (without --fresh)")])
def test_what_goes_on_is_the_command_that_does_not_start_over(
    campaign: Campaign, options: tuple[str, ...], how: str
) -> None:
    executable, records = campaign.build_root / "libomp" / "bin" / "lu", campaign.output
    moving = f"#!/bin/sh\ncase $* in *--seed*) mv '{records}' '{records}.old' ;; esac\n"
    executable.write_text(executable.read_text().replace("#!/bin/sh\n", moving))
    done = campaign.run("good", GRID, "--set", "processes=1", *options)
    assert done.returncode == 3
    assert f"the same command{how} resumes from there" in done.stderr


def test_plain_takes_a_terminal_for_a_file_also_where_jobs_are_followed(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def followed(console: Console, *_: object, **__: object) -> tuple[list[Path], int]:
        return [], 7 if console.is_terminal else 5

    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr(run_jobs, "submit_and_follow", followed)
    monkeypatch.setattr(run_session, "finish", lambda *_: 0)
    text = f'{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\n'
    assert campaign.run("good", text).returncode == 7
    assert campaign.run("good", text, "--plain").returncode == 5


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_campaign_that_is_interrupted_says_so_and_goes_on(
    campaign: Campaign, number: signal.Signals
) -> None:
    options = ("--set", "processes=1", "--set", "benchmark=lu")
    process = campaign.start("good,hang", GRID, *options)
    wait_for(process, lambda: len(lines(campaign.output, "block")) > 0)
    process.send_signal(number)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert stderr.startswith("pollux: interrupted; ")
    assert not lines(campaign.output, "end")[-1]["complete"]
    campaign.run("good,hang", GRID, *options, "--set", "time_limit=0.5")
    assert set(taken(campaign).values()) == {1}
    assert len(taken(campaign)) == 4


def wait_for(process: "subprocess.Popen[str]", condition: Callable[[], bool]) -> None:
    while process.poll() is None:
        with suppress(FileNotFoundError, json.JSONDecodeError):
            if condition():
                return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
    raise AssertionError(f"ended early: {process.communicate()}")


def calibrations(campaign: Campaign, speeds: list[int]) -> None:
    """A calibration program that gives these speeds in turn, the last one for ever."""
    count = campaign.output.with_name("count")
    text = f'echo x >>"{count}"; case $(wc -l <"{count}") in '
    for number, speed in enumerate(speeds[:-1], start=1):
        text += f"{number}) speed={speed} ;; "
    text += f'*) speed={speeds[-1]} ;; esac; echo "{{\\"gflops\\": [$speed], \\"seconds\\": 0}}"'
    write_script(campaign.build_root / "libgomp" / "bin" / "calibration", text)


@pytest.mark.slow
def test_a_disturbed_block_is_marked_and_taken_again(campaign: Campaign) -> None:
    calibrations(campaign, [100, 100, 100, 50, 100])
    done = campaign.run("good", GRID, *"--set processes=2 --set blocks.repeat_budget=1.0".split())
    ends = lines(campaign.output, "block-end")
    disturbed = [end["block"] for end in ends if end["disturbed"]]
    assert "calibration changed by 50 % within the block, limit 10 %" in ends[0]["reasons"]
    assert f"{len(disturbed)} of {len(ends)} blocks disturbed" in done.stdout
    repeats = [b["repeats"] for b in lines(campaign.output, "block") if b["repeats"] is not None]
    assert set(repeats) == set(disturbed)
    assert {attempt for _, _, attempt in taken(campaign)} == {0, 1}
    assert set(taken(campaign).values()) == {1}


@pytest.mark.slow
def test_repeats_end_with_the_budget(campaign: Campaign) -> None:
    calibrations(campaign, [100, 50, 100, 50] * 30)
    campaign.run("good", GRID, *"--set processes=4 --set blocks.repeat_budget=0.5".split())
    repeated = [key for key in taken(campaign) if key[2] > 0]
    assert 0 < len(repeated) <= 8


@pytest.mark.slow
def test_what_always_fails_is_not_repeated_for_ever(campaign: Campaign) -> None:
    calibrations(campaign, [100, 50, 100, 50] * 30)
    done = campaign.run("crash", GRID, *"--set processes=4 --set blocks.repeat_budget=9.0".split())
    assert done.returncode == 1
    assert set(outcomes(campaign)["lu", "crash", "libomp"]) == {"crash"}


def test_a_dry_run_runs_nothing(campaign: Campaign) -> None:
    done = campaign.run("good", GRID, "--dry-run")
    assert done.returncode == 0
    assert not campaign.output.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--output", "/nonexistent/x.jsonl"), "cannot write /nonexistent/x.jsonl (No such file"),
        (("--output", "/dev/null"), "/dev/null is not a regular file"),
        (("--until-decided", "fast"), "--until-decided"),
        (("--set", "processes=0"), "processes"),
        (("--power", "1s", "--set", "power=10ms"), "--power and --set power=… replace the same"),
        (("--stop-when", "2%"), "No such option: --stop-when"),
        (("--set", "sise=3"), "sise"),
        (("--speed", "9"), "No such option: --speed"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(
    campaign: Campaign, options: tuple[str, ...], message: str
) -> None:
    done = campaign.run("good", GRID, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
