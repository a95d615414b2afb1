# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of figures of energy by name: how each is planned, and what it needs."""

from pollux.energy.figures.correlogram import plan_correlation
from pollux.energy.figures.energy import plan_energy, plan_joules
from pollux.energy.figures.power import plan_power
from pollux.energy.figures.tradeoff import plan_pareto

FIGURES = {
    "energy": (plan_energy, "runs with their energy"),
    "pareto": (plan_pareto, "two configurations with the energy of their runs"),
    "joules": (plan_joules, "a configuration and its reference with energy from the same source"),
    "correlation": (
        plan_correlation,
        "three configurations with energy that differ in levers alone",
    ),
    "power": (
        plan_power,
        "a timeline beside the records (pollux run --power 10ms), or --meter, and a benchmark with "
        "a timed region",
    ),
}
