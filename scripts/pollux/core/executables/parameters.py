# SPDX-License-Identifier: BSD-3-Clause
"""Values of parameters that executables list: those that are wanted, else the standard ones."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from pollux.core.errors import BadUsageError
from pollux.core.listings import Listing, Parameter
from pollux.core.parameters import Parameters, Value

Wanted = Mapping[str, Sequence[Value]]  # one or several values of parameters, by name


def having(name: str, listings: Iterable[Listing]) -> list[tuple[Listing, Parameter]]:
    """The benchmarks that have a parameter of that name, each with it."""
    return [(x, p) for x in listings for p in x.parameters if p.parameter == name]


def unknown(name: str, listings: Sequence[Listing]) -> str:
    """That none of the benchmarks has such a parameter, and which they have."""
    known = dict.fromkeys(p.parameter for listing in listings for p in listing.parameters)
    there = (
        f"choose from {', '.join(known)}"
        if known
        else f"{'it has' if len(listings) == 1 else 'they have'} none"
    )
    return f"{name} is not a parameter of {', '.join(x.benchmark for x in listings)}; {there}"


def check_parameters(wanted: Wanted, listings: Sequence[Listing]) -> None:
    """Refuse names that none of the benchmarks has, and values that one of them does not take."""
    for name, values in wanted.items():
        found = having(name, listings)
        if not found:
            raise BadUsageError(f"--parameters: {unknown(name, listings)}")
        for value, (listing, parameter) in product(values, found):
            if not parameter.takes(value):
                takes = f"{listing.benchmark} takes {parameter.in_words()}"
                raise BadUsageError(f"--parameters {name}={value}: {takes}")


def own_parameters(listing: Listing, variant: str, wanted: Wanted) -> list[Parameters]:
    """Every combination of the wanted values that concern a variant, with all its parameters."""
    each = (
        [(p.parameter, value) for value in wanted.get(p.parameter, [p.standard])]
        for p in listing.parameters_of(variant)
    )
    return list(product(*each))
