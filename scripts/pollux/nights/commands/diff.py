# SPDX-License-Identifier: BSD-3-Clause
"""`pollux diff`: what changed between builds or libraries, on one page."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer

from pollux.core.commands.options import option, share, span
from pollux.core.commands.shared import AtomicOutput, BuildRoot
from pollux.core.console import deliver, echo
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS, RESULTS
from pollux.core.spans import parse_span

NAME_MOST = 200  # characters of a folder's name without the hash; systems allow 255
LABEL = "A build or a combination, such as libomp or gcc+libomp19 (pollux runtimes)."
Old = Annotated[str, typer.Argument(metavar="OLD", help=LABEL)]
New = Annotated[
    list[str], typer.Argument(metavar="NEW…", help="The other one, or several, such as versions.")
]
Relevant = Annotated[
    float, typer.Option(parser=share, metavar="SHARE", help="Differences below are irrelevant.")
]
Budget = Annotated[str, option("--budget", "Time for all campaigns.", parser=span, metavar="TIME")]
NoRules = Annotated[bool, typer.Option("--no-rules", help="Leave conformance out.")]
NoPrediction = Annotated[
    bool, typer.Option("--no-prediction", help="Leave the simulator's prediction out.")
]
Format = Annotated[
    Literal["table", "markdown", "json"], typer.Option("--format", help="How the page is written.")
]
State = Annotated[
    Path | None,
    typer.Option("--state", metavar="FOLDER", help="For records; default: in results/."),
]


def diff(  # noqa: PLR0913 (one parameter per option)
    old: Old,
    new: New,
    *,
    relevant: Relevant = 0.03,
    budget: Budget = "15m",
    no_rules: NoRules = False,
    no_prediction: NoPrediction = False,
    format_: Format = "table",
    output: AtomicOutput = None,
    state: State = None,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Show what changed between two builds: speed, costs of tasks, granularity and rules.

    Runs factorizations, what tasks cost, and how small they may be, on both until it is decided,
    and the rules of pollux conform; then shows what is slower or faster, by how much, and which
    rules broke. The simulator predicts each factorization from what tasks cost, which shows whether
    that explains the difference. Of several new builds, such as all versions of a runtime, each is
    compared with the old one: factorizations, the terms of what a task costs, and rules, with a
    column for each build. Run the same command again to resume after an interruption, or with a
    larger --budget.

    Exit status: 0 success; 1 if a new one is slower somewhere, wrong, or breaks a rule; 2 bad
    usage; 3 the machine cannot do it.

    Example: pollux diff clang+libomp19 clang+libomp21
    """
    from pollux.core.extras import check_extra
    from pollux.core.parts import parts
    from pollux.core.runtimes.found import target_named
    from pollux.core.writing import check_outputs, make_folder
    from pollux.nights.bisecting.state import REMEDY
    from pollux.nights.differences import page
    from pollux.nights.differences.campaigns import Effort, Sides, run_topic, topics_for
    from pollux.nights.differences.predictions import Predictions, predict
    from pollux.nights.differences.rules import differing_rules

    sides = Sides(old, tuple(new))
    if repeated := next((one for one in new if sides.labels.count(one) > 1), None):
        raise BadUsageError(f"{repeated} is named twice; OLD and NEW must differ")
    for label in sides.labels:
        target_named(label, build_root)
    predicts = not no_prediction and not sides.are_several
    if predicts and "insight" in parts():  # what it needs is there before anything is measured
        check_extra("insight", "the simulator's prediction", "; --no-prediction leaves it out")
    folder = state or RESULTS / folder_name(sides.labels)
    make_folder(folder, REMEDY)
    folder = folder.resolve()
    kept = chain.from_iterable(map(folder.glob, ("*.jsonl", "*.toml", "conformance/*.json")))
    check_outputs({"--output": output}, kept)
    effort = Effort(relevant, parse_span(budget))
    results = []
    for topic in topics_for(sides):
        echo(f"{topic.title}: at most {effort.seconds * topic.share:.0f} s", to_stderr=True)
        results.append((topic, run_topic(topic, sides, folder, build_root, effort)))
    rules = None if no_rules else differing_rules(sides, folder / "conformance", build_root)
    why = "--no-rules" if no_rules else "that needs the part 'machine' of pollux"
    predictions = Predictions({}, "--no-prediction")
    if predicts:
        echo("what tasks cost, for the simulator", to_stderr=True)
        predictions = predict(sides, results[0][1], build_root)
    found = page.Page(sides, results, rules, predictions, why)
    match format_:
        case "table":
            deliver(partial(page.show, page=found), output)
        case "markdown":
            deliver(page.markdown(found), output)
        case "json":
            deliver(page.json_text(found), output)
    if output is not None:
        echo(page.answer(found), to_stderr=True)
    if count := page.undecided(found):
        to_decide = "run the same command again with a larger --budget to decide more"
        echo(f"{count} undecided: {to_decide}", to_stderr=True)
    return int(found.is_worse)


def folder_name(labels: Sequence[str]) -> str:
    """A folder for a comparison alone; labels contain no commas."""
    from pollux.core.hashing import short_hash

    name = f"diff-{','.join(labels)}"
    shown = name.replace("/", "_")[:NAME_MOST]
    return shown if shown == name else f"{shown}-{short_hash(name)}"
