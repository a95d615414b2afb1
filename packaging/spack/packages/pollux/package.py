# SPDX-License-Identifier: BSD-3-Clause
"""The programs of Pollux as a package of Spack, one build per OpenMP runtime."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

FACTORIZATIONS = ("cholesky", "lu", "qr")  # folders of the source


class Pollux(CMakePackage):
    """Benchmarks for OpenMP task dependences: tiled Cholesky, LU and QR and others as task graphs,
    micro-benchmarks of the runtime, and conformance programs, each result verified."""

    # Of the suite in whose tradition it is. The archive is that of scripts/release, in the current
    # folder; its checksum is in SHA256SUMS: spack install --no-checksum, or give it to version().
    homepage = "https://doi.org/10.1007/978-3-319-11454-5_2"
    url = f"file://{os.getcwd()}/pollux-0.1.0.tar.gz"
    manual_download = True

    tags = ["benchmark"]

    license("BSD-3-Clause")

    version("0.1.0")

    variant(
        "runtime",
        default="libgomp",
        values=("libgomp", "libomp"),
        multi=False,
        description="The OpenMP runtime that the programs are for",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fftw@3.3.9: ~openmp")
    depends_on("hwloc@2:")
    depends_on("jansson")
    depends_on("openblas threads=pthreads")
    depends_on("random123", type="build")

    requires("%gcc", when="runtime=libgomp", msg="libgomp is the runtime of gcc")
    requires("%clang", when="runtime=libomp", msg="libomp is the runtime of clang")
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    generator("ninja")

    def cmake_args(self):
        runtime = self.spec.variants["runtime"].value
        return [
            self.define(
                "CMAKE_TOOLCHAIN_FILE",
                join_path(self.stage.source_path, "cmake", "toolchains", f"{runtime}.cmake"),
            ),
            self.define("POLLUX_LABEL", runtime),
            self.define("OpenBLAS_ROOT", self.spec["openblas"].prefix),
            self.define("FFTW_ROOT", self.spec["fftw"].prefix),
        ]

    def setup_run_environment(self, env):
        env.append_path("POLLUX_BUILDS", self.prefix)

    def test_factorizations(self):
        """Small factorizations with all their checks."""
        for name in FACTORIZATIONS:
            with test_part(self, f"test_{name}", purpose=f"{name} is right"):
                program = which(join_path(self.prefix.bin, name))
                out = program("--size", "256", "--check", "full", output=str.split, error=str.split)
                check_outputs([f"PASS {name} "], out)
