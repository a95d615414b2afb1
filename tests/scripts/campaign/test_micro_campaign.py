# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks as benchmarks of a campaign: axes, arguments, samples and their outcomes."""

import json
from pathlib import Path
from typing import Any

import pytest
from campaign_files import plan, refusal
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from listings import write_names
from micro_runs import NAME, listing, micro_record
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.campaign.estimate import UNCOUNTED_LIMIT_SECONDS, time_limit
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.samples import read_sample
from pollux.core.campaign.sampling import Order, judge, read_records, take_sample
from pollux.core.executables.process import Ended
from project import ROOT, Campaign, write_fake
from pytest import approx, mark
from run_record import time_in_ns

ONE = '[runtimes.a]\npreset = "libgomp"\n[grid]\n'
GRID = ONE + 'benchmark = "task-overhead"\nvariant = ["chain", "fan-in"]\nsize = [64, 256]\n'


@pytest.fixture(autouse=True)
def patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "chain,fan-in,serial,wrong")
    monkeypatch.setenv("FAKE_VARIANTS_LU", "depend")


def test_what_it_runs_is_chosen_by_the_options_that_it_lists(
    tmp_path: Path, build_root: Path
) -> None:
    text = f"repetitions = 3\n{GRID}threads = 2\nparameters = {{ items = [1, 16] }}\n"
    made = plan(tmp_path, build_root, text)
    assert [(c.variant, c.size, c.own_words) for c in made.configurations] == [
        *(("chain", size, "") for size in (64, 256)),
        *(("fan-in", size, f"items={items}") for items in (1, 16) for size in (64, 256)),
    ]
    last = made.configurations[-1]
    assert last.label() == "task-overhead fan-in 256 tasks items=16 2 threads"
    assert " ".join(last.arguments) == (
        "--variant fan-in --size 256 --items 16 --threads 2 --repeat 3 --warmup 1 --format json"
    )
    assert time_limit(last, made.campaign, 0.1) > UNCOUNTED_LIMIT_SECONDS


def test_stand_ins_list_what_the_schema_describes() -> None:
    schema = json.loads((ROOT / "docs/benchmark.schema.json").read_text())
    found = listing(NAME, ["chain", "fan-in"], {})
    assert [e.message for e in Draft202012Validator(schema).iter_errors(found)] == []


@mark.parametrize("benchmarks", ['["task-overhead", "lu"]', '"task-overhead"'])
def test_benchmarks_without_priorities_switch_none_off(
    benchmarks: str, tmp_path: Path, build_root: Path
) -> None:
    grid = f"[grid]\nbenchmark = {benchmarks}\nsize = 64\n"
    made = plan(tmp_path, build_root, f'priorities = "equal"\n{grid}')
    assert not any("--no-priority" in c.arguments for c in made.configurations)
    assert made.left_out == []


def test_a_sequential_variant_runs_on_one_thread(tmp_path: Path, build_root: Path) -> None:
    text = GRID.replace('"chain", ', '"serial", ') + "threads = [2, 4]\n"
    made = plan(tmp_path, build_root, text).configurations
    assert sorted({(c.variant, c.threads) for c in made}) == [
        *(("fan-in", 2), ("fan-in", 4), ("serial", 1))
    ]


def test_it_runs_only_where_it_is_named(tmp_path: Path, build_root: Path) -> None:
    text = ONE + 'size = 64\nvariant = ["chain", "depend"]\n'
    assert {c.benchmark for c in plan(tmp_path, build_root, text).configurations}.isdisjoint({NAME})


def test_beside_benchmarks_it_is_without_their_axes(tmp_path: Path, build_root: Path) -> None:
    text = ONE + f'benchmark = ["lu", "{NAME}"]\nvariant = ["depend", "chain"]\nsize = 64\n'
    text += 'tile = [16, 32]\nnuma = ["interleave", "first-touch"]\nkernels = "tuned"\n'
    made = [
        (c.benchmark, c.tile_asked, c.settings.get("numa"))
        for c in plan(tmp_path, build_root, text).configurations
    ]
    assert made.count((NAME, None, None)) == 1
    assert len(made) == 1 + 4


@mark.parametrize(
    ("more", "message"),
    [
        ("tile = 64\n", "task-overhead works on no matrix; leave tile out"),
        ('numa = "interleave"\n', "task-overhead works on no matrix; leave numa out"),
        ('kernels = "tuned"\n', "tuned is no kernel set of task-overhead"),
        ("inner = 8\n", "only qr has inner blocks; the grid's benchmark leaves it out"),
        ("rows = 99\n", "take rows; leave task-overhead out of benchmark"),
        ("parameters = { items = 65 }\n", "task-overhead takes integers from 1 to 64"),
    ],
)
def test_axes_of_matrices_are_refused_in_one_line(
    tmp_path: Path, build_root: Path, more: str, message: str
) -> None:
    (line,) = refusal(tmp_path, build_root, GRID + more).splitlines()
    assert line.startswith("trial.toml:") and message in line


def test_a_size_is_needed(tmp_path: Path, build_root: Path) -> None:
    text = GRID.replace("size = [64, 256]\n", "")
    assert "grid.size: is missing; task-overhead has one" in refusal(tmp_path, build_root, text)


def test_one_without_a_size_runs_once(tmp_path: Path, build_root: Path, answers: Path) -> None:
    folder = build_root / "libgomp" / "bin"
    write_names(folder, micro=[NAME, "constructs"])
    write_fake(folder / "constructs", "constructs", "libgomp", answers)
    for others, size in (("", ""), (f', "{NAME}"', "size = [64, 128]\n")):
        text = f'{ONE}benchmark = ["constructs"{others}]\nvariant = "chain"\nthreads = 2\n{size}'
        made = plan(tmp_path, build_root, text).configurations
        (only,) = [c for c in made if c.benchmark == "constructs"]
        assert only.arguments[:4] == ["--variant", "chain", "--threads", "2"]
        assert only.label() == "constructs chain 2 threads"
    alone = f'{ONE}benchmark = "constructs"\nvariant = "chain"\nsize = 64\n'
    assert "constructs has no size; leave it out" in refusal(tmp_path, build_root, alone)


def test_a_record_has_an_outcome_by_its_own_check(tmp_path: Path, build_root: Path) -> None:
    text = GRID.replace('["chain", "fan-in"]', '["chain", "wrong"]').replace("[64, 256]", "64")
    chain, wrong = plan(tmp_path, build_root, text).configurations
    good = take_sample(Order(chain, 1, 1, 60))
    assert (good.outcome, good.problem) == (Outcome.OK, None)
    bad = take_sample(Order(wrong, 1, 1, 60))
    assert (bad.outcome, bad.problem) == (
        Outcome.FAILED_CHECK,
        "check failed: task 3 ran too early",
    )


CHAIN = Configuration(
    **{"runtime": "libgomp", "benchmark": NAME, "variant": "chain", "size": 256},
    **{"size_name": "tasks", "tile_asked": None, "parameters": {"distance": 64}, "threads": 2},
    **{"unit": "ns", "better": "less"},
)


@mark.parametrize(
    "changes",
    [
        {"variant": "fan-in"},
        {"size": {"name": "tasks", "value": 64}},
        {"size": {"name": "partitions", "value": 256}},
        {"parameters": {"distance": 8}},
        {"threads": 1},
        {"benchmark": "clomp"},
        {"schema": "pollux-run/0"},
        {"quantities": {"ns_per_task": time_in_ns(1.0) | {"value": "fast"}}},
        {"quantities": {"ns_per_task": time_in_ns(None)}},
        {"quantities": {"ns_per_task": time_in_ns(float("nan"))}},
        {"passed": False},
    ],
)
def test_a_record_of_anything_else_is_not_taken(changes: dict[str, Any]) -> None:
    for more, expected in (({}, Outcome.OK), (changes, Outcome.NO_RECORD)):
        printed = json.dumps(micro_record("chain", "libgomp", 400.0) | more)
        outcome, _ = judge(Ended(0, printed, ""), read_records(printed), CHAIN, 1)
        assert outcome is expected


def sample_of(*records: dict[str, Any]) -> Any:  # noqa: ANN401
    from pollux.core.campaign.sampling import Place, Taken, to_line

    taken = Taken(Outcome.OK, None, None, [], 0.1, list(records))
    return read_sample(to_line(taken, Place("x", 0, 0, 0), 1, 0.0), "x")


def test_a_sample_is_the_median_of_the_repetitions_that_know_a_time() -> None:
    records = [micro_record("chain", "libgomp", ns) for ns in (400.0, 500.0, 900.0)]
    records[0]["quantities"]["creation"]["value"] = None
    records[1]["quantities"]["release"]["value"] = -3.0
    sample = sample_of(*records)
    known = {quantity.name: quantity.value for quantity in sample.quantities}
    assert known == {"ns_per_task": 500, "creation": 175, "release": 800}
    assert sample.speed == approx(1 / 500)


def test_a_difference_that_is_not_above_zero_is_known_in_no_sample(tmp_path: Path) -> None:
    records = [micro_record("chain", "libgomp", ns) for ns in (400.0, 500.0, 900.0)]
    for record in records[1:]:
        record["quantities"]["release"]["value"] = -3.0
    assert dict(sample_of(*records).unknown)["release"] == "not above zero"
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    dataset = load([path])
    quantities = {row.configuration.quantity for row in compare(dataset).rows}
    assert quantities == {"ns_per_task", "creation"}
    ((_, name),) = (key for key, why in dataset.unknown.items() if why == "not above zero")
    assert name == "release"


def test_the_first_quantity_is_the_next_where_the_headline_is_unknown_by_its_nature() -> None:
    record = micro_record("chain", "libgomp", 400.0)
    record["quantities"]["ns_per_task"]["value"] = None
    record["unknown"]["ns_per_task"] = "the best case is its own bound"
    assert sample_of(record).headline == "creation"
    assert sample_of(record).speed == approx(1 / 100)


@pytest.mark.slow
def test_a_campaign_runs_resumes_and_is_compared_in_ns(campaign: Campaign) -> None:
    text = (
        "processes = 2\nrepetitions = 3\nwarmup = 0\nblocks.repeat_budget = 0\n[grid]\nsize = 256\n"
    )
    text += 'benchmark = "task-overhead"\nvariant = ["chain", "fan-in"]\n'
    first = campaign.run("chain,fan-in", text)
    assert first.returncode == 0, first.stderr
    again = campaign.run("chain,fan-in", text, "--set", "processes=3")
    assert again.returncode == 0, again.stderr
    dataset = load([campaign.output])
    rows = compare(dataset).rows
    assert {row.samples for row in rows} == {3}
    assert {(r.configuration.quantity, r.level): r.figure and r.figure.estimate for r in rows} == {
        **{("ns_per_task", "libgomp"): 410, ("ns_per_task", "libomp"): 310},
        **{("creation", "libgomp"): 102.5, ("creation", "libomp"): 77.5},
        **{("release", "libgomp"): 820, ("release", "libomp"): 620},
    }
