# SPDX-License-Identifier: BSD-3-Clause
"""Shows the progress of a campaign, between runs only: drawing costs processor time."""

import time

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from pollux.core.campaign.engine import State
from pollux.core.campaign.lines import BlockEnd, Configuration, Outcome
from pollux.core.campaign.sampling import Taken
from pollux.core.console import say
from pollux.core.spans import in_words
from pollux.core.text import in_percent, one_line

REFRESH_SECONDS = 0.25
PLAIN_SECONDS = 10.0


def how_far(state: State) -> str:
    """What is done and, where a campaign runs until all is decided, what is open."""
    if not state.comparisons:
        return f"{state.done} of {state.total} runs"
    open_ = state.comparisons - state.decided
    return f"{state.decided} of {state.comparisons} decided, {open_} open"


def time_left(state: State) -> str:
    """That of the plan, or until all is decided: a number or a range, or what the budget leaves."""
    if not state.comparisons:
        return f"about {to_go(state.seconds_left)} to go"
    if state.budget_left <= 0:
        return "and the time is over"
    outlook = state.outlook
    if outlook is None or outlook.high >= state.budget_left:
        return f"at most {to_go(state.budget_left)} to go"
    return f"{outlook.words()} to go"


def shortage(state: State) -> str | None:
    """A line where the time hardly suffices for all, as far as can be foreseen."""
    outlook = state.outlook
    if state.wander is None or outlook is None or outlook.middle <= state.budget_left:
        return None
    return f"{needs(state)}; {state.decided} decided so far"


def needs(state: State) -> str:
    """What all comparisons still need beside the speed's deviation, where either is known."""
    left = "how long all of them take cannot be foreseen"
    if state.outlook is not None:
        known = {1: "the comparison", 2: "both comparisons"}
        what = known.get(state.comparisons, f"all {state.comparisons} comparisons")
        left = f"deciding {what} takes {state.outlook.words()} more"
    if state.wander is None:
        return left
    return f"this machine's speed wanders by {in_percent(state.wander, 1)}: {left}"


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
        self.failed += not taken.is_cut
        outcome = "" if taken.is_cut else f"{taken.outcome}: "
        self.say(f"{describe(configuration)}: {outcome}{taken.problem}")

    def block_ended(self, end: BlockEnd, state: State) -> None:
        pass

    def say(self, text: str) -> None:
        say(self.console, text)

    def close(self) -> None:
        pass


class Telling(Quiet):
    """Says once if the time hardly suffices."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.is_short = False

    def block_ended(self, end: BlockEnd, state: State) -> None:
        if not self.is_short and (line := shortage(state)) is not None:
            self.is_short = True
            self.say(line)


class Plain(Telling):
    """A line every few seconds: for logs, and for terminals that cannot redraw."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.latest = time.monotonic()

    def block_ended(self, end: BlockEnd, state: State) -> None:
        super().block_ended(end, state)
        if time.monotonic() - self.latest < PLAIN_SECONDS:
            return
        self.latest = time.monotonic()
        failed = f", {self.failed} failed" if self.failed else ""
        self.say(f"{how_far(state)}{failed}, {time_left(state)}")


class Terminal(Telling):
    """A line that is rewritten: how far it has got, the time left, and what runs now."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.refreshed = 0.0

    def running(self, configuration: Configuration, state: State) -> None:
        if time.monotonic() - self.refreshed < REFRESH_SECONDS:
            return
        self.live.start()
        self.live.update(self.draw(configuration, state), refresh=True)
        self.refreshed = time.monotonic()

    def close(self) -> None:
        self.live.stop()

    def draw(self, configuration: Configuration, state: State) -> RenderableType:
        failed = f", {self.failed} failed" if self.failed else ""
        words = f"{how_far(state)}{failed}, {time_left(state)}; now {configuration.label()}"
        bar = ProgressBar(total=max(1, state.total), completed=state.done, width=20)
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(bar, one_line(words))
        return line
