# SPDX-License-Identifier: BSD-3-Clause
"""What all micro-benchmarks share: descriptions of themselves, and what they refuse."""

import json

import pytest
from executable import MICRO_BENCHMARKS, ROOT, Record, refused, run

pytestmark = pytest.mark.any_runtime

SCHEMA = json.loads((ROOT / "docs/micro-benchmark.schema.json").read_text())
RECORDS = json.loads((ROOT / "docs/micro.schema.json").read_text())


def description(benchmark: str) -> Record:
    found: Record = json.loads(run(benchmark, "--list", "-f", "json").out)
    return found


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
def test_descriptions_fit_the_schema_and_name_fields_of_records(benchmark: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = description(benchmark)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert [error.message for error in validator.iter_errors(found)] == []
    fields = RECORDS["$defs"][benchmark]["properties"]
    headline, *terms = [q["quantity"] for q in found["quantities"]]
    chosen = [option for option in found["options"].values() if option is not None]
    assert {headline, *chosen, *(p["field"] for p in found["parameters"])} <= set(fields)
    assert set(fields["terms"]["properties"]) == set(terms)


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
def test_lists_and_help_fit_eighty_columns_and_name_every_option(benchmark: str) -> None:
    found = description(benchmark)
    listed = run(benchmark, "--list").out.splitlines()
    assert [line.split()[0] for line in listed[1:]] == [v["variant"] for v in found["variants"]]
    text = run(benchmark, "--help").out
    assert max(len(line) for line in text.splitlines()) <= 80
    names = [option for option in found["options"].values() if option is not None]
    for name in [*names, *(p["parameter"] for p in found["parameters"]), "threads", "repeat"]:
        assert f"--{name}=" in text


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
@pytest.mark.parametrize(
    "options",
    [["-t", "0"], ["-t", "65537"], ["-r", "0"], ["-f", "xml"], ["--nosuch"], ["stray"]],
    ids=" ".join,
)
def test_bad_values_of_shared_options_are_refused_in_one_line(
    benchmark: str, options: list[str]
) -> None:
    refused(run(benchmark, *options), 2, f"{benchmark}: ")


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
def test_an_unknown_variant_is_answered_with_the_known_ones(benchmark: str) -> None:
    found = description(benchmark)
    known = [v["variant"] for v in found["variants"]]
    refused(run(benchmark, f"--{found['options']['variant']}", "nothing"), 2, *known)


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
def test_unwritable_records_are_refused_before_anything_runs(benchmark: str) -> None:
    found = description(benchmark)
    variant = next(v["variant"] for v in found["variants"] if v["available"])
    options = (f"--{found['options']['variant']}", variant, "-o", "/nonexistent/folder/records")
    refused(run(benchmark, *options), 2, f"{benchmark}: ")
