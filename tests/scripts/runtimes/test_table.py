# SPDX-License-Identifier: BSD-3-Clause
"""The one table of runtimes: its entries are complete, and none hides another."""

import re
from itertools import chain

import pytest
from pollux.core.runtimes.names import RUNTIMES, TABLE
from project import ROOT

NEEDED = {"runtime", "file_names", "recognised_by", "colour"}
KNOWN = {*NEEDED, "has_versions", "binds_threads", "variables", "lacks", "ignores_priorities"}
MARKS = ("file", "symbol", "text")


def own_marks(entry: dict[str, dict[str, str]]) -> set[tuple[str, str]]:
    found = entry["recognised_by"]
    return {(mark, found[mark]) for mark in MARKS if mark in found}


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["runtime"])
def test_an_entry_has_what_is_needed_and_evidence_for_what_it_lacks(
    entry: dict[str, list[dict[str, str]]],
) -> None:
    assert entry.keys() >= NEEDED
    assert entry.keys() <= KNOWN
    assert all(v["reason"].strip() for v in entry.get("variables", []))
    settings = (ROOT / "common/identity/runtime_settings.h").read_text()
    room = (
        int(re.findall(r"RUNTIME_SETTINGS_MAX = (\d+)", settings)[0]) - 1
    )  # one is made elsewhere
    assert len(entry.get("variables", [])) <= room
    for lack in chain(entry.get("lacks", []), entry.get("ignores_priorities", [])):
        assert lack["evidence"].strip()
    header = (ROOT / "common/identity/capabilities.h").read_text()
    for name in chain.from_iterable(lack["capabilities"] for lack in entry.get("lacks", [])):
        assert re.search(rf"\bCAPABILITY_{name}\b", header)


def test_names_and_colours_are_of_one_runtime_each() -> None:
    names = list(chain.from_iterable(entry["file_names"] for entry in TABLE))
    for given in (names, RUNTIMES, [entry["colour"] for entry in TABLE]):
        assert len(given) == len(set(given))


def test_no_runtime_is_taken_for_one_that_is_recognised_before_it() -> None:
    """An entry without marks of its own fits all that define its entry point: it comes last."""
    in_order = TABLE[::-1]
    for place, entry in enumerate(in_order):
        if not own_marks(entry):
            point = entry["recognised_by"]["defines"]
            later = [other["recognised_by"].get("defines") for other in in_order[place + 1 :]]
            assert point not in later
