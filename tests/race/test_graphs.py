# SPDX-License-Identifier: BSD-3-Clause
"""No variant of any benchmark lacks an order between two tasks that touch the same elements."""

import pytest
from racing import REPORTED, Subject, run, subjects

SEEDS = (1, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("subject", subjects("graph"), ids=str)
def test_no_variant_has_a_race(subject: Subject, seed: int) -> None:
    result = run(subject, seed)
    if result.races:
        named = run(subject, seed, symbols=True)  # where it shows again
        pytest.fail((named.races or result.races)[0], pytrace=False)
    assert result.status in (0, REPORTED), result.output  # reports may be on libomp's memory alone
    assert "\nrace: " not in f"\n{result.output}", "wrong factors"
