# SPDX-License-Identifier: BSD-3-Clause
"""What this part gives."""

from pollux.core.parts import Part
from pollux.insight.commands.explain import explain
from pollux.insight.commands.gantt import gantt
from pollux.insight.commands.graph import graph
from pollux.insight.commands.simulate import simulate

part = Part(
    title="Why one run is slower",
    commands=(explain, gantt, graph, simulate),
    needs=("output",),  # whose figures it draws with
    services={
        "explained_difference": "pollux.insight.explaining.between:explained_difference",
        "predicted_ratios": "pollux.insight.simulation.beside:predicted_ratios",
    },
)
