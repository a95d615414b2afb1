# SPDX-License-Identifier: BSD-3-Clause
"""Files that `pollux conform` wrote, among others: results, and the decision of a gate."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pollux.core.errors import BadUsageError
from pollux.core.models import Lenient
from pollux.core.validation import first_problem
from pollux.machine.conformance.baseline import baseline_of, read_json
from pollux.machine.conformance.gate import Change, Decision, Kind
from pollux.machine.conformance.results import TargetResult

SUFFIX = ".json"  # of these files; those of records are .jsonl


class StoredGate(Lenient):
    """What `pollux conform --against … --format json` says."""

    answer: str
    status: str
    changes: list[Change]

    @property
    def is_passed(self) -> bool:
        return self.status == Decision.PASSED.lower()

    @property
    def lines(self) -> list[str]:
        """What is new first, and what got better; known failures are in the matrix."""
        return [change.line() for change in self.changes if change.kind is not Kind.KNOWN]


@dataclass
class Stored:
    """What some files hold."""

    records: list[Path] = field(default_factory=list)  # all other files
    gates: list[StoredGate] = field(default_factory=list)
    results: list[TargetResult] = field(default_factory=list)


def sort_files(paths: Sequence[Path]) -> Stored:
    """Tell results of conformance from records; BadUsageError for JSON that is neither."""
    found = Stored()
    for path in paths:
        if path.suffix != SUFFIX:
            found.records.append(path)
            continue
        text = read_json(path, "report")
        found.results += baseline_of(text, path, "report").results
        if (gate := gate_of(text, path)) is not None:
            found.gates.append(gate)
    return found


def gate_of(text: bytes, path: Path) -> StoredGate | None:
    """The gate in what a file with results holds; None where there is none."""
    if not text.startswith(b"{") or b'"changes"' not in text:
        return None
    try:
        return StoredGate.model_validate_json(text)
    except ValidationError as error:
        problem = first_problem(error, unless="the file")
        raise BadUsageError(f"{path} has no gate of pollux conform ({problem})") from error
