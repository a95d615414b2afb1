# SPDX-License-Identifier: BSD-3-Clause
"""Which variants stand side by side, by what their benchmarks say or older records tell."""

import pytest
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.variants import algorithm_of, default_variant, input_of


def made(benchmark: str, variant: str, **more: str) -> Configuration:
    return Configuration(runtime="a", benchmark=benchmark, variant=variant, size=64, **more)


def test_a_benchmark_s_description_counts_before_its_name() -> None:
    assert algorithm_of(made("ldl-late", "x", algorithm="ldl")) == "ldl"
    assert [algorithm_of(made(name, "x")) for name in ("lu", "lu-cw", "qr")] == ["lu", "lu", "qr"]


@pytest.mark.parametrize(
    ("configurations", "expected"),
    [
        ([made("lu", "depend"), made("lu-cw", "cw")], "depend"),
        (
            [
                made("ldl-x", "flat", algorithm="ldl", default_variant="flat"),
                made("ldl", "tall", algorithm="ldl", default_variant="tall"),
            ],
            "tall",
        ),
        ([made("lu-cw", "cw", algorithm="lu", default_variant="cw")], None),
        ([made("lu", "late")], None),
    ],
)
def test_the_default_variant_of_the_benchmark_named_after_the_algorithm_is_the_reference(
    configurations: list[Configuration], expected: str | None
) -> None:
    assert default_variant(configurations) == expected


def test_matrices_for_factorizations_without_pivoting_are_another_input() -> None:
    assert input_of(made("lu", "nopiv", digest_group="lu-nopiv")) == "dominant"
    assert input_of(made("lu", "column", digest_group="lu-column")) == "usual"


def test_what_follows_from_the_benchmark_is_not_in_the_hash() -> None:
    plain = made("lu", "depend")
    assert plain.hash() == made("lu", "depend", algorithm="lu", default_variant="depend").hash()
    assert plain.hash() != made("lu", "late").hash()
