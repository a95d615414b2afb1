# SPDX-License-Identifier: BSD-3-Clause
"""Things that are alike, together."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing")
Key = TypeVar("Key", bound=Hashable)


def grouped(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """The things by what the key says of each; groups and things in the order in which they come.

    Unlike itertools.groupby, things of one group need not follow each other.
    """
    found: dict[Key, list[Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found
