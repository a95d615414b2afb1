# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of benchmarks as options set them: how they are written, and which values count."""

import json
from typing import Any

import pytest
from listings import listing, variant
from pollux.core.commands.options import parameters_of
from pollux.core.errors import BadUsageError
from pollux.core.executables.parameters import check_parameters, own_parameters
from pollux.core.listings import Listing

SWEEPS = {"parameter": "sweeps", "summary": "sweeps", "standard": 4, "range": [1, 100]}
TEAM = {"parameter": "inner", "summary": "team", "standard": 2, "range": [1, 9], "inner_team": True}
FORM = {"parameter": "form", "summary": "form", "standard": "plain", "words": ["plain", "short"]}


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[Listing]:
    """lu has two parameters, cholesky none."""
    monkeypatch.setenv("FAKE_PARAMETERS", json.dumps({"lu": [SWEEPS, FORM]}))
    both = (listing(name, [variant("depend", "")]) for name in ("lu", "cholesky"))
    return [Listing.model_validate_json(json.dumps(fields)) for fields in both]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (None, {}),
        (["sweeps=8"], {"sweeps": [8]}),
        (["sweeps=8,4"], {"sweeps": [8, 4]}),
        (["sweeps=8, 4 ,form=short"], {"sweeps": [8, 4], "form": ["short"]}),
        (["sweeps=2:6:2"], {"sweeps": [2, 4, 6]}),
        (["sweeps=8", "form=short", "sweeps=9,8"], {"sweeps": [8, 9], "form": ["short"]}),
    ],
)
def test_values_of_several_parameters_are_one_list(
    texts: list[str] | None, expected: dict[str, Any]
) -> None:
    assert parameters_of(texts) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sweeps", "--parameters sweeps: must be NAME=VALUE, such as sweeps=8"),
        ("8", "--parameters 8: must be NAME=VALUE"),
        ("sweeps=", "--parameters sweeps=: must be NAME=VALUE"),
        ("=8", "--parameters =8: must be NAME=VALUE"),
        ("sweeps=-1", "-1 is not a value of sweeps"),
        ("sweeps=1.5", "1.5 is not a value of sweeps"),
        ("sweeps=4:2:1", "'4:2:1' is an empty range"),
        ("sweeps=a\nb", "--parameters: "),
        ("sw\x1beeps=8\n", "sw\\u001beeps is not a parameter of lu"),
        (
            "swep=8",
            "--parameters: swep is not a parameter of lu, cholesky; choose from sweeps, form",
        ),
        ("sweeps=0", "--parameters sweeps=0: lu takes integers from 1 to 100"),
        ("sweeps=8,101", "--parameters sweeps=101: lu takes integers from 1 to 100"),
        ("sweeps=many", "--parameters sweeps=many: lu takes integers from 1 to 100"),
        ("form=other", "--parameters form=other: lu takes plain, short"),
        ("form=1", "--parameters form=1: lu takes plain, short"),
    ],
)
def test_what_no_benchmark_takes_is_one_line(
    listings: list[Listing], text: str, words: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        check_parameters(parameters_of([text]), listings)
    message = caught.value.format_message()
    assert words in message
    assert message.isprintable()


def test_each_benchmark_has_all_of_its_own_with_standard_values(listings: list[Listing]) -> None:
    lu, cholesky = listings
    wanted = parameters_of(["form=short,plain"])
    check_parameters(wanted, listings)
    assert own_parameters(lu, "depend", {}) == [(("sweeps", 4), ("form", "plain"))]
    assert own_parameters(lu, "depend", wanted) == [
        (("sweeps", 4), ("form", "short")),
        (("sweeps", 4), ("form", "plain")),
    ]
    assert own_parameters(cholesky, "depend", wanted) == [()]


def test_only_nested_variants_have_inner_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_PARAMETERS", json.dumps({"lu": [SWEEPS, TEAM]}))
    fields = listing("lu", [variant("depend", ""), variant("nested", "")])
    lu = Listing.model_validate_json(json.dumps(fields))
    wanted = parameters_of(["inner=3,4"])
    check_parameters(wanted, [lu])
    assert own_parameters(lu, "depend", wanted) == [(("sweeps", 4),)]
    assert own_parameters(lu, "nested", wanted) == [
        (("sweeps", 4), ("inner", 3)),
        (("sweeps", 4), ("inner", 4)),
    ]
