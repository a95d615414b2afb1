# SPDX-License-Identifier: BSD-3-Clause
"""What micro-benchmarks list besides variants and parameters (docs/micro-benchmark.schema.json)."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict

MICRO_LISTING: Final = "pollux-micro-benchmark/1"
# What a micro-benchmark need not say: it computes on no matrix.
NO_MATRIX = {
    **dict.fromkeys(("rectangular", "symmetric", "inner_block", "tall_tiles"), False),
    **{"concurrent_write": False, "kernel_sets": [], "instances": []},
}


class Part(BaseModel):
    """A part of a listing; fields that no command here needs are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Quantity(Part):
    """A time that a micro-benchmark measures, in ns."""

    quantity: str
    summary: str


class MicroOptions(Part):
    """Which long options of a micro-benchmark choose what it runs, and how much of it."""

    variant: str
    size: str | None  # None: it has no size


def like_a_benchmark(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a micro-benchmark's listing with those of a benchmark that it lacks."""
    variants = [v for v in fields["variants"] if isinstance(v, dict)]
    first = next((v.get("variant") for v in variants), "")
    names = {"algorithm": fields.get("benchmark"), "default_variant": first}
    own = [{"digest_group": None, **v} for v in variants]
    return {**NO_MATRIX, **names, **fields, "variants": own}
