# SPDX-License-Identifier: BSD-3-Clause
"""What is tuned: a variant of a benchmark on a runtime, for an N and a number of threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pollux.campaign.lines import Configuration
from pollux.campaign.tuned import SEQUENTIAL
from pollux.campaign.values import BENCHMARKS
from pollux.errors import BadUsageError
from pollux.executables.listing import Executables
from pollux.executables.process import binding
from pollux.records import Variant
from pollux.tuning.candidates import Candidate, unique

USUAL = "depend"  # the variant that is tuned unless others are named; lu-cw has but one


@dataclass(frozen=True)
class Target:
    """One search is run for each of these."""

    runtime: str  # preset
    benchmark: str
    variant: str
    size: int
    threads: int | None
    executable: Path
    digest_group: str | None = None
    builds: dict[str, str] = field(default_factory=dict)  # see Configuration.builds
    unavailable: str | None = None  # why it cannot run

    def __str__(self) -> str:
        return f"{self.benchmark} {self.variant} on {self.runtime}, N={self.size}"

    @property
    def cell(self) -> tuple[object, ...]:
        """All but the runtime."""
        return self.benchmark, self.variant, self.size, self.threads

    def configuration(self, candidate: Candidate) -> Configuration:
        arguments = ["--variant", self.variant, "--size", str(self.size)]
        arguments += ["--tile", str(candidate.tile)]
        if candidate.ib is not None:
            arguments += ["--inner", str(candidate.ib)]
        if self.threads is not None and self.variant != SEQUENTIAL:
            arguments += ["--threads", str(self.threads)]
        arguments += ["--repeat", "1", "--warmup", "1", "--check", "fast", "--format", "json"]
        return Configuration(
            runtime=self.runtime,
            benchmark=self.benchmark,
            variant=self.variant,
            size=self.size,
            tile_asked=str(candidate.tile),
            tile=candidate.tile,
            inner=candidate.ib,
            threads=self.threads,
            digest_group=self.digest_group,
            arguments=arguments,
            executable=str(self.executable),
            variables=binding(),
            builds=self.builds,
        )


def find_targets(  # noqa: PLR0913 (what a search is for)
    build_root: Path,
    *,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    sizes: Sequence[int],
    threads: int | None,
    presets: Sequence[str],
) -> list[Target]:
    """All targets, those of one cell next to each other; no `variants`: each benchmark's usual."""
    check_benchmarks(benchmarks)
    chosen = unique(benchmarks) or list(BENCHMARKS)
    executables = Executables(build_root)
    paths = {(p, b): find_executable(executables, p, b) for p in presets for b in chosen}
    asked = {key: executables.ask(path, binding()) for key, path in paths.items()}
    check_variants(variants, [v for found in asked.values() for v in found.variants])
    return [
        Target(
            runtime=preset,
            benchmark=benchmark,
            variant=variant.variant,
            size=size,
            threads=threads,
            executable=paths[preset, benchmark],
            digest_group=variant.digest_group,
            builds=asked[preset, benchmark].builds,
            unavailable=None if variant.available else reason(variant),
        )
        for benchmark in chosen
        for name in unique(v.variant for p in presets for v in asked[p, benchmark].variants)
        for size in sizes
        for preset in presets
        for variant in chosen_variants(asked[preset, benchmark].variants, variants)
        if variant.variant == name
    ]


def chosen_variants(listed: Sequence[Variant], names: Sequence[str]) -> list[Variant]:
    if "all" in names:
        return list(listed)
    usual = USUAL if any(v.variant == USUAL for v in listed) else listed[0].variant
    return [v for v in listed if v.variant in (names or [usual])]


def reason(variant: Variant) -> str:
    return variant.reason or variant.needs or "no reason given"


def find_executable(executables: Executables, preset: str, benchmark: str) -> Path:
    root = executables.build_root
    if not (root / preset / "bin").is_dir():
        built = sorted(path.parent.name for path in root.glob("*/bin"))
        known = f"built are {', '.join(built)}" if built else "nothing is built"
        raise BadUsageError(f"no build {preset!r}; {known}; scripts/build makes more")
    return executables.path(preset, benchmark)


def check_benchmarks(names: Sequence[str]) -> None:
    for name in names:
        if name not in BENCHMARKS:
            raise BadUsageError(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")


def check_variants(names: Sequence[str], listed: Sequence[Variant]) -> None:
    known = unique(v.variant for v in listed)
    for name in names:
        if name not in ("all", *known):
            raise BadUsageError(f"no variant {name!r}; there are {', '.join(known)}, or all")
