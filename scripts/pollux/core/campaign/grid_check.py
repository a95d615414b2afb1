# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the grids of a campaign, by what the benchmarks say of themselves."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from pollux.core.campaign.file import suggestion
from pollux.core.campaign.grid import Part
from pollux.core.campaign.source import Key, Source
from pollux.core.campaign.usable import OF_MATRIX, useless, without_size
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.builds import nothing_built
from pollux.core.executables.parameters import having, unknown
from pollux.core.shares import shown


def unless_overridden(source: Source, key: Key, message: str) -> list[str]:
    """A line about a table of the file, unless an override changed the grid it was for."""
    overridden = any(k[0] == "grid" for k in source.overrides)
    return [] if overridden else [source.line(key, message)]


@dataclass(frozen=True)
class GridCheck:
    """Finds names that no benchmark has and values that none takes, beyond errors in single values.

    `variants_of` gives the names of the variants that a benchmark has on any runtime.
    """

    source: Source
    parts: list[Part]
    benchmarks: Benchmarks
    variants_of: Callable[[str], list[str]]

    def problems(self) -> list[str]:
        """A line for each; those about unknown benchmarks come alone."""
        wrong = [line for part in self.parts for line in self.unknown_benchmarks(part)]
        if wrong:
            return wrong
        of_parts = [line for part in self.parts for line in self.part_problems(part)]
        return [*of_parts, *self.unused_values()]

    def unknown_benchmarks(self, part: Part) -> Iterator[str]:
        """Names in a grid that no build has."""
        known = self.benchmarks.all_names
        if not known:
            raise nothing_built(self.benchmarks.build_root)
        for name in part.benchmarks(self.benchmarks):
            if name not in known:
                message = f"{shown(name)} is not a benchmark{suggestion(name, known)}"
                yield self.source.line(part.place("benchmark"), message)

    def part_problems(self, part: Part) -> Iterator[str]:
        """What is wrong with a grid, beyond errors in single values."""
        axes, source = part.axes, self.source
        benchmarks = part.benchmarks(self.benchmarks)
        missing = without_size(axes, [self.benchmarks.listing(name) for name in benchmarks])
        if missing is not None:
            yield source.line(part.place("size"), missing)
        if not axes.rows:
            return
        rectangular = self.benchmarks.having("rows", self.benchmarks.names)
        square = [name for name in benchmarks if name not in rectangular]
        if square:
            message = (
                f"only {', '.join(rectangular)} take rows; leave {', '.join(square)} "
                "out of benchmark"
            )
            yield source.line(part.place("rows"), message)

    def unused_values(self) -> Iterator[str]:
        """Values that are of no use in any grid they apply to."""
        for axis in ("size", *OF_MATRIX):
            for key, sharing in self.sharing(axis).items():
                listings = [self.benchmarks.listing(b) for b in self.benchmarks_of(sharing)]
                if (message := useless(axis, listings)) is not None:
                    yield self.source.line(key, message)
        for key, sharing in self.sharing("inner").items():
            benchmarks = self.benchmarks_of(sharing)
            known = self.benchmarks
            if sharing[0].axes.inner != ["default"] and not known.having("inner", benchmarks):
                names = " and ".join(known.having("inner", known.names))
                message = f"only {names} has inner blocks; the grid's benchmark leaves it out"
                yield self.source.line(key, message)
        for key, sharing in self.sharing("kernels").items():
            yield from self.unknown_kernels(key, sharing)
        for key, sharing in self.sharing("parameters").items():
            yield from self.wrong_parameters(key, sharing)
        for key, sharing in self.sharing("variant").items():
            benchmarks = self.benchmarks_of(sharing)
            variants = list(dict.fromkeys(v for b in benchmarks for v in self.variants_of(b)))
            for name in sharing[0].axes.variant or []:
                if name != "all" and name not in variants:
                    message = f"{shown(name)} is not a variant of {', '.join(benchmarks)}"
                    yield self.source.line(key, message + suggestion(name, variants))

    def unknown_kernels(self, key: Key, sharing: list[Part]) -> Iterator[str]:
        """Kernel sets that none of the benchmarks has."""
        benchmarks = self.benchmarks_of(sharing)
        known = {s.kernels for b in benchmarks for s in self.benchmarks.listing(b).kernel_sets}
        for name in sharing[0].axes.kernels or []:
            if name not in ("all", *known):
                message = f"{name} is no kernel set of {', '.join(benchmarks)}"
                yield self.source.line(key, message)

    def wrong_parameters(self, key: Key, sharing: list[Part]) -> Iterator[str]:
        """Parameters that none of the benchmarks has, and values that one of them does not take."""
        benchmarks = self.benchmarks_of(sharing)
        for name, values in (sharing[0].axes.parameters or {}).items():
            found = having(name, map(self.benchmarks.listing, benchmarks))
            for value, (listing, parameter) in product(values, found):
                if not parameter.takes(value):
                    takes = f"{listing.benchmark} takes {parameter.in_words()}"
                    message = f"{name} = {shown(value)}: {takes}"
                    yield self.source.line(key, message)
            if not found:
                yield from self.unknown_parameter(key, name, benchmarks)

    def unknown_parameter(self, key: Key, name: str, benchmarks: list[str]) -> list[str]:
        """A line about it; an option's is one for benchmarks of any grid."""
        overridden = ("grid", "parameters", name) in self.source.overrides
        if overridden:
            benchmarks = self.benchmarks_of(self.parts)
            if having(name, map(self.benchmarks.listing, benchmarks)):
                return []
        message = unknown(name, [self.benchmarks.listing(b) for b in benchmarks])
        if overridden:
            return [self.source.line(key, message)]
        return unless_overridden(self.source, key, message)

    def benchmarks_of(self, grids: list[Part]) -> list[str]:
        return list(dict.fromkeys(b for part in grids for b in part.benchmarks(self.benchmarks)))

    def sharing(self, axis: str) -> dict[Key, list[Part]]:
        """By the place where values of an axis were written, the grids that they apply to."""
        found: dict[Key, list[Part]] = defaultdict(list)
        for part in self.parts:
            if getattr(part.axes, axis):
                found[part.place(axis)].append(part)
        return found
