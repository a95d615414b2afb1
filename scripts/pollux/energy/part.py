# SPDX-License-Identifier: BSD-3-Clause
"""What this part gives."""

from pollux.core.parts import Part
from pollux.energy.commands.energy import energy
from pollux.energy.commands.levers import levers
from pollux.energy.commands.power import power

part = Part(
    title="Energy",
    commands=(energy, power, levers),
    services={
        "switching": "pollux.energy.levers.switching:switching",
        "check_levers": "pollux.energy.levers.switching:check_levers",
        "measure_for": "pollux.energy.commands.measures:measure_for",
        "energy_inputs": "pollux.energy.commands.measures:inputs",
        "energy_points": "pollux.energy.commands.measures:energy_points",
        "by_other_sources": "pollux.energy.commands.measures:by_other_sources",
        "read_powers": "pollux.energy.figures.power_below:read_powers",
        "figures": "pollux.energy.figures.kinds:FIGURES",
        "energy_section": "pollux.energy.report:energy",
    },
)
