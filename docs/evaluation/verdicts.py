#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count how often `pollux compare` is wrong, in campaigns whose truth is known.

A/A: libgomp compared with itself under another name. Every "faster" or "slower", of a row or
overall, is false; at most 5 % of the campaigns may have one. Power: libgomp compared with itself
with 5 % more processor time in every task (tests/doubles/slowed.c; the other side runs the same
code with a delay of 0). At least 90 % of the campaigns must find it slower overall. Both kinds take
turns, so that both see the same machine, which has to be quiet: on a disturbed one nothing has that
power. The intervals are Clopper and Pearson's, exact for a binomial share, with 95 % confidence.

With --benchmarks micro, A/A campaigns are of task-overhead, clomp and constructs, and one is false
if any of their times has a false verdict. Power: every task takes so much longer to create
(tests/doubles/costly.c) that a task costs 5 % more.

With --until-decided, campaigns run until each row is decided or their --budget is spent, and it is
shown how many were, and within which time half of them and 90 %. --condition starts neighbours
that disturb the campaigns: `bursts` is a process that uses 30 % of a core at random, `load 4` four
that never rest.

Exit status: 0 both bounds are kept, 1 one is missed.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, inf, isfinite
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import task_overhead
from neighbours import CONDITIONS, neighbours
from pollux.core.paths import ROOT
from scipy.stats import binomtest  # type: ignore[import-untyped]

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import run_pollux
from surroundings import kernels_chosen

Json = dict[str, Any]

FALSE_SHARE = 0.05  # tolerated; verdicts aim at 0.025 (analysis/statistics.py, LEVEL)
POWER = 0.90  # what the planner of samples promises (Cohen's 0.8 is the usual minimum)
BUILD = ROOT / "build/libgomp"
SLOWED = BUILD / "tests/doubles/slowed.so"
COSTLY = BUILD / "tests/doubles/costly.so"
CREATION = 100  # ns that both sides wait at each creation, so that tasks take the same path

CAMPAIGN = """\
name = "{name}"
summary = "A campaign whose truth is known."
{length}
seed = {seed}
reference = "plain"

[runtimes.plain]
preset = "libgomp"
variables = {{ {plain} }}

[runtimes.other]
preset = "libgomp"
variables = {{ {other} }}

[grid]
{grid}
"""

FACTORIZATIONS = """\
benchmark = ["cholesky", "lu"]
variant = "depend"
size = {size}
tile = {tile}
"""

TASKS = """\
benchmark = "task-overhead"
variant = ["chain", "butterfly"]
size = 1024
threads = {threads}
"""

# A delay of 5 % makes a task 5 % slower there; on several threads, a part of it is hidden.
ON_ONE_THREAD = TASKS.format(threads=1)

WHOLE_TASKS = ("--quantity", "ns_per_task")

MICRO = f"""\
benchmark = "constructs"
variant = "barrier"
threads = "all"

[[include]]
benchmark = "clomp"
variant = "depend"
size = 64
parameters = {{ zones = 100 }}

[[include]]
{ON_ONE_THREAD}
[[include]]
{TASKS.format(threads="'all'")}
"""


@dataclass
class Kind:
    """Campaigns of the same truth, and what was found in them."""

    name: str
    plain: str  # variables of either side, as TOML
    other: str
    grid: str
    campaigns: int
    compared: tuple[str, ...] = ()  # options of pollux compare
    hits: int = 0
    verdicts: list[dict[str, list[str]]] = field(default_factory=list)
    blocks: list[bool] = field(default_factory=list)  # whether disturbed
    seconds: list[float] = field(default_factory=list)  # until decided; infinite: it was not

    def found(self, verdicts: dict[str, list[str]]) -> bool:
        """Whether a campaign is counted."""
        if self.name == "power":
            return verdicts["overall"] == ["slower"]
        return bool({"faster", "slower"} & {*verdicts["overall"], *verdicts["rows"]})

    def kept(self) -> bool:
        if self.name == "power":
            return self.hits >= POWER * len(self.verdicts)
        return self.hits <= FALSE_SHARE * len(self.verdicts)


def slowed(delay: float) -> str:
    return f'LD_PRELOAD = "{SLOWED}", POLLUX_DOUBLE_DELAY = "{delay}"'


def costly(creation: float) -> str:
    return f'LD_PRELOAD = "{COSTLY}", POLLUX_DOUBLE_CREATION = "{creation}"'


def task_ns() -> float:
    """What a task takes on one thread with the double, in ns: the geometric mean over patterns."""
    settings = {"LD_PRELOAD": str(COSTLY), "POLLUX_DOUBLE_CREATION": str(CREATION)}
    options = ("-p", "chain,butterfly", "-n", 1024, "-t", 1, "-r", 9)
    times: dict[str, list[float]] = {}
    for record in task_overhead.run(BUILD, *options, **settings):
        time = record["quantities"]["ns_per_task"]["value"]
        times.setdefault(record["variant"], []).append(time)
    return geometric_mean(median(of_pattern) for of_pattern in times.values())


def kinds_of(args: argparse.Namespace) -> list[Kind]:
    """Campaigns without and with a difference."""
    if args.benchmarks == "micro":
        slower = CREATION + args.delay * task_ns()
        return [
            Kind("aa", "", "", MICRO, args.campaigns),
            Kind("power", costly(CREATION), costly(slower), ON_ONE_THREAD, args.power, WHOLE_TASKS),
        ]
    grid = FACTORIZATIONS.format(size=args.size, tile=args.tile)
    return [
        Kind("aa", "", "", grid, args.campaigns),
        Kind("power", slowed(0), slowed(args.delay), grid, args.power),
    ]


def verdicts_of(compared: Json) -> dict[str, list[str]]:
    """The verdicts of the rows and overall."""
    return {
        part: [item["verdict"] for item in compared[part] if item["verdict"] != "reference"]
        for part in ("rows", "overall")
    }


def disturbed_blocks(records: Path) -> list[bool]:
    """Of each block, whether it was disturbed."""
    lines = [json.loads(text) for text in records.read_text().splitlines()]
    return [line["disturbed"] for line in lines if line["event"] == "block-end"]


def is_decided(records: Path) -> bool:
    """Whether a campaign that runs until then has stopped for that."""
    last = json.loads(records.read_text().splitlines()[-1])
    return bool(last.get("stopped") == "decided")


def length_of(options: argparse.Namespace) -> str:
    """The keys that determine how long a campaign runs."""
    if options.until_decided is None:
        return f"processes = {options.processes}\nrepetitions = {options.repetitions or 3}"
    stated = f"\nrepetitions = {options.repetitions}" if options.repetitions else ""
    return f'until_decided = "{options.until_decided}"\nbudget = "{options.budget}"{stated}'


def run_campaign(kind: Kind, folder: Path, options: argparse.Namespace, index: int) -> None:
    name = f"{kind.name}-{index:02}"
    campaign, records = folder / f"{name}.toml", folder / f"{name}.jsonl"
    campaign.write_text(
        CAMPAIGN.format(
            name=name,
            length=length_of(options),
            seed=options.seed + 1000 * index,
            plain=kind.plain,
            other=kind.other,
            grid=kind.grid,
        )
    )
    ran = run_pollux("run", campaign, "--output", records, "--quiet", **kernels_chosen())
    compared = run_pollux("compare", records, *kind.compared, "--format", "json").out
    verdicts = verdicts_of(json.loads(compared))
    blocks = disturbed_blocks(records)
    kind.verdicts.append(verdicts)
    kind.blocks += blocks
    kind.seconds.append(ran.seconds if is_decided(records) else inf)
    found = kind.found(verdicts)
    kind.hits += found
    print(
        f"{name}: {ran.seconds:.1f} s, {sum(blocks)} of {len(blocks)} blocks disturbed; "
        f"rows: {', '.join(verdicts['rows'])}; overall: {', '.join(verdicts['overall'])}"
        f"{'  <-- counted' if found else ''}",
        flush=True,
    )


def summarise(kind: Kind) -> bool:
    count = len(kind.verdicts)
    share = binomtest(kind.hits, count).proportion_ci(0.95, method="exact")
    what = "found slower" if kind.name == "power" else "with a false verdict"
    bound = f"at least {POWER:.0%}" if kind.name == "power" else f"at most {FALSE_SHARE:.0%}"
    print(
        f"{kind.name}: {kind.hits} of {count} campaigns {what}, {kind.hits / count:.1%} "
        f"(95 % interval {share.low:.1%} to {share.high:.1%}); {bound} required: "
        f"{'kept' if kind.kept() else 'MISSED'}; "
        f"{sum(kind.blocks)} of {len(kind.blocks)} blocks were disturbed"
    )
    return kind.kept()


def summarise_times(kind: Kind) -> None:
    """How long campaigns took that ran until they were decided."""
    half, most = (sorted(kind.seconds)[ceil(q * len(kind.seconds)) - 1] for q in (0.5, 0.9))
    decided = sum(map(isfinite, kind.seconds))
    print(
        f"{kind.name}: {decided} of {len(kind.seconds)} campaigns decided; half of all within "
        f"{half:.1f} s, 90 % within {most:.1f} s"
    )


@contextlib.contextmanager
def folder_for(kept: Path | None) -> Iterator[Path]:
    if kept is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield Path(temporary)
    else:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--campaigns", type=int, default=40, help="of A/A (40)")
    parser.add_argument("--power", type=int, default=40, help="campaigns of the slowed runtime")
    parser.add_argument(
        "--benchmarks",
        choices=["factorizations", "micro"],
        default="factorizations",
        help="that campaigns run (factorizations)",
    )
    parser.add_argument("--size", type=int, default=1024, help="of factorizations (1024)")
    parser.add_argument("--tile", type=int, default=128, help="of factorizations (128)")
    parser.add_argument("--processes", type=int, default=15, help="of each configuration (15)")
    parser.add_argument(
        "--repetitions", type=int, help="in a process (3; with --until-decided as they are chosen)"
    )
    parser.add_argument("--until-decided", help="relevant difference, such as 3%%, instead")
    parser.add_argument("--budget", default="2m", help="of time for that (2m)")
    parser.add_argument("--delay", type=float, default=0.05, help="of the slowed runtime (0.05)")
    parser.add_argument(
        "--condition", choices=CONDITIONS, default="quiet", help="of the machine (quiet)"
    )
    parser.add_argument("--seed", type=int, default=20261, help="of matrices and orders (20261)")
    parser.add_argument(
        "--keep", type=Path, help="folder for records; a second call continues there"
    )
    args = parser.parse_args()
    for double in (SLOWED, COSTLY):
        if not double.exists():
            sys.exit(f"{double} is missing; build it with: scripts/build --tests libgomp")
    kinds = kinds_of(args)
    with folder_for(args.keep) as folder, neighbours(args.condition, args.seed):
        for index in range(max(args.campaigns, args.power)):
            for kind in kinds:
                if index < kind.campaigns:
                    run_campaign(kind, folder, args, index)
    kinds = [kind for kind in kinds if kind.campaigns > 0]
    kept = [summarise(kind) for kind in kinds]
    if args.until_decided is not None:
        for kind in kinds:
            summarise_times(kind)
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
