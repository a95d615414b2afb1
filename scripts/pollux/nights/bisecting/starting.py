# SPDX-License-Identifier: BSD-3-Clause
"""Whether programs start under the library of a commit."""

from pathlib import Path

from pollux.core.campaign.runtimes import runtime_variables
from pollux.core.campaign.sections import Runtime
from pollux.core.errors import BadUsageError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import executable_path
from pollux.core.executables.listing import query
from pollux.core.runtimes.found import DROP_INS
from pollux.core.text import cut, cut_middle, one_line
from pollux.nights.bisecting.building import Library, NotBuiltError
from pollux.nights.bisecting.state import Plan


def check_starts(library: Library, plan: Plan, folder: Path, build_root: Path) -> None:
    """Raises NotBuiltError where a benchmark does not start under a library.

    So does one that the dynamic linker leaves out: it only says so.
    """
    executable = executable_path(build_root, plan.preset, plan.benchmark[0])
    command = [str(executable), *arguments(version=True)]
    ended = query(command, variables_of(plan, library, folder))
    if ended.status != 0 or (plan.preload and "LD_PRELOAD" in ended.stderr):
        why = ended.last_line if ended.status == 0 else ended.how_and_why
        raise NotBuiltError(f"programs do not start with it: {cut_middle(one_line(why), 160)}")


def variables_of(plan: Plan, library: Library, folder: Path) -> dict[str, str]:
    """The environment that runs the build under a library."""
    if plan.preload:
        return {"LD_PRELOAD": str(library.path)}
    runtime = Runtime(preset=plan.preset, library=str(library.path))
    try:
        return runtime_variables(runtime, folder, folder / DROP_INS)
    except ValueError as error:
        raise BadUsageError(f"--library {cut(plan.library)}: {error}") from error
