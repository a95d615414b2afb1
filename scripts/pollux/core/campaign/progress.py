# SPDX-License-Identifier: BSD-3-Clause
"""Shows the progress of a campaign, between runs only: drawing costs processor time."""

import statistics
import time
from collections import deque

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from pollux.core.campaign.engine import State
from pollux.core.campaign.lines import BlockEnd, Configuration, Outcome
from pollux.core.campaign.sampling import Taken
from pollux.core.console import say
from pollux.core.spans import in_words
from pollux.core.text import one_line

REFRESH_SECONDS = 0.25
RECENT = 8  # configurations whose medians are shown


def how_far(state: State) -> str:
    """What is done and, where a campaign runs until all is decided, what is open."""
    if not state.comparisons:
        return f"{state.done} of {state.total} runs"
    return f"{state.decided} of {state.comparisons} decided; {state.done} runs"


def time_left(state: State) -> str:
    if not state.comparisons:
        return f"about {to_go(state.seconds_left)} to go"
    return f"about {to_go(state.seconds_left)} to go, at most {to_go(state.budget_left)}"


def to_go(seconds: float) -> str:
    """Forecasts are rounded up to a second: less says more than is known."""
    return in_words(max(1.0, seconds))


def describe(configuration: Configuration) -> str:
    return f"{configuration.label()} on {configuration.runtime}"


class Quiet:
    """Reports only what went wrong."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.failed = 0

    def running(self, configuration: Configuration, state: State) -> None:
        pass

    def taken(self, configuration: Configuration, taken: Taken) -> None:
        if taken.outcome is Outcome.OK:
            return
        self.failed += 1
        self.say(f"{describe(configuration)}: {taken.outcome}: {taken.problem}")

    def block_ended(self, end: BlockEnd, state: State) -> None:
        pass

    def say(self, text: str) -> None:
        say(self.console, text)

    def close(self) -> None:
        pass


class Plain(Quiet):
    """A line for each block: for logs, and for terminals that cannot redraw."""

    def block_ended(self, end: BlockEnd, state: State) -> None:
        text = f"block {end.block}: {how_far(state)}, {self.failed} failed, "
        text += time_left(state)
        if end.disturbed:
            text += f"; disturbed: {'; '.join(end.reasons)}"
        self.say(text)


class Terminal(Quiet):
    """A bar, the configuration that runs now, and the medians of those that ran last."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.live.start()
        self.speeds: dict[str, list[float]] = {}
        self.recent: deque[Configuration] = deque(maxlen=RECENT)
        self.refreshed = 0.0

    def running(self, configuration: Configuration, state: State) -> None:
        if time.monotonic() - self.refreshed < REFRESH_SECONDS:
            return
        self.live.update(self.draw(configuration, state), refresh=True)
        self.refreshed = time.monotonic()

    def taken(self, configuration: Configuration, taken: Taken) -> None:
        super().taken(configuration, taken)
        if taken.outcome is Outcome.OK:
            gflops = statistics.median(record["gflops"] for record in taken.records)
            self.speeds.setdefault(configuration.hash(), []).append(gflops)
        if configuration in self.recent:
            self.recent.remove(configuration)
        self.recent.append(configuration)

    def block_ended(self, end: BlockEnd, state: State) -> None:
        if end.disturbed:
            self.say(f"block {end.block} was disturbed: {'; '.join(end.reasons)}")

    def close(self) -> None:
        self.live.stop()

    def draw(self, configuration: Configuration, state: State) -> RenderableType:
        head = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=state.total, completed=state.done, width=30)
        head.add_row(bar, how_far(state), time_left(state), f"{self.failed} failed")
        now = f"block {state.block}, now: {one_line(describe(configuration))}"
        medians = Table.grid(padding=(0, 2))
        for c in sorted(self.recent, key=describe):
            values = self.speeds.get(c.hash(), [])
            speed = f"{statistics.median(values):.1f} GFlop/s" if values else "failed"
            medians.add_row(one_line(describe(c)), speed, f"{len(values)} samples")
        return Group(head, now, medians)
