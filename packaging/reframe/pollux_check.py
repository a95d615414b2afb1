# SPDX-License-Identifier: BSD-3-Clause
"""Pollux as a test of ReFrame: builds it, or takes an installed one, and runs the factorizations.

    reframe -C config.py -c pollux_check.py -r -n pollux_built
    reframe -C config.py -c pollux_check.py -r -n pollux_installed -S installed=/opt/pollux

A site's environment says by a feature "pollux-LABEL" which builds it is for. References for the
figure of merit, GFlop/s, are set where the site knows them: they depend on the machine.
"""

from pathlib import Path
from shlex import quote

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import (
    fixture,
    parameter,
    performance_function,
    run_after,
    run_before,
    sanity_function,
    variable,
)

SOURCE = Path(__file__).resolve().parents[2]
FACTORIZATIONS = ("cholesky", "lu", "qr")  # folders of the source
LABELS = ("libgomp", "libomp")  # and of cmake/toolchains/


class build_pollux(rfm.CompileOnlyRegressionTest):
    """The programs for one runtime."""

    label = parameter(LABELS)
    build_system = "CMake"
    sourcesdir = None  # nothing is copied: the source is only read
    build_time_limit = "30m"

    @run_after("init")
    def choose_environments(self) -> None:
        self.valid_systems = ["*"]
        self.valid_prog_environs = [f"+pollux-{self.label}"]

    @run_before("compile")
    def configure(self) -> None:
        self.build_system.configuredir = quote(str(SOURCE))
        self.build_system.builddir = f"{self.stagedir}/build/{self.label}"
        self.build_system.flags_from_environ = False  # the toolchain file has them
        toolchain = SOURCE / "cmake" / "toolchains" / f"{self.label}.cmake"
        self.build_system.config_opts = [
            f"-DCMAKE_TOOLCHAIN_FILE={quote(str(toolchain))}",
            "-DCMAKE_BUILD_TYPE=Release",
        ]
        self.build_system.max_concurrency = None  # as many jobs as make likes

    @sanity_function
    def is_built(self) -> bool:
        return sn.path_isfile(f"{self.stagedir}/build/{self.label}/bin/benchmarks.json")


class pollux_test(rfm.RunOnlyRegressionTest):
    """One factorization with all its tests; its last line is PASS or FAIL, with the figures."""

    benchmark = parameter(FACTORIZATIONS)
    size = variable(int, value=2048)
    num_threads = variable(int, value=0)  # 0: as the program finds them
    sourcesdir = None
    time_limit = "10m"

    @run_before("run")
    def set_options(self) -> None:
        self.executable_opts = ["--size", str(self.size), "--check", "full"]
        if self.num_threads:
            self.executable_opts += ["--threads", str(self.num_threads)]
        self.env_vars |= {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}

    @sanity_function
    def has_passed(self) -> bool:
        return sn.all(
            [
                sn.assert_found(rf"^PASS {self.benchmark} ", self.stdout),
                sn.assert_not_found(r"^FAIL ", self.stdout),
            ]
        )

    @performance_function("GFlop/s")
    def speed(self) -> float:
        return sn.extractsingle(r"^PASS .* GFlop/s=(\S+)", self.stdout, 1, float)


@rfm.simple_test
class pollux_built(pollux_test):
    """Of a build that ReFrame makes."""

    programs = fixture(build_pollux, scope="environment")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]

    @run_after("setup")
    def set_executable(self) -> None:
        folder = Path(self.programs.stagedir) / "build" / self.programs.label / "bin"
        self.executable = str(folder / self.benchmark)


@rfm.simple_test
class pollux_installed(pollux_test):
    """Of a prefix."""

    installed = variable(str, value="")  # a prefix
    label = variable(str, value="libgomp")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]

    @run_after("init")
    def needs_a_prefix(self) -> None:
        self.skip_if(not self.installed, "no prefix is given: -S installed=DIR")
        program = f"{self.installed}/lib/pollux/{self.label}/bin/{self.benchmark}"
        self.executable = quote(program)
