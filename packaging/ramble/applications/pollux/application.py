# SPDX-License-Identifier: BSD-3-Clause
"""Pollux' factorizations as an application of Ramble, from Spack's package or installed."""

from ramble.appkit import *

FACTORIZATIONS = ("cholesky", "lu", "qr")  # folders of the source


class Pollux(ExecutableApplication):
    """Benchmarks for OpenMP task dependences: tiled Cholesky, LU and QR as task graphs, each result
    verified. The last line of a run is PASS or FAIL, with the figures."""

    name = "pollux"

    tags("openmp", "tasks", "linear-algebra")

    with when("package_manager_family=spack"):
        software_spec("pollux", pkg_spec="pollux runtime=libgomp")
        required_package("pollux")

    for factorization in FACTORIZATIONS:
        executable(
            factorization,
            factorization + " --size {size} --tile {tile} --threads {threads} --check full",
            use_mpi=False,
        )
        workload(factorization, executables=[factorization])

    workload_variable(
        "size", default="2048", description="Order N of the matrix", workloads=FACTORIZATIONS
    )
    workload_variable(
        "tile",
        default="128",
        description="Tile size NB, or MBxNB, or fastest",
        workloads=FACTORIZATIONS,
    )
    workload_variable(
        "threads", default="{n_threads}", description="OpenMP threads", workloads=FACTORIZATIONS
    )
    environment_variable(
        "OMP_PROC_BIND",
        value="close",
        description="Threads stay where they are",
        workloads=FACTORIZATIONS,
    )
    environment_variable(
        "OMP_PLACES", value="cores", description="One thread a core", workloads=FACTORIZATIONS
    )

    figure_of_merit(
        "Speed",
        log_file="{log_file}",
        fom_regex=r"^PASS .* GFlop/s=(?P<speed>\S+)",
        group_name="speed",
        units="GFlop/s",
    )
    figure_of_merit(
        "Residual",
        log_file="{log_file}",
        fom_regex=r"^PASS .* residual=(?P<residual>\S+)",
        group_name="residual",
        units="",
    )
    success_criteria("passed", mode="string", match=r"^PASS ", file="{log_file}")
