# SPDX-License-Identifier: BSD-3-Clause
"""What is tuned: a variant of a benchmark on a runtime, for an N and a number of threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.campaign.lines import Configuration
from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import (
    SEQUENTIAL,
    benchmark_names,
    check_benchmarks,
    nothing_built,
)
from pollux.core.executables.listing import Executables, describe
from pollux.core.executables.parameters import Wanted, check_parameters, own_parameters
from pollux.core.executables.variables import binding
from pollux.core.executables.variants import check_kernels, check_variants, chosen_variants, why_not
from pollux.core.parameters import NO_PARAMETERS, Parameters, in_words
from pollux.core.records import USUAL_KERNELS
from pollux.core.tiles import FASTEST, Tile
from pollux.machine.tuning.candidates import Candidate, unique

CHECK = "fast"


@dataclass(frozen=True)
class Target:
    """One search is run for each of these."""

    runtime: str  # preset
    benchmark: str
    variant: str
    kernels: str
    size: int
    threads: int | None
    executable: Path
    digest_group: str | None = None
    builds: dict[str, str] = field(default_factory=dict)  # see Configuration.builds
    files: dict[str, str] = field(default_factory=dict)  # see Configuration.files
    unavailable: str | None = None  # why it cannot run
    inner_block: bool = False  # IB is searched too
    tall_tiles: bool = True
    fastest: Tile | None = None  # of the executable's table, if it is a candidate
    parameters: Parameters = NO_PARAMETERS  # all that the benchmark has

    def __str__(self) -> str:
        kernels = "" if self.kernels in USUAL_KERNELS else f", {self.kernels} kernels"
        own = f" {in_words(self.parameters)}" if self.parameters else ""
        return f"{self.benchmark} {self.variant} on {self.runtime}{kernels}, N={self.size}{own}"

    @property
    def cell(self) -> tuple[object, ...]:
        """All but the runtime."""
        return self.benchmark, self.variant, self.kernels, self.size, self.parameters, self.threads

    def configuration(self, candidate: Candidate) -> Configuration:
        return Configuration(
            runtime=self.runtime,
            benchmark=self.benchmark,
            variant=self.variant,
            kernels=self.kernels,
            size=self.size,
            tile_asked=str(candidate.tile),
            tile=candidate.tile,
            inner=candidate.ib,
            parameters=dict(self.parameters),
            threads=self.threads,
            digest_group=self.digest_group,
            arguments=arguments(
                variant=self.variant,
                kernels=self.kernels,
                size=self.size,
                tile=candidate.tile,
                inner=candidate.ib,
                parameters=dict(self.parameters),
                threads=None if self.variant == SEQUENTIAL else self.threads,
                repeat=1,
                warmup=1,
                check=CHECK,
                format="json",
            ),
            executable=str(self.executable),
            variables=binding(),
            builds=self.builds,
            files=self.files,
        )


def find_targets(  # noqa: PLR0913 (the parameters of a search)
    build_root: Path,
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    kernels: Sequence[str],
    sizes: Sequence[int],
    threads: int | None,
    presets: Sequence[str],
    parameters: Wanted | None = None,
    fastest: bool = False,
) -> list[Target]:
    """All targets, grouped by cell; without `variants` or `sizes`: each benchmark's own."""
    check_benchmarks(build_root, benchmarks)
    chosen = unique(benchmarks) or benchmark_names(build_root)
    if not presets or not chosen:
        raise nothing_built(build_root)
    executables = Executables(build_root)
    paths = {(p, b): executables.path(p, b) for p in presets for b in chosen}
    asked = {key: executables.ask(path, binding()) for key, path in paths.items()}
    check_kernels(kernels)
    check_variants(variants, [v for found in asked.values() for v in found.variants])
    wanted = parameters or {}
    check_parameters(wanted, [asked[presets[0], b].listing for b in chosen])
    return [
        Target(
            runtime=preset,
            benchmark=benchmark,
            variant=variant.variant,
            kernels=set_,
            size=size,
            threads=threads,
            executable=paths[preset, benchmark],
            parameters=own,
            digest_group=variant.digest_group,
            builds=asked[preset, benchmark].builds,
            files=executables.files(paths[preset, benchmark], binding()),
            inner_block=asked[preset, benchmark].listing.has("inner"),
            tall_tiles=asked[preset, benchmark].listing.tall_tiles,
            unavailable=why_not(asked[preset, benchmark].listing, variant, set_),
            fastest=(
                fastest_tile(paths[preset, benchmark], set_, size, threads, own)
                if fastest and why_not(asked[preset, benchmark].listing, variant, set_) is None
                else None
            ),
        )
        for benchmark in chosen
        for name in unique(v.variant for p in presets for v in asked[p, benchmark].variants)
        for set_ in unique(asked[presets[0], benchmark].listing.kernels_for(k) for k in kernels)
        for size in sizes or [asked[presets[0], benchmark].listing.usual_size]
        for own in own_parameters(asked[presets[0], benchmark].listing, name, wanted)
        for preset in presets
        for variant in chosen_variants(asked[preset, benchmark].listing, variants)
        if variant.variant == name
    ]


def fastest_tile(
    executable: Path, kernels: str, size: int, threads: int | None, own: Parameters
) -> Tile:
    """The tile that the executable's table has as the fastest."""
    listing = describe(
        executable,
        binding(),
        kernels=kernels,
        size=size,
        threads=threads,
        parameters=dict(own),
        tile=FASTEST,
    )
    return listing.instances[0].tile
