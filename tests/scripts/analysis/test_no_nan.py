# SPDX-License-Identifier: BSD-3-Clause
"""No output of a comparison holds a number that is not one, whatever the samples are."""

import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from micro_campaigns import configuration, overhead, write_micro_campaign
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.commands import compare_gate, compare_output
from pollux.core.commands.compare_text import write_comparison
from pollux.core.commands.options import GateOptions
from pollux.core.console import make_console

NO_NUMBER = re.compile(r"(?<![a-z])(nan|inf|infinity)(?![a-z])", re.IGNORECASE)
COUNTS = (1, 2, 3, 5, 6, 7, 12, 40)
# What the second runtime takes, in units of what the first one does.
SHAPES: dict[str, Callable[[random.Random], float]] = {
    "equal": lambda rng: 1.0,
    "slower without noise": lambda rng: 1.18,
    "slower": lambda rng: 1.18 * rng.lognormvariate(0, 0.01),
    "noise": lambda rng: rng.lognormvariate(0, 0.3),
    "ties": lambda rng: rng.choice((0.9, 1.0, 1.0, 1.1)),
    "far apart": lambda rng: 1e-6 * rng.lognormvariate(0, 1),
}


def outputs(result: Result) -> dict[str, str]:
    """All that pollux compare can print."""
    gate = compare_gate.check(result, GateOptions(0.03, None))
    lines = gate.lines if gate else []
    file = io.StringIO()
    write_comparison(make_console(file=file, plain_width=120), result, lines)
    return {
        "table": file.getvalue(),
        "markdown": compare_output.markdown(result, lines),
        "csv": compare_output.csv_text(result),
        "json": compare_output.json_text(result, gate),
        "headline": result.headline,
    }


@pytest.mark.parametrize(("cells", "until_decided"), [(1, None), (3, 0.03)])
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_hold_numbers_alone(
    tmp_path: Path, shape: str, cells: int, until_decided: float | None
) -> None:
    rng = random.Random(f"{shape} {cells}")
    for rounds in COUNTS if cells == 1 else COUNTS[::2]:
        sides = [
            (configuration(name, pattern), 400.0)
            for pattern in ("chain", "fan-in", "tree")[:cells]
            for name in ("released", "mine")
        ]

        def make(c: Any, ns: float) -> dict[str, Any]:  # noqa: ANN401
            factor = SHAPES[shape](rng) if c.runtime == "mine" else 1.0
            return overhead(c, factor * (ns if "without" not in shape else 400.0))

        path = tmp_path / f"{rounds}.jsonl"
        write_micro_campaign(path, sides, make=make, rounds=rounds, until_decided=until_decided)
        made = outputs(compare(load([path])))
        for what, text in made.items():
            found = NO_NUMBER.search(text)
            assert found is None, f"{rounds} rounds, {what}: {text[found.start() - 200 :][:300]}"
        json.loads(made["json"], parse_constant=pytest.fail)
