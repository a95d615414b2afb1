# SPDX-License-Identifier: BSD-3-Clause
"""Pollux as users install it: a wheel in an environment of its own, programs in a prefix."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from project import ROOT

HERE = Path(sysconfig.get_path("purelib"))  # packages of the environment of the tests
# What extras bring, with what belongs to it.
OPTIONAL = ("matplotlib", "mpl_toolkits", "numba", "llvmlite", "jinja2", "plotly")


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel, and a folder to stand in."""

    environment: Path
    work: Path
    builds: str = ""  # POLLUX_BUILDS

    def pollux(
        self, *arguments: object, program: str = "pollux"
    ) -> "subprocess.CompletedProcess[str]":
        """The command, in the folder, with none of the user's settings."""
        return subprocess.run(
            [self.environment / "bin" / program, *map(str, arguments)],
            cwd=self.work,
            env=self.variables(),
            capture_output=True,
            text=True,
            check=False,
        )

    def variables(self) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.work.parent / "home"),
            "POLLUX_BUILDS": self.builds,
            "OMP_WAIT_POLICY": "passive",
            "NUMBA_DISABLE_JIT": "1",  # compiling takes longer than all that is computed
        }

    def python(self, code: str) -> "subprocess.CompletedProcess[str]":
        """The environment's own interpreter."""
        return self.pollux("-c", code, program="python")

    def files(self) -> dict[Path, int]:
        """What the package consists of, with the time at which each file was written."""
        (package,) = self.environment.glob("lib/python*/site-packages/pollux")
        return written(package)


def written(folder: Path) -> dict[Path, int]:
    """The files but for the bytecode that Python keeps: each module is compiled once."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.stat().st_mtime_ns for path in files if path.suffix != ".pyc"}


def build_wheel(folder: Path) -> Path:
    """The wheel, built without network."""
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install_wheel(wheel: Path, environment: Path, packages: Iterable[Path]) -> None:
    """A new environment with the wheel, which sees these folders and files of other packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    pip("--python", python, "install", "--no-deps", "--no-index", "--no-compile", wheel)
    others = environment / "others"
    others.mkdir()
    for path in packages:
        (others / path.name).symlink_to(path)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(f"{others}\n")


def packages_here(*, optional: bool) -> list[Path]:
    """What is installed here but Pollux, with or without what extras bring."""
    left_out = ("pollux", "_editable", "__pycache__", *(() if optional else OPTIONAL))
    return [path for path in HERE.iterdir() if not path.name.lower().startswith(left_out)]


def install_programs(preset: str, prefix: Path) -> None:
    cmake = Path(sys.executable).with_name("cmake")
    command = [cmake, "--install", ROOT / "build" / preset, "--prefix", prefix]
    subprocess.run([*map(str, command)], check=True, capture_output=True)


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    subprocess.run([*command, *map(str, arguments)], check=True, env=environment)
