#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kill a campaign over levers at random moments and check that the next start restores them all.

The machine is a folder of files with turbo, idle states, governors, preferences and limits
(POLLUX_SYSTEM_ROOT); the campaign switches between eight settings. After each SIGKILL, alternately
`pollux levers restore` and a campaign without levers are started: then every file must be as it was
before the first, byte for byte.

Exit status: 0 it was each time, 1 it was not, or too few kills came while levers were set.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from lever_trees import contents, write_levers
from pollux_process import POLLUX
from surroundings import environment

CAMPAIGN = """\
name = "levers"
summary = "Small runs under many settings."
processes = 500
runtimes.libgomp.preset = "libgomp"

[grid]
benchmark = "cholesky"
variant = "seq"
size = 64
tile = 32
"""
LEVERS = """\
turbo = [true, false]
cstates = ["all", "none"]
governor = ["performance", "powersave"]
frequency_max = "2.4GHz"
"""
MARK = "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"  # that every setting changes
START_SECONDS = 300.0  # within which a campaign sets its first levers; it takes one or two
RANGE_SECONDS = 1.5  # after the first change, within which it is killed: several settings
SAVING_SECONDS = 0.1  # after the former state is on disk, within which it is killed otherwise
LEAST_SET = 0.5  # share of kills that have to find levers set, to show anything


def kill_campaign(
    root: Path, command: list[str], begun: Callable[[], bool], seconds: float
) -> None:
    """Start a campaign, and kill it so many seconds after it has begun."""
    process = subprocess.Popen(command, env=environment(POLLUX_SYSTEM_ROOT=str(root)))
    deadline = time.monotonic() + START_SECONDS
    while not begun():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            sys.exit("pollux run has not set any levers")
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    process.wait()


def has_state(root: Path) -> bool:
    return bool(list(root.glob("var/tmp/pollux-levers-*.json")))


def has_changed(root: Path) -> bool:
    return (root / MARK).read_text() != "3200000\n"


def start_next(root: Path, campaign: Path, records: Path, *, is_run: bool) -> None:
    """The next start of Pollux: a campaign without levers, or the command that restores."""
    restore = [str(POLLUX), "levers", "restore"]
    run = [str(POLLUX), "run", str(campaign), "--output", str(records), "--quiet"]
    done = subprocess.run(
        run if is_run else restore,
        env=environment(POLLUX_SYSTEM_ROOT=str(root)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{'run' if is_run else 'restore'}: status {done.returncode}: {done.stderr}")


def count_samples(path: Path) -> int:
    """The samples in a file; a line that a kill has cut off is none."""
    lines = path.read_text().splitlines() if path.exists() else []
    return sum('"event":"sample"' in line and is_whole(line) for line in lines)


def is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def prove(folder: Path, kills: int, cpus: int, seed: int) -> bool:
    root, rng = folder / "machine", random.Random(seed)
    write_levers(root, cpus=cpus)
    before = contents(root)
    with_levers, without = folder / "levers.toml", folder / "plain.toml"
    with_levers.write_text(CAMPAIGN + LEVERS)
    without.write_text(CAMPAIGN.replace("= 500", "= 1").replace('"levers"', '"plain"'))
    found_set = wrong = 0
    for kill in range(kills):
        records = folder / f"levers-{kill}.jsonl"
        command = [str(POLLUX), "run", str(with_levers), "--output", str(records), "--quiet"]
        command += ["--set", f"seed={kill}"]  # and thereby another order of settings each time
        saving = kill % 4 == 3
        seconds = rng.uniform(0, SAVING_SECONDS if saving else RANGE_SECONDS)
        kill_campaign(root, command, partial(has_state if saving else has_changed, root), seconds)
        left = contents(root)
        changed = sum(left[path] != before[path] for path in before)
        is_run = kill % 2 == 1
        start_next(root, without, folder / f"plain-{kill}.jsonl", is_run=is_run)
        after = contents(root)
        differing = [path for path in before if after.get(path) != before[path]]
        found_set += changed > 0
        wrong += bool(differing)
        print(
            f"kill {kill + 1}, {seconds:.3f} s after {'saving' if saving else 'the first change'}, "
            f"{count_samples(records)} samples: {changed} files set; "
            f"after pollux {'run' if is_run else 'levers restore'}: {len(differing)} differ",
            *differing[:3],
            flush=True,
        )
    print(
        f"{kills} kills (random seed {seed}), {found_set} with levers set; {len(before)} files: "
        f"{'all as before each time' if not wrong else f'{wrong} times NOT restored'}"
    )
    return not wrong and found_set >= LEAST_SET * kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cpus", type=int, default=64, help="processors of the machine")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the moments")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        restored = prove(Path(folder), args.kills, args.cpus, args.seed)
    sys.exit(0 if restored else 1)


if __name__ == "__main__":
    main()
