# SPDX-License-Identifier: BSD-3-Clause
"""Runtime libraries of this machine, and small libraries, for tests of what is loaded."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from executable import BIN, ROOT, RUNTIME, Record, Result, described, run

SMALL = ("-n", 64, "-b", 16, "-t", 1, "-r", 1)
SONAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")


def library(name: str) -> Path:
    """The runtime library that this build, or another one, uses."""
    folder = BIN if name == RUNTIME else ROOT / "build" / name / "bin"
    if not (folder / "lu").exists():
        pytest.skip(f"{name} is not built")
    result = run("lu", "--version", folder=folder)
    for line in result.out.splitlines():
        if line.startswith("runtime"):
            return Path(line.split(", ")[-1])
    raise AssertionError(f"--version names no runtime: {result}")


def only_for(*runtimes: str) -> None:
    if RUNTIME not in runtimes:
        pytest.skip(f"for builds with {' or '.join(runtimes)}")


def identify(*paths: Path, settings: dict[str, str] | None = None) -> Result:
    return run("identify", *paths, settings=settings)


def identity(path: Path) -> Record:
    """What `identify` says of one library."""
    result = identify(path)
    assert result.status == 0, result.err
    (record,) = result.records
    return record


def soname(path: Path) -> str:
    name = identity(path)["soname"]
    assert isinstance(name, str)
    return name


def copied(source: Path, folder: Path, name: str = "") -> Path:
    """A copy of a library under its soname, or under another name."""
    folder.mkdir(exist_ok=True)
    return shutil.copyfile(source, folder / (name or soname(source)))


def drop_in(folder: Path, target: Path) -> Path:
    """A folder in which every name that a program may ask for leads to one library."""
    folder.mkdir(exist_ok=True)
    for name in SONAMES:
        (folder / name).symlink_to(target)
    return folder


def compiled(path: Path, source: str, *options: str | Path) -> Path:
    """A small shared library."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler on PATH")
    command: list[str | Path] = [
        compiler,
        "-shared",
        "-fPIC",
        "-o",
        path,
        "-x",
        "c",
        "-",
        "-x",
        "none",
    ]
    subprocess.run([*command, *options], input=source, text=True, check=True)
    return path


def opener(folder: Path, target: Path) -> Path:
    """A library whose constructor opens another one."""
    source = f"""
    #include <dlfcn.h>
    __attribute__((constructor)) static void open_it(void)
    {{ dlopen("{target}", RTLD_LAZY | RTLD_GLOBAL); }}"""
    return compiled(folder / "libopener.so", source)


def needing(folder: Path, target: Path) -> Path:
    """A library that needs another one (DT_NEEDED) and calls nothing in it."""
    path = folder / "libneeding.so"
    return compiled(path, "int needing;", "-Wl,--no-as-needed", target)


def stand_in_for_xkomp(folder: Path) -> Path:
    """A drop-in folder whose runtime is libomp with the mark by which XKOMP is identified.

    In a copy of libomp the name of a library that it needs is replaced by that of one which defines
    XKOMP's own function."""
    original = library("libomp").read_bytes()
    needed, mark = b"\0ld-linux-x86-64.so.2\0", b"\0stand-in-xkaapi.so.2\0"
    if needed not in original:
        pytest.skip("this libomp does not need the library that the stand-in replaces")
    folder.mkdir()
    own = folder / "libstand-in.so"
    own.write_bytes(original.replace(needed, mark))
    compiled(folder / mark.strip(b"\0").decode(), "void *xkomp_get(void) { return 0; }")
    return drop_in(folder, own)


def versions_of_libomp() -> dict[Path, str]:
    """LLVM's runtimes below the folder of runtimes, with the version that their folder names."""
    folder = Path(os.environ.get("POLLUX_RUNTIMES", ROOT / "runtimes"))
    found = sorted(folder.glob("libomp-*/lib/libomp.so*"))
    return {path.resolve(): path.parts[-3].removeprefix("libomp-") for path in found}


def listed(benchmark: str, settings: dict[str, str]) -> dict[str, Record]:
    """The variants of a benchmark under some settings, by name."""
    found = described(benchmark, settings=settings)["variants"]
    return {entry["variant"]: entry for entry in found}
