# SPDX-License-Identifier: BSD-3-Clause
"""`pollux compare` separates compiler and runtime where a campaign ran combinations."""

import json
from pathlib import Path
from typing import Any

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from synthetic import write_campaign

# Label: compiler, build, runtime library.
RUNS = {
    "libgomp": ("gcc", "libgomp", "libgomp12"),
    "gcc+libomp16": ("gcc", "libgomp", "libomp16"),
    "gcc+libomp19": ("gcc", "libgomp", "libomp19"),
    "libomp": ("clang", "libomp", "libomp19"),
}


def warning(folder: Path, *labels: str) -> str:
    """The warning about compilers in a comparison of these, the first of them the reference."""
    path = folder / "campaign.jsonl"
    write_campaign(path, dict.fromkeys(labels, 1.0))
    lines = [as_recorded(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [w for w in compare(load([path])).warnings if w.startswith("compilers differ")]
    assert len(found) <= 1
    return "".join(found)


def as_recorded(line: dict[str, Any]) -> dict[str, Any]:
    """A line as an executable of the combination's build under its library would have it."""
    if line["event"] == "configuration":
        configuration = line["configuration"]
        _, build, library = RUNS[configuration["runtime"]]
        configuration["executable"] = f"build/{build}/bin/cholesky"
        configuration["builds"] = {"executable": build, "runtime": library}
    for record in line.get("records", []):
        record["compiler"]["name"] = RUNS[record["runtime"]["name"]][0]
    return line


def test_one_compiler_on_several_runtimes_needs_no_warning(tmp_path: Path) -> None:
    assert warning(tmp_path, "libgomp", "gcc+libomp16", "gcc+libomp19") == ""


def test_two_compilers_on_two_runtimes_are_reported_with_the_way_out(tmp_path: Path) -> None:
    assert warning(tmp_path, "libgomp", "libomp") == (
        "compilers differ: libgomp gcc, libomp clang; a difference may be the compiler's "
        "(a combination such as gcc+libomp19 would show which: docs/libraries.md)"
    )


def test_combinations_say_which_differences_are_whose(tmp_path: Path) -> None:
    text = warning(tmp_path, *RUNS)
    assert "(compare gcc+libomp16, gcc+libomp19, the same binary as libgomp; " in text
    assert text.endswith(
        "gcc+libomp19, libomp share a runtime: what differs there is the compiler's)"
    )
