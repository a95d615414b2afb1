# SPDX-License-Identifier: BSD-3-Clause
"""EasyBuild itself reads packaging/easybuild/, finds all that it needs, and tells what it would do.

Nothing is built: the compilers alone would take hours.
"""

import os
import re
import subprocess
from pathlib import Path

from project import ROOT
from tools import environment_of

(EASYCONFIG,) = (ROOT / "packaging/easybuild").glob("*.eb")
LMOD = Path(os.environ.get("LMOD_CMD") or "/usr/share/lmod/lmod/libexec/lmod")
THREADED = "versionsuffix = '-pthreads'\nbuildopts = 'USE_OPENMP=0'\n"  # as the recipe says


def robot() -> Path:
    """EasyBuild's own recipes."""
    return environment_of("easybuild") / "easybuild/easyconfigs"


def easybuild(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What it says of the recipe, with recipes that are in the folder before its own."""
    environment = environment_of("easybuild")
    assert LMOD.is_file(), "there is no Lmod: scripts/setup --tests installs it; or set LMOD_CMD"
    keep = (f"--prefix={folder / 'software'}", f"--tmpdir={folder / 'tmp'}")
    root = ("--allow-use-as-root-and-accept-consequences",) * (os.geteuid() == 0)
    paths = f"--robot-paths={folder}:{robot()}"
    return subprocess.run(
        [environment / "bin/eb", *root, *keep, paths, "--modules-tool=Lmod", *options, EASYCONFIG],
        env={
            "HOME": str(folder),
            "PATH": f"{environment / 'bin'}:/usr/bin:/bin",
            "EB_PYTHON": str(environment / "bin/python"),
            "LMOD_CMD": str(LMOD),
        },
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def add_threaded_openblas(folder: Path) -> None:
    (usual,) = robot().glob("o/OpenBLAS/OpenBLAS-0.3.30-GCC-14.3.0.eb")
    made = folder / f"{usual.stem}-pthreads.eb"
    made.write_text(usual.read_text(encoding="utf-8") + THREADED, encoding="utf-8")


def test_everything_that_the_recipe_needs_is_found(tmp_path: Path) -> None:
    add_threaded_openblas(tmp_path)
    done = easybuild(tmp_path, "--dry-run", "--robot")
    assert done.returncode == 0, done.stdout + done.stderr
    modules = re.findall(r"^ \* \[.\] .*\(module: (\S+?)\)$", done.stdout, re.MULTILINE)
    assert modules[-1] == "Pollux/0.1.0-GCC-14.3.0"
    assert {"GCC/14.3.0", "OpenBLAS/0.3.30-GCC-14.3.0-pthreads"} <= {*modules}


def test_without_a_threaded_openblas_the_recipe_is_refused(tmp_path: Path) -> None:
    done = easybuild(tmp_path, "--dry-run", "--robot")
    assert done.returncode != 0
    assert "Missing dependencies: OpenBLAS/0.3.30-GCC-14.3.0-pthreads (" in done.stderr


def test_the_steps_of_the_installation_are_those_of_the_recipe(tmp_path: Path) -> None:
    add_threaded_openblas(tmp_path)
    done = easybuild(tmp_path, "--extended-dry-run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "using 'CMakeNinja' easyblock" in done.stdout
    loaded = re.findall(r"^module load (\S+?)/\S+ \[SIMULATED\]$", done.stdout, re.MULTILINE)
    assert {"GCC", "CMake", "Ninja", "OpenBLAS", "FFTW", "hwloc", "Jansson"} <= {*loaded}
    for listed in (
        "lib/pollux/libgomp/bin/benchmarks.json",
        "share/pollux/campaigns",
        *(f"{name} --size 256 --repeat 1 --check full" for name in ("cholesky", "lu", "qr")),
    ):
        assert f"  * {listed}\n" in done.stdout
