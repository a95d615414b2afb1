#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Strike `pollux run` and the executables with random faults; check that no record is lost.

Half of the faults strike campaigns, half executables that append to a file (`-o`): signals, full
disks (a small file system, a limit of file sizes), descriptors that are closed, exhausted or cannot
be written to, files that are renamed, removed or replaced. After each one, every record that was
there before must still be there once, no sample may be recorded twice, and the command must end as
documented and leave no process behind. A campaign is struck and resumed several times, then runs to
its end: its samples must be those of a campaign that was not disturbed.

Exit status: 0 nothing was lost or counted twice, 1 something was.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import faults_of_campaigns
import faults_of_executables
from fault_tools import MissedError, has_namespaces
from faults_of_campaigns import CampaignFaults
from faults_of_executables import ExecutableFaults
from killed_campaign import Records, read_records

FAULTS_OF_A_CAMPAIGN = 10
FAULTS_OF_A_FILE = 25
NEEDS_NAMESPACES = "full disk"


class Tally:
    """What was struck, and what was wrong afterwards."""

    def __init__(self) -> None:
        self.struck: Counter[str] = Counter()
        self.problems: list[str] = []

    def note(self, where: str, problems: list[str]) -> None:
        lines = [f"{where}: {problem}" for problem in problems]
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
        self.problems += lines


def kinds(of: dict[str, object], rng: random.Random) -> Iterator[str]:
    """The kinds of faults that this machine allows, without end: each once, and again."""
    allowed = [kind for kind in of if kind != NEEDS_NAMESPACES or has_namespaces()]
    while True:
        yield from rng.sample(allowed, len(allowed))


def strike(tally: Tally, what: str, kind: str, inject: Callable[[str], list[str]]) -> bool:
    """Inject a fault; whether it met a running process and all was right afterwards."""
    name = f"{what}, {kind}"
    try:
        problems = inject(kind)
    except MissedError:
        return False
    except ValueError as error:  # what the file contains
        problems = [str(error)]
    tally.note(name, problems)
    tally.struck[name] += 1
    return not problems


def strike_campaigns(
    folder: Path, faults: int, processes: int, rng: random.Random, tally: Tally
) -> None:
    """Campaigns one after another, each struck some times."""
    undisturbed = run_undisturbed(folder / "undisturbed.jsonl", processes, rng)
    drawn, number = kinds(dict(faults_of_campaigns.KINDS), rng), 0
    while faults > 0:
        campaign = CampaignFaults(folder / f"campaign-{number}.jsonl", processes, rng)
        before = tally.struck.total()
        for _ in range(min(FAULTS_OF_A_CAMPAIGN, faults)):
            if not strike(tally, "run", next(drawn), campaign.inject):
                break
        faults -= tally.struck.total() - before
        tally.note(f"campaign {number}", campaign.finish(undisturbed))
        print(f"campaign {number}: complete, {faults} faults of campaigns left", flush=True)
        number += 1


def run_undisturbed(records: Path, processes: int, rng: random.Random) -> Records:
    campaign = CampaignFaults(records, processes, rng)
    problems = campaign.finish(Records(Counter(), 0))
    if not campaign.is_complete():
        sys.exit(f"the undisturbed campaign failed: {problems}")
    return read_records(campaign.records)


def strike_executables(folder: Path, faults: int, rng: random.Random, tally: Tally) -> None:
    """Files one after another, each struck some times."""
    drawn, number = kinds(dict(faults_of_executables.KINDS), rng), 0
    while faults > 0:
        file = ExecutableFaults(folder / f"runs-{number}.jsonl", rng)
        before, problems = tally.struck.total(), len(tally.problems)
        for _ in range(min(FAULTS_OF_A_FILE, faults)):
            strike(tally, "executable", next(drawn), file.inject)
            if len(tally.problems) > problems:
                break
        else:
            tally.note(f"file {number}", file.finish())
        faults -= tally.struck.total() - before
        print(f"file {number}: complete, {faults} faults of executables left", flush=True)
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--processes", type=int, default=10, help="samples of a configuration")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    if args.faults < 2:
        parser.error(f"--faults {args.faults}: at least 2 are needed")
    rng, tally = random.Random(args.seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        strike_executables(Path(folder), args.faults // 2, rng, tally)
        strike_campaigns(Path(folder), args.faults - args.faults // 2, args.processes, rng, tally)
    for name, count in sorted(tally.struck.items()):
        print(f"{count:4d} {name}")
    print(
        f"{tally.struck.total()} faults (random seed {args.seed}): "
        f"{f'{len(tally.problems)} PROBLEMS' if tally.problems else 'none lost, none twice'}"
    )
    sys.exit(1 if tally.problems else 0)


if __name__ == "__main__":
    main()
