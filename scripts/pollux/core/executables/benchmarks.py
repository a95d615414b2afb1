# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks of the builds say about themselves."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.builds import (
    BY_NAME_ALONE,
    benchmark_names,
    built_presets,
    check_benchmarks,
    check_executables,
    executable_path,
)
from pollux.core.executables.listing import Executables, describe
from pollux.core.listings import Listing
from pollux.core.records import kernels_option
from pollux.core.tiles import DEFAULT, Tile, WantedTile

T = TypeVar("T")


@dataclass(frozen=True)
class Benchmarks:
    """The benchmarks of the builds below a folder; each executable is asked when it is needed."""

    executables: Executables
    wanted: tuple[str, ...] = ()  # presets that are asked before others
    listings: dict[str, Listing] = field(default_factory=dict, compare=False)  # that were asked for

    @property
    def build_root(self) -> Path:
        return self.executables.build_root

    @cached_property
    def names(self) -> list[str]:
        """Those that compute something, which "all" stands for."""
        return benchmark_names(self.build_root)

    @cached_property
    def all_names(self) -> list[str]:
        """Those too that run only where named: micro-benchmarks, and those over MPI."""
        others = (benchmark_names(self.build_root, kind) for kind in BY_NAME_ALONE)
        return [*self.names, *chain.from_iterable(others)]

    def check(self, names: Iterable[str]) -> None:
        check_benchmarks(self.build_root, names)

    def listing(self, name: str) -> Listing:
        """How a benchmark describes itself in the first build where it runs."""
        if name not in self.listings:
            self.listings[name] = self.in_first_build(
                name, lambda path: self.executables.ask(path, {}).listing
            )
        return self.listings[name]

    def in_first_build(self, name: str, ask: Callable[[Path], T]) -> T:
        """The answer of a benchmark's executable in the first build where it runs."""
        check_executables(self.build_root, [name])
        failure: Exception | None = None
        built = built_presets(self.build_root)
        for preset in sorted(built, key=lambda preset: preset not in self.wanted):
            try:
                return ask(executable_path(self.build_root, preset, name))
            except (BadUsageError, MachineError) as error:
                failure = failure or error
        raise failure or MachineError(f"no build can say what {name} is")

    def tile(self, wanted: WantedTile, name: str, m: int, n: int, kernels: str) -> Tile:
        """The tile itself, or what a word stands for, by the benchmark's table."""
        if isinstance(wanted, Tile):
            return wanted
        rows, asked = None if m == n else m, None if wanted == DEFAULT else wanted
        listing = self.in_first_build(
            name,
            lambda path: describe(
                path, {}, size=n, rows=rows, tile=asked, kernels=kernels_option(kernels)
            ),
        )
        return listing.instances[0].tile

    def having(self, option: str, names: Iterable[str]) -> list[str]:
        """Those of the benchmarks that have an option, such as rows."""
        return [name for name in names if self.listing(name).has(option)]

    def others_of_algorithm(self, name: str) -> list[str]:
        """The other benchmarks with variants of the algorithm that this one is named after."""
        others = (other for other in self.names if other != name)
        return [other for other in others if self.listing(other).algorithm == name]

    def holder(self, name: str, variant: str) -> str:
        """The benchmark that has a variant of the algorithm: cw of lu is that of lu-cw."""
        for candidate in (name, *self.others_of_algorithm(name)):
            if variant in (v.variant for v in self.listing(candidate).variants):
                return candidate
        return name


def benchmarks_of(build_root: Path) -> Benchmarks:
    return Benchmarks(Executables(build_root))
