# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of benchmarks: numbers and words that one has besides the sizes, by name."""

from collections.abc import Iterator, Mapping

Value = int | str
Parameters = tuple[tuple[str, Value], ...]  # names with values, in the benchmark's order
NO_PARAMETERS: Parameters = ()


def frozen(values: Mapping[str, Value]) -> Parameters:
    """Those of a record."""
    return tuple(values.items())


def in_words(parameters: Parameters) -> str:
    """`sweeps=4 form=winograd`."""
    return " ".join(f"{name}={value}" for name, value in parameters)


def as_options(parameters: Mapping[str, Value]) -> Iterator[str]:
    """The arguments that an executable is given."""
    for name, value in parameters.items():
        yield from (f"--{name}", str(value))


def agree(a: Parameters, b: Parameters) -> bool:
    """Whether those that both have are equal."""
    known = dict(a)
    return all(known.get(name, value) == value for name, value in b)
