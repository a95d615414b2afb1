# SPDX-License-Identifier: BSD-3-Clause
"""Says in sentences where the time went, and why one side takes longer than the other."""

from collections.abc import Mapping

from pollux.explaining.explanation import Difference, Explanation, Told
from pollux.explaining.groups import BY_KEY, GROUPS, LOSSES, Term
from pollux.explaining.spread import FEWEST, Spread

NS = 1e9
FEW = 0.005  # of the thread-time: less is not worth a word
FASTER = 0.02  # of the thread-time: caches that are nearer may explain less
AGAINST = 0.25  # of the main cause: what makes up for so much is told too
SHARE_OF_TRACING = 0.01  # more distorts what is told


def sentences(found: Explanation) -> list[str]:
    """The answer first, then what qualifies it."""
    lines = [verdict(found)] if found.difference else []
    for told in found.sides:
        lines += [loss(told), limit(told)]
    return [line for line in lines if line]


def verdict(found: Explanation) -> str:
    """Why the slower side is slower."""
    difference, (first, second) = found.difference, found.sides
    assert difference is not None
    where = f"{found.subject}: " if found.subject else ""
    if difference.is_noise:
        return where + within_noise(first, second, difference.ratio) + beyond_noise(difference)
    if difference.ratio.median >= 1:
        return where + slower(second, first, difference, difference.ratio, 1)
    ratio = difference.ratio
    inverse = Spread(1 / ratio.median, 1 / ratio.high, 1 / ratio.low, ratio.rounds)
    return where + slower(first, second, difference, inverse, -1)


def within_noise(first: Told, second: Told, ratio: Spread) -> str:
    words = f"{second.name} takes {ratio.median:.3f} times as long as {first.name}"
    if ratio.rounds < 2:
        return f"{words} in one round, which does not tell a difference from noise."
    return (
        f"{words}, {ratio.low:.3f} to {ratio.high:.3f} over {ratio.rounds} rounds: "
        "the difference is within the noise."
    )


def beyond_noise(difference: Difference) -> str:
    """The terms that differ in every round, although the times do not."""
    own = [(term, difference.terms[term.key]) for term in GROUPS]
    found = [
        f"{term.phrase} {signed(values.median)} s ({signed(values.low)} to {signed(values.high)})"
        for term, values in own
        if values.tells
        and not values.holds(0.0)
        and abs(values.median) > FEW * abs(difference.thread_time)
    ]
    return (
        f" Beyond the noise is a difference in {', '.join(found)} of thread-time." if found else ""
    )


def slower(slow: Told, fast: Told, difference: Difference, ratio: Spread, sign: int) -> str:
    """`sign` is that of the slower side in the differences."""
    more = {key: sign * values.median for key, values in difference.terms.items()}
    main = max(GROUPS, key=lambda term: more[term.key])
    own = difference.terms[main.key]
    low, high = sorted((sign * own.low, sign * own.high))
    unsure = ", a term that is within the noise by itself" if low <= 0 else ""
    least = min(GROUPS, key=lambda term: more[term.key])
    less = ""
    if more[least.key] < -AGAINST * more[main.key]:
        less = f" Against that, it has less of {least.phrase}: {signed(more[least.key])} s."
    few = "" if ratio.tells else f" {ratio.rounds} rounds may be chance, {FEWEST} hardly are."
    parts = {key: more[key] for key in main.parts}
    return (
        f"{slow.name} takes {ratio.median:.3f} times as long as {fast.name} "
        f"({ratio.low:.3f} to {ratio.high:.3f} over {ratio.rounds} rounds), mainly because of "
        f"{phrase(main, parts)}: {signed(more[main.key])} s ({signed(low)} to {signed(high)}) of "
        f"{signed(sign * difference.total.median)} s of thread-time{unsure}.{less}{few}"
    )


def loss(told: Told) -> str:
    """How much of one side is work, and what the largest loss is."""
    terms = told.split.terms
    total = terms.total
    threads = f"{told.side.threads} thread{'s' * (told.side.threads != 1)}"
    time = (
        f"{told.name} takes {seconds(told.split.region)} on {threads}; "
        f"{share(terms.work, total)} of the thread-time is work"
    )
    losses = LOSSES if told.is_alone_known else LOSSES[1:]
    main = max(losses, key=lambda term: term.get(terms))
    most = main.get(terms)
    if most < FEW * total:
        return f"{time}, and no loss is above {share(FEW, 1)}."
    parts = {key: float(BY_KEY[key].get(terms)) for key in main.parts}
    return (
        f"{time}. The largest loss is {phrase(main, parts)}: {seconds(most)} of thread-time, "
        f"{share(most, total)}."
    )


def phrase(main: Term, parts: Mapping[str, float]) -> str:
    """A term within a sentence; the overhead's largest part is named, as each has its own cure."""
    if not parts:
        return main.phrase
    part = BY_KEY[max(parts, key=lambda key: parts[key])]
    return f"{main.phrase}, most of it {part.phrase}"


def limit(told: Told) -> str:
    """What an ideal list scheduler would need, and how much idle time it could not avoid."""
    bounds, terms = told.bounds, told.split.terms
    alone = f"{seconds(bounds.ideal)} with kernels as fast as alone, " * told.is_alone_known
    text = (
        f"An ideal list scheduler would need {alone}{seconds(bounds.ideal_in_run)} with kernels "
        f"as fast as in this run, instead of {seconds(told.split.region)}."
    )
    if terms.lack < FEW * terms.total:
        return text
    same = min(float(terms.lack), bounds.unavoidable)
    rest = terms.lack - same
    if rest < FEW * terms.total:
        return f"{text} It would lack ready tasks for as long: the graph has no more."
    return (
        f"{text} Of the {seconds(terms.lack)} of idle time for lack of ready tasks, it would have "
        f"{seconds(same)} too; {seconds(rest)} are echoes of this run's order and delays."
    )


def seconds(ns: float) -> str:
    return f"{ns / NS:.4g} s"


def share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else "nothing"


def signed(ns: float) -> str:
    return f"{ns / NS:+.3g}"


def warnings(found: Explanation) -> list[str]:
    """What makes the numbers less than they seem."""
    lines = [line for told in found.sides for line in warnings_of(told)]
    measured = {told.split.is_creation_measured for told in found.sides}
    if len(measured) > 1:
        lines.append(
            "creation times are measured on one side and estimated on the other: their overhead "
            "and idle terms are not comparable; take both with --ompt, or both without"
        )
    return list(dict.fromkeys(lines))


def warnings_of(told: Told) -> list[str]:
    split, lines = told.split, []
    if not told.is_alone_known:
        lines.append(
            f"{told.name}: there is no trace of it with one thread, so that work is what kernels "
            "took in the run, and their slow-down is not known; --alone takes one"
        )
    if split.too_early:
        lines.append(
            f"{told.name}: {split.too_early} calls began before one they depend on had ended (by "
            f"up to {split.earliest} ns): the graph is not this run's, or its runtime broke it"
        )
    if split.terms.slowdown < -FASTER * split.terms.total:
        lines.append(
            f"{told.name}: kernels took {seconds(-split.terms.slowdown)} less than alone, which is "
            "no property of the program: the machine was slower while they ran alone"
        )
    allowed = told.side.runs[told.shown].record.get("host", {}).get("allowed")
    if allowed is not None and allowed < split.threads:
        lines.append(
            f"{told.name}: {split.threads} threads shared {allowed} processors; a thread that has "
            "none makes its kernel slower, or is idle"
        )
    if split.tracing > SHARE_OF_TRACING * split.terms.total:
        lines.append(
            f"{told.name}: tracing took {share(split.tracing, split.terms.total)} of the "
            "thread-time; larger tiles make it less"
        )
    return lines
