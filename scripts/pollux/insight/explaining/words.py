# SPDX-License-Identifier: BSD-3-Clause
"""Explains in sentences where the time went, and why one side takes longer than the other."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from pollux.core.analysis.fixed_plan import margin
from pollux.core.text import counted, digits, in_percent
from pollux.insight.explaining.explanation import Difference, Explanation, SideResult
from pollux.insight.explaining.groups import BY_KEY, GROUPS, LOSSES, OVERHEAD, Term
from pollux.insight.explaining.spread import FEWEST, Spread
from pollux.insight.traces.model import Trace

MS = 1e6  # ns
FEW = 0.005  # of the thread-time: less is not mentioned
FASTER = 0.02  # of the thread-time: data still in a cache may explain less than this
AGAINST = 0.25  # of the main cause: a term that compensates for this much is named too
SHARE_OF_TRACING = 0.01  # more distorts the numbers


def sentences(found: Explanation) -> list[str]:
    """The answer first, then its qualifications."""
    lines = [verdict(found)] if found.difference else []
    for side in found.sides:
        lines += [loss(side), limit(side)]
    return [line for line in lines if line]


def verdict(found: Explanation) -> str:
    """Why the slower side is slower."""
    difference, (first, second) = found.difference, found.sides
    assert difference is not None
    where = f"{found.subject}: " if found.subject else ""
    if difference.is_excluded:
        return where + too_small(first, second, difference)
    if difference.is_noise:
        return where + within_noise(first, second, difference.ratio) + beyond_noise(found)
    if difference.ratio.median >= 1:
        return where + slower(second, first, difference, difference.ratio, 1)
    inverse = difference.ratio.mapped(lambda ratio: 1 / ratio)
    return where + slower(first, second, difference, inverse, -1)


def within_noise(first: SideResult, second: SideResult, ratio: Spread) -> str:
    words = f"{second.name} takes {ratio.median:.3f} times as long as {first.name}"
    if ratio.rounds < 2:
        return f"{words} in one round, which cannot distinguish a difference from noise."
    return (
        f"{words}, {ratio.low:.3f} to {ratio.high:.3f} over {ratio.rounds} rounds: "
        "the difference is within the noise."
    )


def too_small(first: SideResult, second: SideResult, difference: Difference) -> str:
    ratio = difference.ratio
    return (
        f"{second.name} takes {ratio.median:.3f} times as long as {first.name}, {ratio.low:.3f} to "
        f"{ratio.high:.3f} over {ratio.rounds} rounds: there is no difference as large as "
        f"{margin(difference.relevant)}."
    )


def beyond_noise(found: Explanation) -> str:
    """The terms that differ in every round, although the times do not."""
    difference = found.difference
    assert difference is not None
    has_tasks = any(side.has_tasks for side in found.sides)
    own = [(term, difference.terms[term.key]) for term in GROUPS]
    beyond = [
        f"{phrase(term, has_tasks=has_tasks)} {signed(values.median)} ms "
        f"({signed(values.low)} to {signed(values.high)})"
        for term, values in own
        if values.is_conclusive
        and not values.contains(0.0)
        and abs(values.median) > FEW * abs(difference.thread_time)
    ]
    return (
        f" Beyond the noise are differences in {difference.unit}: {', '.join(beyond)}."
        if beyond
        else ""
    )


def slower(
    slow: SideResult, fast: SideResult, difference: Difference, ratio: Spread, sign: int
) -> str:
    """`sign` is that of the slower side in the differences."""
    more = {key: sign * values.median for key, values in difference.terms.items()}
    main = max(GROUPS, key=lambda term: more[term.key])
    own = difference.terms[main.key]
    low, high = sorted((sign * own.low, sign * own.high))
    unsure = ", a term that is within the noise by itself" if low <= 0 else ""
    least = min(GROUPS, key=lambda term: more[term.key])
    less = ""
    if more[least.key] < -AGAINST * more[main.key]:
        less = f" Against that, it has less {least.phrase}: {signed(more[least.key])} ms."
    enough = "" if difference.is_sequential else f"; {FEWEST} are enough"
    few = (
        ""
        if ratio.is_conclusive
        else f" {ratio.rounds} rounds are too few to rule out chance{enough}."
    )
    parts = {key: more[key] for key in main.parts}
    cause = phrase(main, parts, has_tasks=slow.has_tasks)
    return (
        f"{slow.name} takes {ratio.median:.3f} times as long as {fast.name} "
        f"({ratio.low:.3f} to {ratio.high:.3f} over {ratio.rounds} rounds), mainly because of "
        f"{cause}: {signed(more[main.key])} ms ({signed(low)} to {signed(high)}) of "
        f"{signed(sign * difference.total.median)} ms of {difference.unit}{unsure}.{less}{few}"
    )


def loss(side: SideResult) -> str:
    """How much of one side is work, and what the largest loss is."""
    terms = side.split.terms
    total = terms.total
    threads = side.measured.runs[0].team_in_words()
    team = "" if threads in side.name.split(", ") else f" on {threads}"
    time = (
        f"{side.name} takes {time_text(side.split.region)}{team}; "
        f"{share(terms.work, total)} of the thread-time is work"
    )
    losses = LOSSES if side.is_alone_known else LOSSES[1:]
    main = max(losses, key=lambda term: term.get(terms))
    most = main.get(terms)
    if most < FEW * total:
        return f"{time}, and no loss is above {share(FEW, 1)}."
    parts = {key: float(BY_KEY[key].get(terms)) for key in main.parts}
    return (
        f"{time}. The largest loss is {phrase(main, parts, has_tasks=side.has_tasks)}: "
        f"{time_text(most)} of thread-time, {share(most, total)}."
    )


def phrase(
    main: Term, parts: Mapping[str, float] = MappingProxyType({}), *, has_tasks: bool = True
) -> str:
    """A term within a sentence, with the overhead's largest part: each has its own remedy."""
    if not has_tasks and main is OVERHEAD:
        return "time between its kernels"
    if not parts:
        return main.phrase
    part = max(parts, key=lambda key: parts[key])
    is_most = 2 * parts[part] > sum(parts.values())
    return f"{main.phrase}, {'most' if is_most else 'the largest part'} of it {BY_KEY[part].phrase}"


def limit(side: SideResult) -> str:
    """The time of an ideal list scheduler, and how much idle time it could not avoid."""
    bounds, terms = side.bounds, side.split.terms
    alone = f"{time_text(bounds.ideal)} with kernels as fast as alone, " * side.is_alone_known
    text = (
        f"An ideal list scheduler would need {alone}{time_text(bounds.ideal_in_run)} with kernels "
        f"as fast as in this run, instead of {time_text(side.split.region)}."
    )
    if terms.lack < FEW * terms.total:
        return text
    same = min(float(terms.lack), bounds.unavoidable)
    rest = terms.lack - same
    if rest < FEW * terms.total:
        return (
            f"{text} Its threads would be idle for lack of ready tasks just as long: the "
            "graph offers no more parallelism."
        )
    return (
        f"{text} Of the {time_text(terms.lack)} of idle time for lack of ready tasks, it would "
        f"have {time_text(same)} too; the other {time_text(rest)} are due to the order in which "
        "this run took its tasks, and to its delays."
    )


def ranges_in_words(found: Explanation) -> str:
    """What the ranges of the sides that have one are."""
    is_sequential = found.difference is not None and found.difference.is_sequential
    each = {
        side.name: range_in_words(len(side.rounds), is_sequential=is_sequential)
        for side in found.sides
        if len(side.rounds) > 1
    }
    if len(set(each.values())) == 1:
        return next(iter(each.values()))
    return ", ".join(f"{words} ({name})" for name, words in each.items())


def range_in_words(rounds: int, *, is_sequential: bool) -> str:
    """What the range over some rounds is."""
    if rounds < FEWEST:
        return "smallest and largest of all rounds"
    words = "95 % interval of the median over rounds"
    if not is_sequential:
        return words
    return f"{words}, which only describes them: their number was not chosen before"


def time_text(ns: float) -> str:
    return f"{digits(ns / MS, 4)} ms"


def share(part: float, whole: float) -> str:
    return in_percent(part / whole, 1) if whole else "nothing"


def signed(ns: float) -> str:
    return f"{'+' if ns >= 0 else ''}{digits(ns / MS + 0.0, 3)}"  # of -0.0, +0.00


def warnings(found: Explanation) -> list[str]:
    """What limits the trust in the numbers."""
    sides: dict[str, list[str]] = {}
    for side in found.sides:
        for text in warnings_of(side):
            sides.setdefault(text, []).append(side.name)
    lines = [f"{' and '.join(dict.fromkeys(names))}: {text}" for text, names in sides.items()]
    measured = {side.split.is_creation_measured for side in found.sides}
    if len(measured) > 1:
        lines.append(
            "creation times are measured on one side and estimated on the other: their overhead "
            "and idle terms are not comparable; take both with --ompt, or both without"
        )
    return lines


def range_warnings(side: SideResult) -> list[str]:
    """Where the typical times of calls alone say something else than those of single rounds."""
    terms = side.split.terms
    outside = []
    for key in ("work", "slowdown"):
        time, own = BY_KEY[key].get(terms), side.terms[key]
        beyond = max(own.low - time, time - own.high)
        if len(side.rounds) > 1 and beyond > FEW * terms.total:
            outside.append(f"{BY_KEY[key].name} of {time_text(time)}")
    if not outside or not side.measured.alone:
        return []
    are = "is outside its range" if len(outside) == 1 else "are outside their ranges"
    return [
        f"{' and '.join(outside)} {are}: calls on one thread took longer in some "
        "rounds than their medians, as when other programs interrupt them; trust the ranges, "
        "whose rounds have times of their own, and see pollux doctor"
    ]


def clock_warnings(side: SideResult) -> list[str]:
    """Where the clocks of ranks disagree by more than is known of them."""
    ranks = side.run_shown.ranks
    if ranks is None or side.split.backwards <= 2 * int(ranks.error.max(initial=0)):
        return []
    return [
        f"a message came {time_text(side.split.backwards)} before it was sent, by the "
        "clocks of its ranks: they did not drift evenly, and times between ranks cannot be trusted"
    ]


def threads_on(run: Trace, allowed: int) -> int:
    """The threads that ran on the processors of rank 0, or of the one process.

    Ranks on its host ran there too, unless they were seen on more processors than it was allowed.
    """
    ranks = run.ranks
    if ranks is None:
        return run.threads
    is_near = np.array(ranks.hosts) == ranks.hosts[0]
    cores = run.core[is_near[ranks.of_thread(run.thread)]]
    is_shared = len(np.unique(cores[cores >= 0])) <= allowed
    return int(ranks.first[1]) * (int(is_near.sum()) if is_shared else 1)


def warnings_of(side: SideResult) -> list[str]:
    """Those of one side, without its name."""
    split, lines = side.split, []
    if side.measured.is_alone_left_out:
        lines.append(
            "its traces with one thread are left out, since there are none of the other side"
        )
    elif not side.is_alone_known:
        lines.append(
            "no trace with one thread is given, so all time in kernels counts as work, and their "
            "slow-down is not known; --alone gives one"
        )
    if split.too_early:
        lines.append(
            f"{counted(split.too_early, 'call')} began before a predecessor had ended "
            f"(by up to {split.earliest} ns): the graph is not this run's, or the runtime violated "
            "it"
        )
    if split.terms.slowdown < -FASTER * split.terms.total:
        lines.append(
            f"kernels took {time_text(-split.terms.slowdown)} less than alone: the "
            "machine was slower while they ran alone, so that work and slow-down cannot be trusted"
        )
    lines += range_warnings(side) + clock_warnings(side)
    run = side.run_shown
    if levels := run.record.get("levels"):
        lines.append(
            f"kernels run on {counted(levels['requested'][-1], 'thread')} each; only "
            "those that called them are counted, and what the regions inside cost is part of work"
        )
    allowed = run.record.get("host", {}).get("allowed")
    if allowed is not None and allowed < (threads := threads_on(run, allowed)):
        lines.append(
            f"{threads} threads shared {counted(allowed, 'processor')}; "
            "a thread without a processor runs its kernel slower, or is idle"
        )
    if split.tracing > SHARE_OF_TRACING * split.terms.total:
        lines.append(
            f"tracing took {share(split.tracing, split.terms.total)} of the "
            "thread-time; larger tiles reduce this"
        )
    return lines
