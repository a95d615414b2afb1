# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of single benchmarks as axes of a campaign."""

import json
from pathlib import Path

import pytest
from campaign_files import plan, refusal
from pollux.core.campaign.plan import Plan

SWEEPS = {"parameter": "sweeps", "summary": "sweeps", "standard": 4, "range": [1, 100]}
FORM = {"parameter": "form", "summary": "form", "standard": "plain", "words": ["plain", "short"]}
ONE = '[runtimes.a]\npreset = "libgomp"\n[grid]\nsize = 64\nvariant = "depend"\n'
TWO = ONE + 'benchmark = ["cholesky", "lu"]\n'


@pytest.fixture(autouse=True)
def lu_has_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    monkeypatch.setenv("FAKE_PARAMETERS", json.dumps({"lu": [SWEEPS, FORM]}))


def values(made: Plan) -> list[tuple[str, dict[str, int | str]]]:
    return [(c.benchmark, c.parameters) for c in made.configurations]


def test_they_are_axes_of_the_benchmarks_that_have_them(tmp_path: Path, build_root: Path) -> None:
    text = TWO + 'parameters = { sweeps = ["2:4:2", 8], form = "short" }\n'
    made = plan(tmp_path, build_root, text)
    assert values(made) == [
        ("cholesky", {}),
        *(("lu", {"sweeps": sweeps, "form": "short"}) for sweeps in (2, 4, 8)),
    ]
    first, last = made.configurations[0], made.configurations[-1]
    at = last.arguments.index("--sweeps")
    assert last.arguments[at : at + 4] == ["--sweeps", "8", "--form", "short"]
    assert "--sweeps" not in first.arguments
    assert last.label() == "lu depend N=64 sweeps=8 form=short"
    assert len({c.name() for c in made.configurations}) == 4
    assert len({c.hash() for c in made.configurations}) == 4


def test_inner_teams_are_an_axis_of_nested_variants_alone(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = {**SWEEPS, "parameter": "inner", "inner_team": True}
    monkeypatch.setenv("FAKE_VARIANTS", "depend,nested")
    monkeypatch.setenv("FAKE_PARAMETERS", json.dumps({"lu": [SWEEPS, team]}))
    text = ONE.replace('"depend"', '["depend", "nested"]') + "benchmark = 'lu'\n"
    made = plan(tmp_path, build_root, text + "parameters = { sweeps = 5, inner = [2, 3] }\n")
    assert [(c.variant, c.parameters) for c in made.configurations] == [
        ("depend", {"sweeps": 5}),
        ("nested", {"sweeps": 5, "inner": 2}),
        ("nested", {"sweeps": 5, "inner": 3}),
    ]


def test_rules_and_options_know_them(tmp_path: Path, build_root: Path) -> None:
    text = TWO + "parameters.sweeps = [2, 3]\n[[exclude]]\nparameters.sweeps = 3\n"
    assert values(plan(tmp_path, build_root, text)) == [("cholesky", {}), ("lu", {"sweeps": 2})]
    include = TWO + "[[include]]\nbenchmark = 'lu'\nparameters = {sweeps = 5, form = 'short'}\n"
    found = plan(tmp_path, build_root, include, "parameters.sweeps=7,9")
    assert values(found)[1:] == [
        ("lu", {"sweeps": 7}),
        ("lu", {"sweeps": 9}),
        ("lu", {"sweeps": 7, "form": "short"}),
        ("lu", {"sweeps": 9, "form": "short"}),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("parameters.sweeps = 0", "sweeps = 0: lu takes integers from 1 to 100"),
        ("parameters.sweeps = 'many'", 'sweeps = "many": lu takes integers from 1 to 100'),
        ("parameters.form = 'other'", 'form = "other": lu takes plain, short'),
        ("parameters.form = 1", "form = 1: lu takes plain, short"),
        (
            "parameters.depth = 1",
            "depth is not a parameter of cholesky, lu; choose from sweeps, form",
        ),
        ("parameters.sweeps = -1", "-1 is not a value of sweeps"),
        ("parameters.sweeps = []", "an empty list leaves nothing to run"),
        ("parameters = 3", "3 has no names; parameters are a table"),
        ("kernels = 'loops'", "loops is no kernel set of cholesky, lu"),
    ],
)
def test_wrong_names_and_values_are_one_line(
    tmp_path: Path, build_root: Path, line: str, words: str
) -> None:
    found = refusal(tmp_path, build_root, f"{TWO}{line}\n")
    assert len(found.splitlines()) == 1
    assert words in found


def test_a_benchmark_without_any_refuses_them(tmp_path: Path, build_root: Path) -> None:
    text = ONE + 'benchmark = "cholesky"\nparameters.sweeps = 4\n'
    expected = "sweeps is not a parameter of cholesky; it has none"
    assert expected in refusal(tmp_path, build_root, text)


def test_an_override_of_benchmarks_leaves_the_parameters_of_others_aside(
    tmp_path: Path, build_root: Path
) -> None:
    text = ONE + 'benchmark = "lu"\nparameters.sweeps = 4\n'
    assert values(plan(tmp_path, build_root, text, "benchmark=qr")) == [("qr", {})]
    expected = "swep is not a parameter of lu; choose from sweeps, form"
    assert expected in refusal(tmp_path, build_root, text, "parameters.swep=4")


def test_an_option_for_a_parameter_reaches_the_grid_whose_benchmark_has_it(
    tmp_path: Path, build_root: Path
) -> None:
    text = ONE + 'benchmark = "qr"\n[[include]]\nbenchmark = "lu"\nparameters.sweeps = 4\n'
    made = plan(tmp_path, build_root, text, "parameters.sweeps=7")
    assert values(made) == [("qr", {}), ("lu", {"sweeps": 7})]
    found = refusal(tmp_path, build_root, text, "parameters.sweeps=0")
    assert len(found.splitlines()) == 1
    assert "sweeps = 0: lu takes" in found
