# SPDX-License-Identifier: BSD-3-Clause
"""The terms by name: the groups that a run's time is split into, and the parts of the overhead."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from pollux.insight.explaining.model import Terms


@dataclass(frozen=True)
class Term:
    """A term, or the sum of several."""

    key: str  # of JSON
    name: str  # in a table
    phrase: str  # within a sentence
    parts: tuple[str, ...] = ()  # keys of the terms it is made of

    @property
    def get(self) -> Callable[[Terms], int]:
        return attrgetter(self.key)


TERMS = (
    Term("work", "work", "work in its kernels"),
    Term("slowdown", "kernel slow-down", "kernel slow-down"),
    Term("creating", "creating tasks", "the creation of tasks"),
    Term("uncreated", "waiting for creation", "waiting for tasks to be created"),
    Term("dispatch", "dispatch", "the time from one task to the next"),
    Term("finishing", "after the last kernel", "the end of the region"),
    Term("lack", "idle for lack of ready tasks", "idle time for lack of ready tasks"),
    Term("ready", "idle although tasks were ready", "idle time although tasks were ready"),
    Term("messages", "waiting for messages", "waiting for messages between ranks"),
)
BY_KEY = {term.key: term for term in TERMS}
OVERHEAD = Term(
    *("overhead", "overhead of the runtime", "overhead of dependences and task creation"),
    parts=("creating", "uncreated", "dispatch", "finishing"),
)
GROUPS = (
    BY_KEY["work"],
    BY_KEY["slowdown"],
    OVERHEAD,
    BY_KEY["lack"],
    BY_KEY["ready"],
    BY_KEY["messages"],
)
LOSSES = GROUPS[1:]
