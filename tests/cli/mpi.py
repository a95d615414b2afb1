# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs over MPI by the launcher of the MPI that they were built with."""

import shutil
import tempfile
import uuid
from functools import cache
from pathlib import Path

import pytest
from executable import BIN, DISTRIBUTED, STAND_INS, Result, run_command
from marks import left_behind

MESSAGES = STAND_INS / "doubles/messages.so"
LATER = STAND_INS / "doubles/later.so"
SECONDS_TO_END = 20
MARK = "POLLUX_TEST_RUN"  # in the environment of all processes of one run
# More ranks than processors, ranks that do not spin while they wait, and root as the user. Nor does
# it look for networks, or give ranks a second to end in when another has failed.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_odls_base_sigkill_timeout": "0",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # this and the next: from 5.0 on
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}

needs_mpi = pytest.mark.skipif(not DISTRIBUTED, reason="no MPI was found when this was built")


def found_by_cmake(name: str) -> str | None:
    """What CMake found for one of its variables."""
    lines = (BIN.parent / "CMakeCache.txt").read_text().splitlines()
    values = [line.partition("=")[2] for line in lines if line.startswith(f"{name}:")]
    return next((value for value in values if not value.endswith("-NOTFOUND")), None)


@cache
def launcher() -> str:
    """The mpirun of the MPI that CMake found."""
    path = found_by_cmake("MPIEXEC_EXECUTABLE")
    if path is None or shutil.which(path) is None:
        pytest.skip("the MPI that this was built with has no mpirun")
    return path


# The mpirun of Open MPI 5.0 now and then passes on a piece of one stream as one of the other.
TO_FILES = 'out=$1 err=$2; shift 2; exec "$@" >>"$out" 2>>"$err"'


def mpirun(ranks: int, program: str, *arguments: object, **variables: object) -> Result:
    """Runs a program to its end; nothing of it is left. Ranks write to files of their own."""
    mark = str(uuid.uuid4())
    own = [f"{name}={value}" for name, value in variables.items()]
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        out.touch()
        err.touch()
        command = [launcher(), "-n", ranks, "sh", "-c", TO_FILES, "sh", out, err]
        command += ["env", *own, BIN / program, *arguments]
        result = run_command(command, {**OPEN_MPI, MARK: mark, "TMPDIR": folder})
        # The launcher may kill them when it has ended.
        assert left_behind(mark, SECONDS_TO_END) == []
        return Result(result.status, out.read_text(), err.read_text() + result.err)


def own_lines(result: Result, program: str) -> list[str]:
    """What the program itself has to say about an error, apart from its launcher."""
    lines = [line for line in result.err.splitlines() if line.startswith(f"{program}: ")]
    return [line for line in lines if ": warning: " not in line]
