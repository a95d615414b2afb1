# SPDX-License-Identifier: BSD-3-Clause
"""Puts the executables of a build under the runtime library that a campaign names."""

import os
from pathlib import Path

from pollux.core.campaign.sections import Runtime
from pollux.core.runtimes.library import drop_in_variables, expected_runtime, find_library


def runtime_variables(runtime: Runtime, base: Path, state: Path) -> dict[str, str]:
    """The environment variables that run an executable under a campaign's runtime.

    `base` is the folder of relative paths. ValueError states the error.
    """
    variables = dict(runtime.variables)
    if runtime.library is not None:
        library = find_library(runtime.library, base)
        name = runtime.expect or expected_runtime(library)
        after = variables.get("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH", ""))
        variables |= drop_in_variables(library, name, state, after)
    elif runtime.expect is not None:
        variables["POLLUX_EXPECT_RUNTIME"] = runtime.expect
    return variables
