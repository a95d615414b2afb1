# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that compare the levels of another axis than runtimes."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from imagined_campaign import RUNTIMES, Imagined
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.campaign.axes import AXES, IN_TURNS
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.sampling import Order, Taken
from pydantic import ValidationError

OTHER = "late"
TRUTH = {512: (0.3, 0.01), 1024: (0.0, 0.01)}


class OfVariants(Imagined):
    """Two variants on one runtime, in place of a variant on two runtimes."""

    def plan(self, **keys: object) -> Plan:
        plan = super().plan(by="variant", **keys)
        return replace(plan, configurations=[variant_of(c) for c in plan.configurations])

    def taken(self, order: Order) -> Taken:
        c = order.configuration
        runtime = RUNTIMES[c.variant == OTHER]
        of_runtime = c.model_copy(update={"runtime": runtime, "variant": "depend"})
        made = super().taken(replace(order, configuration=of_runtime))
        one = super().taken(replace(order, configuration=variant_of(of_runtime)))
        own = {"variant": c.variant, "runtime": one.records[0]["runtime"]}
        return replace(made, records=[line | own for line in made.records])


def variant_of(c: Configuration) -> Configuration:
    variant = "depend" if c.runtime == RUNTIMES[0] else OTHER
    return c.model_copy(update={"runtime": RUNTIMES[0], "variant": variant})


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OfVariants:
    return OfVariants(tmp_path, monkeypatch, TRUTH)


def test_the_variants_of_a_cell_take_turns_and_are_decided(trial: OfVariants) -> None:
    trial.run()
    of_rota = defaultdict(set)
    for line in trial.lines():
        of_rota[line.rota].add(line.records[0]["variant"])
    assert None not in of_rota
    assert all(own == {"depend", OTHER} for own in of_rota.values())
    result = compare(load([trial.path]))
    assert (result.by, result.reference, result.is_sequential) == ("variant", "depend", True)
    found = {r.configuration.size: r.comparison.verdict for r in result.rows if r.level == OTHER}
    assert found == {512: Verdict.BETTER, 1024: Verdict.NO_DIFFERENCE}


def test_verdicts_on_another_axis_than_the_campaign_s_are_not_sequential(
    trial: OfVariants,
) -> None:
    trial.run()
    assert not compare(load([trial.path]), by="runtime").is_sequential


def test_a_reference_is_a_level_of_the_axis(trial: OfVariants) -> None:
    assert trial.plan(reference=OTHER).reference == OTHER
    assert trial.plan().reference == "depend"
    trial.run(reference=OTHER)
    assert compare(load([trial.path])).reference == OTHER


def test_parts_of_a_campaign_have_one_reference(trial: OfVariants) -> None:
    parts = [trial.plan(reference=OTHER).dealt(number, 2) for number in (1, 2)]
    assert [part.reference for part in parts] == [OTHER, OTHER]
    threads = replace(
        trial.plan(), campaign=trial.plan().campaign.model_copy(update={"by": "environment"})
    )
    own = [
        c.model_copy(update={"environment": name})
        for c, name in zip(threads.configurations, ("a", "b", "b", "a"), strict=True)
    ]
    whole = replace(threads, configurations=own)
    assert {whole.dealt(number, 4).reference for number in (1, 2, 3, 4)} == {whole.reference}


def campaign(axis: str) -> Campaign:
    contents = {"name": "a", "runtimes": {"a": {"preset": "a"}}, "grid": {"size": 8}}
    return Campaign.model_validate(contents | {"by": axis})


def test_settings_of_the_whole_machine_and_unknown_axes_are_refused() -> None:
    for axis in IN_TURNS:
        assert campaign(axis).by == axis
    for lever in AXES:
        if lever.name not in IN_TURNS:
            with pytest.raises(ValidationError, match=f"pollux compare --by {lever.name}"):
                campaign(lever.name)
    with pytest.raises(ValidationError, match="no such axis; choose one of runtime, variant"):
        campaign("moon")


def test_nothing_is_compared_without_the_reference(trial: OfVariants) -> None:
    assert trial.plan().compares()
    assert not trial.plan(reference="nopiv").compares()
