# SPDX-License-Identifier: BSD-3-Clause
"""Pollux' factorizations as an experiment of Benchpark, over those for Ramble and Spack."""

from benchpark.directives import variant
from benchpark.experiment import Experiment

FACTORIZATIONS = ("cholesky", "lu", "qr")  # folders of the source


class Pollux(Experiment):
    """One process on one node; the threads are those of its node, or fewer."""

    variant(
        "workload",
        default="cholesky",
        values=FACTORIZATIONS,
        description="The factorization",
    )
    variant("version", default="0.1.0", values=("0.1.0",), description="Version of Pollux")
    variant(
        "runtime",
        default="libgomp",
        values=("libgomp", "libomp"),
        description="The OpenMP runtime that the programs are for",
    )

    def compute_applications_section(self):
        self.add_experiment_variable("n_nodes", "1", True)
        self.add_experiment_variable("n_ranks", "1", True)
        self.add_experiment_variable("n_threads", "{sys_cores_per_node}", True)
        self.add_experiment_variable("size", ["2048", "4096"], True)
        self.add_experiment_variable("tile", "128", True)

    def compute_package_section(self):
        version = self.spec.variants["version"][0]
        runtime = self.spec.variants["runtime"][0]
        self.add_package_spec(self.name, [f"pollux@{version} runtime={runtime}"])
