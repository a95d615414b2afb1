# SPDX-License-Identifier: BSD-3-Clause
"""The results that others are compared with: of a target that runs too, or kept in a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pollux.core.errors import BadUsageError
from pollux.core.paths import no_device
from pollux.core.validation import first_problem, printable_json
from pollux.machine.conformance.results import RuleResult, TargetResult

STORED = TypeAdapter(list[TargetResult])


@dataclass(frozen=True)
class Baseline:
    """Results by target; those of a single target stand for all."""

    name: str
    results: Sequence[TargetResult]

    def of(self, label: str) -> TargetResult:
        """The results that those of a target are compared with."""
        if len(self.results) == 1:
            return self.results[0]
        found = next((result for result in self.results if result.label == label), None)
        if found is None:
            known = ", ".join(result.label for result in self.results)
            raise BadUsageError(f"{self.name} has no results of {label}; it has those of {known}")
        return found

    def beside(self, results: Sequence[TargetResult]) -> list[TargetResult]:
        """Those that are shown next to others: of a file, what has another label."""
        shown = {result.label for result in results}
        return [result for result in self.results if result.label not in shown]

    def rule(self, label: str, name: str) -> RuleResult | None:
        return self.of(label).rule(name)


def is_file(text: str) -> bool:
    """Whether the value of --against is a file rather than a label."""
    return "/" in text or text.endswith(".json") or Path(text).is_file()


def read_baseline(path: Path) -> Baseline:
    """A file that `pollux conform` kept or wrote as JSON, with one target's results or more."""
    option = "--against"
    return baseline_of(read_json(path, option), path, option)


def read_json(path: Path, option: str) -> bytes:
    try:
        return printable_json(no_device(path).read_bytes()).lstrip()
    except OSError as error:
        raise BadUsageError(f"{option}: cannot read {path} ({error.strerror})") from error


def baseline_of(text: bytes, path: Path, option: str) -> Baseline:
    """The results in what a file holds."""
    try:
        results = STORED.validate_json(results_of(text))
    except ValidationError as error:
        raise BadUsageError(
            f"{option}: {path} holds no results of pollux conform "
            f"({first_problem(error, unless='the file')})"
        ) from error
    if not results:
        raise BadUsageError(f"{option}: {path} holds the results of no target")
    return Baseline(str(path), results)


def results_of(text: bytes) -> bytes:
    """The list of results: of the list itself, of a gate's output, or of a single result."""
    from pydantic_core import from_json, to_json

    try:
        found = from_json(text)
    except ValueError:
        return text
    if isinstance(found, dict):
        return to_json(found.get("results", [found]))
    return text
