# SPDX-License-Identifier: BSD-3-Clause
"""Runs the executables under test, with an environment that holds none of the user's settings."""

import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import surroundings

ROOT = Path(__file__).parents[2]
BIN = Path(os.environ.get("POLLUX_TEST_BIN", ROOT / "build/libgomp/bin"))
STAND_INS = Path(os.environ.get("POLLUX_TEST_STAND_INS", BIN.parent / "tests"))
RUNTIME = os.environ.get("POLLUX_TEST_RUNTIME", "libgomp")
SANITIZED = os.environ.get("POLLUX_TEST_SANITIZED", "OFF") == "ON"
# Tests of results alone: a sanitizer would watch code that runs in other tests too.
of_results = pytest.mark.skipif(SANITIZED, reason="other tests run the same code")

NAMES: dict[str, list[str]] = json.loads((BIN / "benchmarks.json").read_text())
BENCHMARKS, MICRO_BENCHMARKS = tuple(NAMES["computation"]), tuple(NAMES["overhead"])
DISTRIBUTED = tuple(NAMES["distributed"])  # over MPI; none without one
DISTRIBUTED_MICRO = tuple(NAMES["distributed_overhead"])  # likewise
# Those that factor a dense matrix, which --matrix may give; the others make input of their own.
FACTORIZATIONS = ("cholesky", "lu", "lu-cw", "qr")
TIMEOUT_SECONDS = 600
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")

Record = dict[str, Any]
Settings = dict[str, str]


class Result(NamedTuple):
    """How a process ended."""

    status: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """Lines on standard error that are not warnings."""
        return [line for line in self.err.splitlines() if ": warning: " not in line]

    @property
    def records(self) -> list[Record]:
        """The JSON lines on standard output."""
        return [json.loads(line) for line in self.out.splitlines()]


def environment(settings: Settings | None = None) -> dict[str, str]:
    """The environment of a process with these settings and no others that matter."""
    return surroundings.environment(**{"OMP_WAIT_POLICY": "passive", **(settings or {})})


def run_command(command: Sequence[object], settings: Settings | None = None) -> Result:
    """Runs a command to its end."""
    done = subprocess.run(
        [str(word) for word in command],
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def run(
    benchmark: str, *arguments: object, folder: Path = BIN, settings: Settings | None = None
) -> Result:
    """Runs one executable to its end."""
    return run_command([folder / benchmark, *arguments], settings)


def passing(benchmark: str, *arguments: object, settings: Settings | None = None) -> list[Record]:
    """The records of a run that has to succeed, one at least."""
    result = run(benchmark, *arguments, settings=settings)
    assert result.status == 0, result.err
    assert result.records
    return result.records


def refused(result: Result, status: int, *words: str) -> str:
    """Expects that status, nothing on standard output, and one line with these words."""
    assert result.status == status, result.err
    assert result.out == ""
    assert len(result.err.splitlines()) == 1, result.err
    for word in words:
        assert word in result.err
    return result.err


def described(benchmark: str, *options: object, settings: Settings | None = None) -> Record:
    """What --list says as JSON."""
    listed = run(benchmark, "--list", "-f", "json", *options, settings=settings)
    assert listed.status == 0, listed.err
    description: Record = json.loads(listed.out)
    return description


@cache
def variants(benchmark: str) -> list[Record]:
    """The variants that --list describes."""
    found: list[Record] = described(benchmark)["variants"]
    return found


def quantities(record: Record) -> Record:
    """The quantities of a record by name; None where one is not known."""
    return {name: own["value"] for name, own in record["quantities"].items()}


def quantity(record: Record, name: str) -> Any:  # noqa: ANN401 (a number or None)
    """One of them."""
    return quantities(record)[name]


@cache
def validator(name: str) -> Any:  # noqa: ANN401 (of a package that has no types)
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / f"docs/{name}.schema.json").read_text())
    return jsonschema.Draft202012Validator(schema)


def validate(records: list[Record], schema: str = "record") -> None:
    """Every record fits the documented schema, and there is one at least."""
    assert records
    for record in records:
        assert [error.message for error in validator(schema).iter_errors(record)] == []


def small_run(
    benchmark: str, *arguments: object, folder: Path = BIN, settings: Settings | None = None
) -> Result:
    """Every variant on a small matrix, as JSON lines; expects success."""
    options = ("-n", 97, "-b", 24, "-v", "all", "-r", 2, "-f", "json")
    result = run(benchmark, *options, *arguments, folder=folder, settings=settings)
    assert result.status == 0, result.err
    return result


@cache
def small_records(benchmark: str, *arguments: object) -> list[Record]:
    """What a small run printed; one run serves all tests that only read its records."""
    return small_run(benchmark, *arguments).records


def digests(records: list[Record]) -> dict[tuple[str, int], str]:
    """The digest of each variant and seed."""
    return {(record["variant"], record["seed"]): record["digest"] for record in records}
