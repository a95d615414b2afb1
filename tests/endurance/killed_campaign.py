#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kill a campaign at random moments and check that nothing is lost, duplicated or changed.

The same campaign runs once undisturbed, and again and again under SIGKILL to `pollux run` alone,
each time resumed by the same command until it ends, as long as it takes to kill it as often as
asked. All files must contain the same samples (configuration, round, seed, digest), each once.
Lines that a kill left unfinished are counted. The processes of a
cell take turns, so that at most moments one of them is stopped: none may be left, running or
stopped. One more campaign is killed while a run would never end (tests/doubles/hanging.c) and its
partner waits for its turn: they must die with their campaign.

Exit status: 0 both agree, 1 they differ.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from marks import left_behind, marked
from pollux_process import POLLUX
from surroundings import environment

CONFIGURATIONS = 8
CAMPAIGN = """\
name = "killed"
summary = "Small runs, to be killed."
processes = {processes}
seed = 20261

[runtimes.libgomp]
preset = "libgomp"

[runtimes.libomp]
preset = "libomp"

[environments.passive]
OMP_WAIT_POLICY = "passive"

[grid]
benchmark = ["cholesky", "lu"]
variant = "depend"
size = [64, 256]
tile = 32
threads = 2
environment = "passive"

[blocks]
repeat_budget = "0%"
"""
HANGING = ROOT / "build/libgomp/tests/doubles/hanging.so"
HANGING_CAMPAIGN = """\
name = "hanging"
summary = "A run that never ends."
processes = 1
warmup = 0
time_limit = 600

[runtimes.libgomp]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{hanging}", OMP_WAIT_POLICY = "passive" }}

[runtimes.libomp]
preset = "libomp"
variables = {{ OMP_WAIT_POLICY = "passive" }}

[grid]
benchmark = "cholesky"
variant = "depend"
size = 64
tile = 32
runtime = ["libgomp", "libomp"]
"""
MARK = "POLLUX_KILLED_CAMPAIGN"  # in the environment of every run, to find it by
SHARE = 0.3  # of the work, at most, until a kill
START_SECONDS = 60.0  # within which a campaign's first run has begun; it takes one or two
PAUSE = 0.02  # seconds between looks at all processes of the system
DEATH_SECONDS = 5.0  # within which a killed campaign's run must be gone; it takes milliseconds

Sample = tuple[str, int, int, tuple[tuple[int, str], ...]]  # configuration, round, attempt, records


@dataclass(frozen=True)
class Records:
    """A campaign's file as it is on disk."""

    samples: Counter[Sample]
    torn: int
    in_turns: int = 0  # samples


@dataclass(frozen=True)
class Timing:
    """Seconds that an undisturbed campaign takes, until its first sample and in total."""

    start: float
    whole: float

    @property
    def work(self) -> float:
        return self.whole - self.start


def read_records(path: Path) -> Records:
    samples: Counter[Sample] = Counter()
    torn = in_turns = 0
    for text in path.read_bytes().splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            torn += bool(text)
            continue
        if line["event"] == "sample":
            digests = tuple((r["seed"], r["digest"]) for r in line["records"])
            samples[line["configuration"], line["round"], line["attempt"], digests] += 1
            in_turns += line.get("rota") is not None
    return Records(samples, torn, in_turns)


def command(campaign: Path, records: Path) -> list[str]:
    return [str(POLLUX), "run", str(campaign), "--output", str(records), "--quiet"]


def run_to_end(campaign: Path, records: Path) -> None:
    env = environment()
    done = subprocess.run(command(campaign, records), env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pollux run: exit status {done.returncode}\n{done.stdout}{done.stderr}")


def run_and_kill(campaign: Path, records: Path, seconds: float) -> bool:
    """Kill `pollux run` after that time; false if it had ended by then."""
    mark = str(uuid.uuid4())
    process = subprocess.Popen(command(campaign, records), env=environment(**{MARK: mark}))
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        refuse_survivors(mark)
        return True
    if process.returncode != 0:
        sys.exit(f"pollux run: exit status {process.returncode}")
    return False


def refuse_survivors(mark: str) -> None:
    """Kill the processes that a killed campaign left behind, and exit, if there are any."""
    if left := left_behind(mark, DEATH_SECONDS):
        sys.exit(f"a killed campaign left processes behind: {', '.join(left)}")


def kill_within_a_run(folder: Path) -> None:
    """Kill a campaign while its run hangs, and its partner is stopped; exits if one survives."""
    if not HANGING.exists():
        sys.exit(f"{HANGING} is missing; build it with: scripts/build --tests libgomp")
    campaign = folder / "hanging.toml"
    campaign.write_text(HANGING_CAMPAIGN.format(hanging=HANGING))
    mark = str(uuid.uuid4())
    started = command(campaign, folder / "hanging.jsonl")
    process = subprocess.Popen(started, env=environment(**{MARK: mark}))
    deadline = time.monotonic() + START_SECONDS
    while not hangs_beside_stopped(mark):
        with suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE)
        if process.returncode is not None or time.monotonic() > deadline:
            process.kill()
            sys.exit("the run that should hang never began")
    process.kill()
    process.wait()
    refuse_survivors(mark)
    print("a run that would never end died with its campaign", flush=True)


def hangs_beside_stopped(mark: str) -> bool:
    """Whether a run hangs, as it will do for ever, while the other waits for its turn."""
    runs = [text for text in marked(mark).values() if "--seed" in text]
    return sorted(text.endswith(" (stopped)") for text in runs) == [False, True]


def kill_until_it_ends(
    campaign: Path, records: Path, timing: Timing, rng: random.Random, most: int
) -> int:
    """Kill and resume it at random moments until it ends; at most so often, then let it end.

    Moments are drawn from the second half of the start and as much of the work as leaves room for
    several kills.

    Returns the kills that met it.
    """
    for kill in range(most):
        seconds = rng.uniform(0.5 * timing.start, timing.start + SHARE * timing.work)
        if not run_and_kill(campaign, records, seconds):
            return kill
    run_to_end(campaign, records)
    return most


def timing_of(records: Path, begun_unix_ns: int) -> Timing:
    """Of a campaign that one `pollux run` took from begin to end, and that has ended just now."""
    whole = time.time_ns() - begun_unix_ns
    lines = map(json.loads, records.read_bytes().splitlines())
    first = next(line["start_unix_ns"] for line in lines if line["event"] == "sample")
    return Timing(float(first - begun_unix_ns) * 1e-9, whole * 1e-9)


def differences(undisturbed: Records, killed: Records) -> list[str]:
    """What is lost, duplicated or changed, a line each."""
    wanted, got = set(undisturbed.samples), set(killed.samples)
    places: Counter[tuple[str, int, int]] = Counter()
    for sample, count in killed.samples.items():
        places[sample[:3]] += count
    return [
        *(f"lost or changed: {sample}" for sample in sorted(wanted - got)),
        *(f"new: {sample}" for sample in sorted(got - wanted)),
        *(f"taken {count} times: {place}" for place, count in places.items() if count > 1),
    ]


def wrongs(name: str, records: Records, planned: int) -> Iterator[str]:
    """What a whole campaign's file must not be like."""
    taken = records.samples.total()
    if taken != planned:
        yield f"{name}: {taken} samples of {planned} planned"
    if records.in_turns != taken:
        yield f"{name}: {taken - records.in_turns} samples were not taken in turns"


def prove(folder: Path, processes: int, kills: int, seed: int) -> bool:
    campaign = folder / "killed.toml"
    campaign.write_text(CAMPAIGN.format(processes=processes))
    begun = time.time_ns()
    run_to_end(campaign, folder / "undisturbed.jsonl")
    timing = timing_of(folder / "undisturbed.jsonl", begun)
    undisturbed = read_records(folder / "undisturbed.jsonl")
    planned = CONFIGURATIONS * processes
    samples = undisturbed.samples.total()
    print(f"undisturbed: {samples} samples in {timing.whole:.1f} s", flush=True)
    found = list(wrongs("undisturbed", undisturbed, planned))
    rng = random.Random(seed)
    met = torn = campaigns = 0
    while met < kills and not found:
        campaigns += 1
        records = folder / f"killed-{campaigns}.jsonl"
        begun = time.time_ns()
        now = kill_until_it_ends(campaign, records, timing, rng, kills - met)
        if now == 0:  # the machine has become faster
            timing = timing_of(records, begun)
        met += now
        killed = read_records(records)
        torn += killed.torn
        found += [*differences(undisturbed, killed), *wrongs(records.stem, killed, planned)]
        print(f"{met} kills of {campaigns} campaigns, {torn} torn lines", flush=True)
    print(*found, sep="\n", end="\n" if found else "")
    print(
        f"{met} kills (random seed {seed}) of {campaigns} campaigns with {planned} samples: "
        f"{'they DIFFER' if found else 'none lost, none twice, digests equal'}"
    )
    return not found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=200, help=f"a multiple of {CONFIGURATIONS}")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the moments")
    args = parser.parse_args()
    if args.runs < CONFIGURATIONS or args.runs % CONFIGURATIONS:
        parser.error(f"--runs {args.runs}: must be a multiple of {CONFIGURATIONS}")
    with tempfile.TemporaryDirectory() as folder:
        kill_within_a_run(Path(folder))
        same = prove(Path(folder), args.runs // CONFIGURATIONS, args.kills, args.seed)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
