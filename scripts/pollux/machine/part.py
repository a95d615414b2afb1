# SPDX-License-Identifier: BSD-3-Clause
"""What this part gives."""

from pollux.core.parts import Part
from pollux.machine.commands.conform import conform
from pollux.machine.commands.doctor import doctor
from pollux.machine.commands.runtimes import runtimes
from pollux.machine.commands.tune import tune

part = Part(
    title="This machine, its runtimes and tiles",
    commands=(doctor, runtimes, conform, tune),
    services={
        "watch_machine": "pollux.machine.doctor.checkup:watch_for_campaign",
        "try_untried_rules": "pollux.machine.conformance.session:try_untried",
        "conformance_results": "pollux.machine.conformance.kept:read_usable",
        "conformance_files": "pollux.machine.conformance.stored:sort_files",
        "conformance_section": "pollux.machine.report:conformance",
    },
)
