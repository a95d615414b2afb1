# SPDX-License-Identifier: BSD-3-Clause
"""What `--list --format json` of an executable prints (docs/benchmark.schema.json)."""

from typing import Any, Literal

from pydantic import Field, model_validator

from pollux.core.models import Lenient
from pollux.core.records import DEFAULT_KERNELS
from pollux.core.tiles import Tile


class Variant(Lenient):
    """One task graph of a benchmark."""

    benchmark: str
    variant: str
    summary: str
    needs: str | None
    available: bool
    reason: str | None
    digest_group: str | None  # variants of one group give the same factors bit for bit
    input: str = "uniform"  # the random matrix that it is made for
    sequential: bool = False  # it runs outside any parallel region
    nested: bool = False  # its tasks open parallel regions
    own_team: bool = False  # it consists of parallel loops, and so has no task graph
    tasks_per_update: int = 1  # most tasks with dependences of a step for each tile it updates
    parameters: list[str]  # those of the benchmark's that it has


class KernelSet(Lenient):
    """A value of --kernels, and whether the processor can run it."""

    kernels: str
    available: bool
    reason: str


class Parameter(Lenient):
    """A number or a word that a benchmark has besides the sizes: the option --NAME."""

    parameter: str
    summary: str
    standard: int | str  # its value without the option
    range_: tuple[int, int] | None = Field(default=None, alias="range")  # of a number
    words: list[str] | None = None  # that it can be, where it is no number
    inner_team: bool = False  # threads of the regions inside tasks: only nested variants have it

    def takes(self, value: int | str) -> bool:
        if self.range_ is not None:
            return isinstance(value, int) and self.range_[0] <= value <= self.range_[1]
        return value in (self.words or ())

    def in_words(self) -> str:
        """The values that it takes."""
        if self.range_ is not None:
            return f"integers from {self.range_[0]} to {self.range_[1]}"
        return ", ".join(self.words or ())


class InstanceNeeds(Lenient):
    """What a problem of one size takes, with the tile given or else the default.

    Sizes, tile and kernel set are null where the benchmark computes on no matrix.
    """

    kernels: str | None
    m: int | None
    n: int | None
    mb: int | None
    nb: int | None
    ib: int | None
    parameters: dict[str, int | str]
    threads: int
    tile_source: Literal["table", "fastest", "option"] | None
    bytes_: int = Field(alias="bytes", ge=0)  # at most 2^63 - 1, more than any machine has
    flops: float | None  # None, as of single variants' tasks: not known, of what cannot be run
    tasks: dict[str, float | None] | None = None  # of each at most; None: as of a factorization

    @property
    def tile(self) -> Tile:
        """That of the matrix; ValueError where there is none."""
        if self.mb is None or self.nb is None:
            raise ValueError("there is no tile without a matrix")
        return Tile(self.mb, self.nb)


class SizeOption(Lenient):
    """The option --size, and what it counts: the order n of a matrix, tasks …"""

    name: str
    summary: str
    standard: int


class Quantity(Lenient):
    """A result by which runs are compared."""

    quantity: str
    summary: str
    unit: str
    better: Literal["more", "less"]
    term: bool = (
        False  # a part of the headline, which campaigns decide too unless they say otherwise
    )


class Listing(Lenient):
    """An executable's description of itself."""

    schema_name: Literal["pollux-benchmark/1"] = Field(alias="schema")
    benchmark: str
    algorithm: str  # the variants of one algorithm are compared with each other
    summary: str
    measures: Literal["computation", "overhead"]
    default_variant: str
    options: list[str]  # that not every benchmark has
    size: SizeOption | None
    symmetric: bool
    tall_tiles: bool
    concurrent_write: bool
    variants: list[Variant]
    kernel_sets: list[KernelSet]  # the first is the default
    parameters: list[Parameter]
    quantities: list[Quantity] = Field(min_length=1)  # the first is the headline
    instances: list[InstanceNeeds]

    @model_validator(mode="before")
    @classmethod
    def name_variants(cls, fields: Any) -> Any:  # noqa: ANN401 (not validated yet)
        """Variants know their benchmark."""
        if not isinstance(fields, dict) or not isinstance(fields.get("variants"), list):
            return fields
        own = {"benchmark": fields.get("benchmark")}
        return fields | {"variants": [own | v for v in fields["variants"] if isinstance(v, dict)]}

    @property
    def usual_size(self) -> int:
        """That of a run without --size."""
        assert self.size is not None  # it computes something
        return self.size.standard

    def has(self, option: str) -> bool:
        """Whether it has an option that not every benchmark has, such as rows."""
        return option in self.options

    def kernels_for(self, name: str) -> str:
        """The kernel set of that name; for the usual default, the benchmark's own."""
        known = [found.kernels for found in self.kernel_sets]
        return known[0] if name == DEFAULT_KERNELS and name not in known else name

    def parameters_of(self, variant: str) -> list[Parameter]:
        """Those that a variant has."""
        names = next((v.parameters for v in self.variants if v.variant == variant), [])
        return [p for p in self.parameters if p.parameter in names]


class ConcurrentWrite(Lenient):
    """The clause for concurrent write, and its observed behaviour."""

    clause: str
    native: bool
    observed: str
