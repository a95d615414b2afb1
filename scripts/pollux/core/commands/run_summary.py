# SPDX-License-Identifier: BSD-3-Clause
"""The lines with which `pollux run` says how a campaign went."""

from pollux.core.campaign.calibration import reasons_in_words
from pollux.core.campaign.engine import Engine
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import Outcome, Stopped
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.progress import describe, needs
from pollux.core.campaign.samples import Sample
from pollux.core.spans import in_words
from pollux.core.text import counted, some


def planned_samples(journal: Journal, plan: Plan) -> list[Sample]:
    """The samples of what is planned now; a file may hold others, of an earlier plan."""
    return [d for c in plan.configurations for d in journal.known.samples.get(c.hash(), [])]


def summary(journal: Journal, plan: Plan, engine: Engine, seconds: float) -> list[str]:
    """How the campaign went, and where its records are."""
    known = journal.known
    samples = planned_samples(journal, plan)
    failed = sum(d.outcome is not Outcome.OK for d in samples)
    disturbed = sum(end.disturbed for end in known.ends.values())
    other = known.count() - len(samples)
    why = reasons_in_words(known.ends.values())
    return [
        f"{len(samples)} runs, {failed} failed, in {in_words(seconds)}; "
        f"{disturbed} of {len(known.blocks)} blocks disturbed" + (f" ({why})" if why else ""),
        *([f"{other} runs of earlier plans are in the file too"] if other else []),
        *decided_lines(engine),
        *unmeasured_lines(journal, plan, engine),
        f"records: {journal.path}",
    ]


def unmeasured_lines(journal: Journal, plan: Plan, engine: Engine) -> list[str]:
    """How many configurations the budget left without any sample."""
    lacking = [c for c in plan.configurations if not journal.known.samples.get(c.hash())]
    if engine.stopped is not Stopped.BUDGET or not lacking:
        return []
    of_all = f"{len(lacking)} of {counted(len(plan.configurations), 'configuration')}"
    names = some(map(describe, lacking))
    return [f"no sample yet of {names} ({of_all})"]


def decided_lines(engine: Engine) -> list[str]:
    """What is decided, where a campaign ran for that, and why it stopped."""
    state = engine.state
    if not state.comparisons:
        return []
    text = f"{state.decided} of {state.comparisons} comparisons decided"
    if engine.stopped is Stopped.COMPLETE:
        return [f"{text}; all processes are taken"]
    if engine.stopped is not Stopped.BUDGET:
        return [text]
    is_left = state.budget_left > 0
    why = "the time left is too short for another round" if is_left else "the time is over"
    return [f"{text}, and {why}; {needs(state)}"]
