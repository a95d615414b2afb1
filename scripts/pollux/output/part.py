# SPDX-License-Identifier: BSD-3-Clause
"""What this part gives."""

from pollux.core.parts import Part
from pollux.output.commands.plot import plot
from pollux.output.commands.report import report

part = Part(
    title="Figures and reports",
    commands=(
        plot,
        report,
    ),
    services={"write_report": "pollux.output.commands.report:report"},
)
