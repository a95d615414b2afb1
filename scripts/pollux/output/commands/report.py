# SPDX-License-Identifier: BSD-3-Clause
"""`pollux report`: a campaign as one HTML page that needs nothing but a browser."""

from pathlib import Path
from typing import Annotated

import typer

from pollux.core.commands.compare import name_unreadable
from pollux.core.commands.options import option
from pollux.core.commands.shared import By, Meters, Reference, SourceOption
from pollux.core.errors import BadUsageError
from pollux.core.paths import RESULTS

NAMED = 3  # of more files than that, only the first few give the report its name

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE",
        help="Records; default: the last campaign in results/. And results that pollux conform "
        "wrote as JSON, with the decision of its gate.",
    ),
]
Output = Annotated[
    Path | None, option("--output", "HTML file; default: NAME.html next to the records.")
]
Conformance = Annotated[
    Path | None,
    option(
        "--conformance",
        "Folder of pollux conform's results, shown if libraries match; default: "
        "results/conformance of the project.",
    ),
]


def report(  # noqa: PLR0913 (one parameter per option)
    files: Files = None,
    *,
    output: Output = None,
    reference: Reference = None,
    by: By = None,
    source: SourceOption = None,
    meter: Meters = None,
    conformance: Conformance = None,
) -> int:
    """Write one HTML page about a campaign: answer, tables, plots, builds, failures, method.

    The page is self-contained and loads nothing from the network, so that it can be mailed or
    kept with the records.

    \b
    Example: pollux report results/quick-20260102-030405.jsonl --output quick.html
    """
    from pollux.core.analysis.comparison import compare
    from pollux.core.analysis.files import files_or_last
    from pollux.core.analysis.loading import load
    from pollux.core.commands.measure import energy_points, inputs
    from pollux.core.console import echo
    from pollux.core.parts import service
    from pollux.core.text import utf8
    from pollux.core.writing import check_outputs, write_output
    from pollux.output.report.page import make_page

    sort_files, results = service("conformance_files"), service("conformance_results")
    refuse_missing(conformance)
    folder = conformance or RESULTS / "conformance"
    stored = sort_files(files or []) if sort_files else None
    paths = files_or_last(stored.records if stored else files)
    target = output or beside(paths)
    read = [*inputs(paths, meter), *folder.glob("*.json"), *(files or [])]
    check_outputs({"--output": target}, read)
    refuse_ending(output)
    dataset = load(paths)
    result = compare(dataset, by=by, reference=reference)
    points = energy_points(dataset, source, meter or [], by, reference)
    name_unreadable(result.dataset)
    by_others = service("by_other_sources")
    others = by_others(dataset, source, meter or [], by, reference) if points and by_others else []
    kept = [*(stored.results if stored else ()), *(results(folder) if results else ())]
    page = make_page(result, kept, points, others, stored.gates if stored else ())
    write_output(target, utf8(page))
    echo(target)
    return 0


def refuse_ending(output: Path | None) -> None:
    """Refuse the name of a picture, which browsers would not show as a page."""
    if output is not None and output.suffix in {".pdf", ".png", ".svg"}:
        raise BadUsageError(
            f"--output {output}: a report is an HTML page; name it {output.with_suffix('.html')}"
        )


def refuse_missing(conformance: Path | None) -> None:
    """Refuse a folder that was named and holds no result."""
    if conformance is not None and not any(conformance.glob("*.json")):
        raise BadUsageError(
            f"--conformance {conformance}: no results there (*.json); pollux conform writes them"
        )


def beside(paths: list[Path]) -> Path:
    """The page's name: that of the records, or of the first few of them."""
    stems = [path.stem for path in paths]
    more = [f"{len(stems) - NAMED} more"] if len(stems) > NAMED else []
    return paths[0].with_name("+".join(stems[:NAMED] + more) + ".html")
