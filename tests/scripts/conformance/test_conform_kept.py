# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of the results of `pollux conform`, and which of them new ones replace."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from conform_rules import LIMIT, Try, progress_of, write_rules
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.hashing import digest
from pollux.machine.conformance import schema, show
from pollux.machine.conformance.engine import conform
from pollux.machine.conformance.kept import file_of, keep, merge, read_all, read_known, read_usable
from pollux.machine.conformance.results import TargetResult
from pollux.machine.conformance.settings import Settings
from project import ROOT


def test_what_is_written_agrees_with_the_schema(tried: Try, tmp_path: Path) -> None:
    result = tried("keeps breaks crashes refuses no-program", threads=(2,))
    path = file_of("gcc+libomp19", tmp_path / "kept")
    keep(result, None, [], path)
    known = json.loads((ROOT / "docs/conformance.schema.json").read_text())
    jsonschema.validate(json.loads(path.read_text()), known)
    assert read_known(path) == result


def test_the_schema_in_the_docs_is_that_of_the_models() -> None:
    assert schema.PATH.read_text() == schema.schema_text(), (
        "docs/conformance.schema.json is out of date: "
        "run python -m pollux.machine.conformance.schema"
    )


def test_a_run_of_some_rules_leaves_the_others_as_they_were(tried: Try) -> None:
    known = tried("keeps breaks", threads=(2,), seed=1)
    new = tried("breaks", threads=(2,), seed=5)
    merged = merge(new, known, ["keeps", "breaks"])
    assert [(rule.rule, rule.seed) for rule in merged.rules] == [("keeps", 1), ("breaks", 5)]


def test_results_keep_the_processors_and_environment_of_their_own_run(tried: Try) -> None:
    rules = ["keeps", "breaks", "serialises"]
    first = tried(" ".join(rules), threads=(2,)).model_copy(
        update={"processors": 8, "environment": {"OMP_PROC_BIND": "close"}}
    )
    second = tried("breaks", threads=(2,)).model_copy(update={"processors": 2, "environment": {}})
    merged = merge(second, first, rules)
    assert [rule.processors for rule in merged.rules] == [8, None, 8]
    assert [rule.environment for rule in merged.rules] == [
        first.environment,
        None,
        first.environment,
    ]
    assert show.processors(merged) == "2, 8 processors"
    third = first.model_copy(update={"rules": tried("keeps", threads=(2,)).rules})
    again = merge(third, merged, rules)
    assert [rule.processors for rule in again.rules] == [None, 2, None]
    assert [rule.environment for rule in again.rules] == [None, {}, None]


def test_a_rule_that_did_not_run_leaves_what_was_found_when_it_did(tried: Try) -> None:
    """As with OMP_THREAD_LIMIT, where each program refuses the smaller team."""
    known, refused = tried("keeps breaks", threads=(2,)), tried("stints", threads=(2,))
    (rule,) = refused.rules
    new = refused.model_copy(update={"rules": [rule.model_copy(update={"rule": "keeps"})]})
    rules = ["keeps", "breaks"]
    assert merge(new, known, rules).rules == known.rules
    assert merge(new, new.model_copy(update={"rules": []}), rules).rules == new.rules


def test_rules_that_are_gone_are_forgotten(tried: Try) -> None:
    known, new = tried("keeps breaks", threads=(2,)), tried("keeps", threads=(2,))
    assert [rule.rule for rule in merge(new, known, ["keeps"]).rules] == ["keeps"]


def test_results_of_another_library_are_not_mixed_in(
    tried: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = tried("keeps breaks", threads=(2,))
    monkeypatch.setenv("FAKE_BUILD_ID", "cd34")
    new = tried("keeps", threads=(2,))
    assert merge(new, known, ["keeps", "breaks"]) == new


def test_a_target_that_did_not_start_destroys_nothing(tried: Try) -> None:
    known, new = tried("keeps", threads=(2,)), tried("refuses", threads=(2,))
    assert merge(new, known, ["keeps", "refuses"]) == known
    assert merge(new, None, ["refuses"]) == new


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the library that fake programs find."""
    path = tmp_path / "libgomp.so.1"
    path.write_text("original")
    monkeypatch.setenv("FAKE_LIBRARY", str(path))
    return path


def test_a_target_that_fails_before_it_says_what_it_is_has_not_passed(
    tried: Try, library: Path
) -> None:
    """Its other results stay if it is surely the library of which they are."""
    known, new = tried("keeps", threads=(2,)), tried("falls", threads=(2,))
    assert new.runtime is None
    merged = merge(new, known, ["keeps", "falls"])
    assert (merged.runtime, [rule.rule for rule in merged.rules]) == (
        known.runtime,
        ["keeps", "falls"],
    )
    assert merged.failed()
    assert merge(new, without_hash(known), ["keeps", "falls"]) == new
    library.write_text("patched")
    assert merge(new, known, ["keeps", "falls"]) == new


def test_a_patched_library_with_the_build_id_of_the_original_is_another(
    tried: Try, library: Path
) -> None:
    known, again = tried("keeps breaks", threads=(2,)), tried("keeps", threads=(2,))
    library.write_text("patched")
    new = tried("keeps", threads=(2,))
    rules = ["keeps", "breaks"]
    assert merge(new, known, rules) == new
    assert [rule.rule for rule in merge(again, known, rules).rules] == rules
    assert merge(new, without_hash(known), rules) == new


def test_a_library_that_is_replaced_between_two_programs_ends_the_run(
    library: Path, tmp_path: Path
) -> None:
    """Else rules that were tried on the old one would be results of the new one."""
    write_rules(tmp_path, "keeps breaks")
    progress = progress_of(tmp_path, Settings((2,), 1, 1.0, LIMIT))
    before = digest(library)

    def replaced() -> None:
        library.write_text("patched")

    with pytest.raises(MachineError, match=r"libgomp: .*libgomp\.so\.1 was replaced while"):
        conform(progress, replaced)
    found = progress.result()
    assert [rule.rule for rule in found.rules] == ["keeps"]
    assert found.runtime is not None
    assert found.runtime.sha256 == before


def without_hash(result: TargetResult) -> TargetResult:
    """As earlier versions kept it."""
    assert result.runtime is not None
    return result.model_copy(update={"runtime": result.runtime.model_copy(update={"sha256": None})})


def test_results_are_in_the_order_of_their_versions_whatever_a_label_contains(
    tried: Try, tmp_path: Path
) -> None:
    labels = ["gcc+libomp9", "gcc+libomp19", "gcc+x²"]
    for label in labels:
        keep(tried("keeps").model_copy(update={"label": label}), None, [], file_of(label, tmp_path))
    assert [result.label for result in read_all(tmp_path)] == labels


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "libgomp.json"
    path.write_text('{"schema": "pollux-conformance-result/0"}')
    with pytest.raises(BadUsageError, match=r"libgomp\.json is no result.*remove it"):
        read_all(tmp_path)
    assert read_known(path) is None


@pytest.mark.parametrize("read", [read_all, read_usable])
def test_a_copy_of_a_result_does_not_stand_for_its_target(
    read: Callable[[Path], list[TargetResult]], tried: Try, tmp_path: Path
) -> None:
    kept, earlier = tmp_path / "kept", tried("breaks", threads=(2,))
    for name in ("0", "libgomp", "z"):
        keep(
            tried("keeps", threads=(2,)) if name == "libgomp" else earlier,
            None,
            [],
            kept / f"{name}.json",
        )
    assert [[rule.rule for rule in result.rules] for result in read(kept)] == [["keeps"]]


@pytest.mark.parametrize("unix_ns", [-1, 2**63])
def test_a_time_that_is_none_is_refused(tried: Try, tmp_path: Path, unix_ns: int) -> None:
    path = file_of("libgomp", tmp_path)
    keep(tried("keeps", threads=(2,)), None, [], path)
    text = json.loads(path.read_text())
    text["rules"][0]["unix_ns"] = unix_ns
    path.write_text(json.dumps(text))
    with pytest.raises(BadUsageError, match=r"libgomp\.json is no result"):
        read_all(tmp_path)


def test_a_label_with_a_digit_that_is_no_number_has_a_place(tried: Try, tmp_path: Path) -> None:
    label = "gcc+libomp²"
    result = tried("keeps", threads=(2,)).model_copy(update={"label": label})
    keep(result, None, [], file_of(label, tmp_path))
    assert [found.label for found in read_all(tmp_path)] == [label]
