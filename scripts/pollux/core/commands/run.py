# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run`: runs a campaign from its file to its last record."""

import json
from pathlib import Path
from typing import Annotated

import typer

from pollux.core.commands.options import (
    GateOptions,
    items,
    option,
    options,
    parameters_of,
    share,
    span,
)
from pollux.core.commands.shared import BuildRoot, Gate, UndecidedOption, UnverifiedOption
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS

By = Annotated[
    str | None, option("--by", "Axis whose levels are compared, in turns: runtime, variant …")
]
Reference = Annotated[str | None, option("--reference", "Level that others are compared with.")]
CampaignFile = Annotated[
    str, typer.Argument(metavar="CAMPAIGN", help="A campaign's file, or the name of a shipped one.")
]
Output = Annotated[
    Path | None, option("--output", "Record file; default: results/NAME.jsonl of the project.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start over; older records are kept under another name.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan; run nothing.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Replace any key of the file; repeatable."),
]
UntilDecided = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="Go on until every comparison is decided: faster, slower, or no difference as large "
        "as this, such as 3%.",
    ),
]
Budget = Annotated[
    str | None,
    option("--budget", "Time for that, such as 10m (default).", parser=span, metavar="TIME"),
]
Decide = Annotated[
    list[str] | None,
    options(
        "--decide",
        "Quantities to decide besides the headline, or all; default: a benchmark's terms.",
        metavar="QUANTITY",
    ),
]
Apart = Annotated[
    bool,
    typer.Option("--apart", help="Run processes one after the other instead of in turns."),
]
Power = Annotated[
    str | None,
    option(
        "--power",
        "Sample power beside the runs, with this time between samples, such as 10ms.",
        parser=span,
        metavar="TIME",
    ),
]
Report = Annotated[
    bool, typer.Option("--report", help="Afterwards write the page of pollux report.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Report only what goes wrong.")]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="A line every ten seconds, for logs and CI.")
]
Attach = Annotated[
    bool,
    typer.Option("--attach", help="Show the jobs of a campaign with [submit]; submit none."),
]
Job = Annotated[Path | None, typer.Option("--job", hidden=True)]  # for the jobs themselves
Benchmarks = Annotated[list[str] | None, options("--benchmark", "Only these.")]
Variants = Annotated[list[str] | None, options("--variant", "Only these.")]
KernelSets = Annotated[
    list[str] | None, options("--kernels", "Kernel sets: openblas, tuned, or all.")
]
Runtimes = Annotated[
    list[str] | None,
    options("--runtime", "Builds to compare, or combinations such as gcc+libomp19."),
]
Orders = Annotated[list[str] | None, options("--size", "Matrix orders N, or START:STOP:STEP.")]
Tiles = Annotated[
    list[str] | None,
    options("--tile", "Tile sizes NB or MBxNB, START:STOP:STEP, default, fastest or tuned."),
]
Own = Annotated[
    list[str] | None,
    options("--parameters", "Of single benchmarks, such as sweeps=4,8; the same as --set of each."),
]
Threads = Annotated[
    list[str] | None, options("--threads", "Numbers of threads, START:STOP:STEP, or all.")
]
Turbo = Annotated[list[str] | None, options("--turbo", "Turbo: on, off.")]
IdleStates = Annotated[
    list[str] | None, options("--cstates", "Idle states: all, none, or the deepest, such as C1E.")
]
Governors = Annotated[list[str] | None, options("--governor", "CPUFreq governors.")]
Preferences = Annotated[
    list[str] | None, options("--epp", "Energy-performance preferences, such as balance_power.")
]


def run(  # noqa: PLR0913 (one parameter per option)
    campaign: CampaignFile,
    *,
    benchmark: Benchmarks = None,
    variant: Variants = None,
    kernels: KernelSets = None,
    runtime: Runtimes = None,
    size: Orders = None,
    tile: Tiles = None,
    parameters: Own = None,
    threads: Threads = None,
    turbo: Turbo = None,
    cstates: IdleStates = None,
    governor: Governors = None,
    epp: Preferences = None,
    output: Output = None,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    overrides: Overrides = None,
    by: By = None,
    reference: Reference = None,
    until_decided: UntilDecided = None,
    budget: Budget = None,
    decide: Decide = None,
    apart: Apart = False,
    power: Power = None,
    report: Report = False,
    fail_if_slower: Gate = None,
    undecided: UndecidedOption = None,
    unverified: UnverifiedOption = None,
    quiet: QuietOption = False,
    plain: PlainOption = False,
    attach: Attach = False,
    job: Job = None,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Run a campaign to its end, or resume one that was interrupted.

    Every sample is a fresh process and is on the disk before the next one starts. A crash, a hang
    or a wrong result is a sample too. The same command on the same file resumes the campaign.

    --variant, --size and the other axes choose: each table of the file runs those of its values
    that are named. Values that no table has replace the file's; --set replaces any key. With
    --until-decided, rounds go on where they decide most, and verdicts are valid whenever that
    ends. Levers (--turbo and the three after it) are set before each block of
    runs, and restored at the end.

    Exit status: 0 all runs succeeded, 1 some failed, or a configuration without a sample was
    ended as the budget was over, or the gate of --fail-if-slower failed, 2 bad usage, 3 the
    machine cannot do it, 4 that gate is undecided.

    Example: pollux run quick --runtime libgomp,gcc+libomp19 --size 2048 --tile 64,128
    """
    from pollux.core.campaign.overrides import refuse_twice
    from pollux.core.commands.run_session import Wanted, run_campaign

    for name, value in (
        ("power", power),
        ("by", by),
        ("reference", reference),
        ("decide", decide),
        ("until-decided", until_decided),
        ("budget", budget),
        ("apart", apart or None),
    ):
        if value is not None:
            refuse_twice(name, overrides or [])
    axes = {
        "benchmark": benchmark,
        "variant": variant,
        "kernels": kernels,
        "runtime": runtime,
        "size": size,
        "tile": tile,
        "threads": threads,
        "turbo": turbo,
        "cstates": cstates,
        "governor": governor,
        "epp": epp,
    }
    return run_campaign(
        Wanted(
            campaign=campaign,
            build_root=build_root,
            output=output,
            overrides=[
                *(overrides or []),
                *parameters_as_keys(parameters, overrides or []),
            ],
            keys={
                key: value
                for key, value in {
                    "until_decided": None if until_decided is None else str(until_decided),
                    "budget": budget,
                    "power": power,
                    "decide": json.dumps(items(decide)) if decide else None,
                    "by": toml_text(by),
                    "reference": toml_text(reference),
                    "apart": "true" if apart else None,
                }.items()
                if value is not None
            },
            axes={axis: texts for axis, texts in axes.items() if texts},
            fresh=fresh,
            dry_run=dry_run,
            report=report,
            gate=GateOptions(fail_if_slower, undecided, unverified),
            quiet=quiet,
            plain=plain,
            attach=attach,
            job=job,
        )
    )


def toml_text(text: str | None) -> str | None:
    """A text as TOML has it: a runtime may be called 2024."""
    return None if text is None else json.dumps(text, ensure_ascii=False)


def parameters_as_keys(texts: list[str] | None, overrides: list[str]) -> list[str]:
    """Values of benchmarks' own parameters as the keys of the file that they replace."""
    from pollux.core.campaign.overrides import parse_override

    given = {parse_override(text).key for text in overrides}
    found = parameters_of(texts)
    for name in found:
        if ("grid", "parameters", name) in given:
            raise BadUsageError(
                f"--parameters {name}=… and --set parameters.{name}=… replace the same key; "
                "give only one"
            )
    return [f"parameters.{name}={','.join(map(str, values))}" for name, values in found.items()]
