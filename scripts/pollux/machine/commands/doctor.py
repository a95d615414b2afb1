# SPDX-License-Identifier: BSD-3-Clause
"""`pollux doctor`: is this machine fit for measuring?"""

from typing import Annotated

import typer

from pollux.core.commands.options import check_build_root
from pollux.core.commands.shared import BuildRootAsGiven, TableOrJson
from pollux.core.paths import BUILDS, RESULTS

Strict = Annotated[bool, typer.Option("--strict", help="Exit status 1 if a verdict is bad.")]


def doctor(
    *,
    format_: TableOrJson = "table",
    build_root: BuildRootAsGiven = None,
    strict: Strict = False,
) -> int:
    """Check whether this machine is fit for measuring, and show how to fix what is not.

    Verdicts: good; caution: ratios within rounds hold, absolute figures may not; bad: even ratios
    are in doubt, or nothing can be run. Nothing is changed on the machine.

    Example: pollux doctor --strict && pollux run quick
    """
    from pollux.core.console import echo
    from pollux.machine.doctor.checkup import examine
    from pollux.machine.doctor.finding import Verdict
    from pollux.machine.doctor.machine import this_machine
    from pollux.machine.doctor.show import as_json, show_table

    if build_root is not None:
        check_build_root(build_root)
    machine = this_machine(RESULTS.parent, (build_root or BUILDS).resolve())
    rows = examine(machine)
    if format_ == "json":
        echo(as_json(rows))
    else:
        show_table(rows, container=machine.container is not None)
    return int(strict and any(row.verdict is Verdict.BAD for row in rows))
