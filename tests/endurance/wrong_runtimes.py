#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run campaigns in which two of three runtimes have the same planted fault.

The faults (tests/doubles): every third task is skipped; tasks run before those that they depend
on; after every thousandth task, values of its tile are changed by 1e-9, by 1e-12 or in one bit;
the same at one number of threads alone. Each campaign uses the default check, and the wrong
runtimes are the majority; in every other campaign one of them is the reference, and every other
pair of campaigns contains the sequential variant. In each of them

- no wrong configuration may have a speed or a ratio, or digests that "agree";
- the right runtime may not be called wrong, and has its speed wherever a sequential run decides
  or the wrong ones fail their checks;
- the gate must fail.

Exit status: 0 all of that is so in every campaign, 1 it is not.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import POLLUX
from surroundings import environment

Json = dict[str, Any]
DOUBLES = ROOT / "build/libgomp/tests/doubles"
RIGHT, WRONG = "right", ("wrong", "also wrong")
REFERENCES = (RIGHT, WRONG[0])
CALLED_WRONG = ("wrong digest", "its own digests", "failed checks")  # of the row itself
TASKS = 1000  # of which one is followed by a change; a process runs a few thousand

CAMPAIGN = """\
name = "{name}"
summary = "Two wrong runtimes against a right one."
processes = {processes}
repetitions = 2
seed = {seed}
reference = "{reference}"

[runtimes]
right = {{ preset = "libgomp" }}
wrong = {{ preset = "libgomp", variables = {{ {variables} }} }}
"also wrong" = {{ preset = "libgomp", variables = {{ {variables} }} }}

[grid]
benchmark = ["cholesky", "lu", "qr"]
variant = {variants}
size = 512
tile = 32
threads = {threads}
"""


@dataclass
class Fault:
    """A planted fault, and what was found in its campaigns."""

    name: str
    library: str
    settings: dict[str, str]
    wrong_threads: int | None = None  # at which alone it is wrong
    campaigns: int = 0
    caught_by: dict[str, int] = field(default_factory=lambda: {"check": 0, "digest": 0})
    flaws: list[str] = field(default_factory=list)

    @property
    def variables(self) -> str:
        settings = {"LD_PRELOAD": str(DOUBLES / f"{self.library}.so"), **self.settings}
        return ", ".join(f'{name} = "{value}"' for name, value in settings.items())


def changed(how: str) -> dict[str, str]:
    return {"POLLUX_DOUBLE_TASK": str(TASKS), "POLLUX_DOUBLE_CHANGE": how}


def planted() -> list[Fault]:
    turn = {"POLLUX_DOUBLE_TURN": "any:nothing", "POLLUX_DOUBLE_EVERY": "3"}
    at_two = {**changed("1e-12"), "POLLUX_DOUBLE_THREADS": "2"}
    at_one = {**changed("bit"), "POLLUX_DOUBLE_THREADS": "1"}
    return [
        Fault("skips every third task", "skipping", {"POLLUX_DOUBLE_TASK": "3"}),
        Fault("runs dependent tasks at once", "forgetful", turn),
        *(Fault(f"changes a tile by {how}", "wrong", changed(how)) for how in ("1e-9", "1e-12")),
        Fault("changes one bit of a tile", "wrong", changed("bit")),
        Fault("wrong on two threads only", "wrong", at_two, wrong_threads=2),
        Fault("wrong on one thread only", "wrong", at_one, wrong_threads=1),
    ]


@dataclass(frozen=True)
class Setting:
    """One campaign: who is the reference, and whether there is a sequential run."""

    number: int
    reference: str
    sequential: bool


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run pollux; status 1 is what these campaigns should end with."""
    command = [str(POLLUX), *map(str, arguments)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 1:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}, not 1\n{done.stderr}")
    return done


def compared(fault: Fault, setting: Setting, folder: Path, processes: int, seed: int) -> Json:
    """Run one campaign and compare it, with the gate."""
    name = f"campaign-{setting.number:03}"
    campaign, records = folder / f"{name}.toml", folder / f"{name}.jsonl"
    variants = ["seq", "depend"] if setting.sequential else ["depend"]
    campaign.write_text(
        CAMPAIGN.format(
            name=name,
            processes=processes,
            seed=seed + 1000 * setting.number,
            reference=setting.reference,
            variables=fault.variables,
            variants=variants,
            threads=[1, 2] if fault.wrong_threads else [2],
        )
    )
    run("run", campaign, "--output", records, "--quiet")
    gate = ("--fail-if-slower", "3%", "--undecided", "pass", "--unverified", "pass")
    found: Json = json.loads(run("compare", records, "--format", "json", *gate).stdout)
    return found


def is_wrong(row: Json, fault: Fault) -> bool:
    """Whether the fault strikes in a configuration."""
    here = fault.wrong_threads in (None, row["threads"])
    return row["level"] in WRONG and row["variant"] != "seq" and here


def disputed(wrong: list[Json]) -> set[str]:
    """The benchmarks in which no check caught a wrong run: its digest, which all numbers of threads
    share, then stands against that of the right ones."""
    return {row["benchmark"] for row in wrong if not row["problems"]}


def judge(found: Json, fault: Fault, setting: Setting) -> None:
    """Note every way in which a comparison trusts a wrong runtime, or calls the right one wrong."""
    flaws = []
    wrong = [row for row in found["rows"] if is_wrong(row, fault)]
    undecided = set() if setting.sequential else disputed(wrong)
    for row in found["rows"]:
        where = f"{fault.name}, campaign {setting.number}: {row['cell']} on {row['level']}"
        has_speed = row["gflops"] is not None or row["ratio"] is not None or bool(row["values"])
        if is_wrong(row, fault):
            fault.caught_by["check" if row["problems"] else "digest"] += 1
            if has_speed or row["digests"] == "agree":
                flaws.append(f"{where} is trusted: {row['words']}")
        elif row["level"] == RIGHT and row["words"].startswith(CALLED_WRONG):
            flaws.append(f"{where} is called wrong: {row['words']}")
        elif row["level"] == RIGHT and not has_speed and row["benchmark"] not in undecided:
            flaws.append(f"{where} has no speed: {row['words']}")
    if found["gate"]["status"] != "failed":
        flaws.append(f"{fault.name}, campaign {setting.number}: {found['gate']['sentences'][-1]}")
    print(f"campaign {setting.number}, {fault.name}: {len(flaws)} flaws", *flaws, sep="\n    ")
    sys.stdout.flush()
    fault.flaws += flaws
    fault.campaigns += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=4, help="campaigns of each fault (4)")
    parser.add_argument("--processes", type=int, default=5, help="of each configuration (5)")
    parser.add_argument("--seed", type=int, default=20261, help="of the matrices (20261)")
    args = parser.parse_args()
    faults = planted()
    missing = [f.library for f in faults if not (DOUBLES / f"{f.library}.so").exists()]
    if missing:
        sys.exit(f"{DOUBLES} lacks {', '.join(missing)}; build: scripts/build --tests libgomp")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.rounds):
            for index, fault in enumerate(faults):
                setting = Setting(
                    number=number * len(faults) + index,
                    reference=REFERENCES[number % 2],
                    sequential=number // 2 % 2 == 1,
                )
                found = compared(fault, setting, Path(folder), args.processes, args.seed)
                judge(found, fault, setting)
    for fault in faults:
        caught = ", ".join(f"{count} by {how}" for how, count in fault.caught_by.items())
        print(
            f"{fault.name}: {fault.campaigns} campaigns, wrong configurations caught: {caught}; "
            f"{len(fault.flaws)} trusted or mistaken"
        )
    flaws = sum(len(fault.flaws) for fault in faults)
    print(f"{sum(fault.campaigns for fault in faults)} campaigns, {flaws} flaws")
    sys.exit(1 if flaws else 0)


if __name__ == "__main__":
    main()
