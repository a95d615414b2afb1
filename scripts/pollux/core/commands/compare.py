# SPDX-License-Identifier: BSD-3-Clause
"""`pollux compare`: which is faster, by how much, and how certain that is."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pollux.core.commands.options import (
    GateOptions,
    items,
    option,
    options,
    share,
)
from pollux.core.commands.shared import (
    AtomicOutput,
    By,
    Gate,
    Meters,
    Reference,
    SourceOption,
    UndecidedOption,
    UnverifiedOption,
)
from pollux.core.console import deliver, echo
from pollux.core.errors import BadUsageError
from pollux.core.writing import check_outputs

if TYPE_CHECKING:
    from pollux.core.analysis.dataset import Dataset
    from pollux.core.analysis.result import Result
    from pollux.core.commands.compare_gate import Gate as Decided


class Format(StrEnum):
    """The output format of the comparison."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="Output format.")]
Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE", help="Record files; default: the last campaign."),
]
MetricOption = Annotated[
    str,
    option("--metric", "What to compare by: speed, energy, power, edp or gflops-per-watt."),
]
Relevant = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="Differences below this are irrelevant; default: the campaign's until_decided, else "
        "3%.",
    ),
]
Benchmarks = Annotated[list[str] | None, options("--benchmark", "Only these.")]
Variants = Annotated[list[str] | None, options("--variant", "Only these.")]
KernelSets = Annotated[list[str] | None, options("--kernels", "Only these kernel sets.")]
Quantities = Annotated[
    list[str] | None,
    options(
        "--quantity",
        "Only these of benchmarks that have several, such as ns_per_task; default: all known ones.",
    ),
]
Runtimes = Annotated[list[str] | None, options("--runtime", "Only these.")]
Long = Annotated[
    bool, typer.Option("--long", help="A line for each comparison of micro-benchmarks too.")
]


def compare(  # noqa: PLR0913 (one parameter per option)
    files: Files = None,
    *,
    by: By = None,
    metric: MetricOption = "speed",
    source: SourceOption = None,
    meter: Meters = None,
    reference: Reference = None,
    relevant: Relevant = None,
    format: FormatOption = Format.TABLE,
    output: AtomicOutput = None,
    fail_if_slower: Gate = None,
    undecided: UndecidedOption = None,
    unverified: UnverifiedOption = None,
    benchmark: Benchmarks = None,
    variant: Variants = None,
    kernels: KernelSets = None,
    runtime: Runtimes = None,
    quantity: Quantities = None,
    long: Long = False,
) -> int:
    """Compare runtimes, or another axis: ratios with 95 % intervals, and a verdict on each.

    Samples of one round are compared with each other, so that drift of the machine does
    not matter. Verdicts are corrected for the number of comparisons. Of micro-benchmarks, a table
    of times over runtimes or versions stands for all comparisons (--long lists them).
    docs/energy.md describes the metrics of energy, and meters.

    Exit status: 0 success; 1 if a run failed, if factors disagree, or if the gate of
    --fail-if-slower fails; 2 bad usage; 4 if that gate is undecided, unless --undecided or
    --unverified says pass or fail. A gate that compared nothing is never passed.

    Example: pollux compare before.jsonl after.jsonl --fail-if-slower 3%
    """
    import gc

    from pollux.core.analysis import comparison
    from pollux.core.analysis.files import files_or_last
    from pollux.core.analysis.filters import narrow
    from pollux.core.analysis.loading import load
    from pollux.core.commands import compare_gate
    from pollux.core.commands.measure import inputs, measure_for

    paths = files_or_last(files)
    check_outputs({"--output": output}, inputs(paths, meter))
    if metric != "speed" and fail_if_slower is not None:
        raise BadUsageError("--fail-if-slower is for --metric speed")
    gc.freeze()  # else each collection goes through all samples again, which stay
    gc.disable()
    dataset = load(paths)
    measure = measure_for(dataset, metric, source, meter or [])
    wanted = {
        "benchmark": items(benchmark),
        "variant": items(variant),
        "kernels": items(kernels),
        "runtime": items(runtime),
        "quantity": items(quantity),
    }
    dataset = narrow(dataset, wanted)
    if metric != "speed" and any(c.is_cost for c in dataset.configurations.values()):
        raise BadUsageError(
            f"--metric {metric}: micro-benchmarks have times alone; --benchmark selects others"
        )
    result = comparison.compare(
        dataset, by=by, reference=reference, relevant=relevant, measure=measure
    )
    gate = compare_gate.check(result, GateOptions(fail_if_slower, undecided, unverified))
    show(result, format, output, gate, long=long)
    return max(int(not result.sound), gate.status if gate else 0)


def show(
    result: "Result", form: Format, output: Path | None, gate: "Decided | None", *, long: bool
) -> None:
    """Write the result; what a program reading it would not see goes to standard error."""
    from pollux.core.commands import compare_output
    from pollux.core.commands.compare_grid import problem_lines
    from pollux.core.commands.compare_text import write_comparison

    lines = gate.lines if gate else []
    match form:
        case Format.TABLE:
            table = partial(write_comparison, result=result, gate=lines, long=long)
            deliver(table, output, compare_output.PLAIN_WIDTH)
        case Format.MARKDOWN:
            deliver(compare_output.markdown(result, lines, long=long), output)
        case Format.CSV:
            deliver(compare_output.csv_text(result), output)
        case Format.JSON:
            deliver(compare_output.json_text(result, gate), output)
    if form in (Format.CSV, Format.JSON) or output is not None:
        for line in (*problem_lines(result), *result.cautions, result.headline, *lines):
            echo(line, to_stderr=True)
    if form is Format.CSV:
        name_unreadable(result.dataset)


def name_unreadable(dataset: "Dataset") -> None:
    """Name the lines that cannot be read where the output itself does not."""
    from pollux.core.campaign.reading import sentences

    for line in sentences(dataset.unreadable):
        echo(f"pollux: warning: {line}", to_stderr=True)
