# SPDX-License-Identifier: BSD-3-Clause
"""A machine with builds and runtimes for tests; its libraries say themselves what they are.

They are files that the `identify` of its builds reads, and its executables load none.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from listings import BENCHMARKS, write_names
from pollux.core.runtimes.found import Found, Library, all_targets, look, resolve_target
from project import FAKE, write_script

ELF = Path(sys.executable).read_bytes()[:64]  # the header of a file for this machine
IDENTIFY = f"""#!{sys.executable} -IS
import os, sys
status = 0
for path in sys.argv[1:]:
    content = open(path, "rb").read()[64:]
    if content == b"crash":
        os.kill(os.getpid(), 11)
    if content == b"unloadable":
        print(path + ": undefined symbol: x", file=sys.stderr)
        status = 3
    else:
        start = '{{"path": "%s", "soname": null, ' % path
        print(content.decode().replace("{{", start, 1), flush=True)
sys.exit(status)
"""
# Prints which library it loads: the first folder's of LD_LIBRARY_PATH under its soname, or its own.
EXECUTABLE = """case $1 in
--version)
    loaded=${{LD_LIBRARY_PATH%%:*}}/{soname}
    [ -e "$loaded" ] || loaded="{own}"
    grep -q "starts nothing" "$loaded" && {{ echo "$0: undefined symbol: x" >&2; exit 127; }}
    echo "runtime   some 1, GOMP entry points, $(readlink -f "$loaded")" ;;
*) exec "{python}" "{fake}" {benchmark} {preset} "$@" ;;
esac"""


def library(path: Path, name: str, version: str | None, abi: str, **more: object) -> Path:
    """A file in the format of a library that reports what it is."""
    content = {
        "name": name,
        "version": version,
        "abi": abi.split(),
        "ompt": True,
        "build_id": "ab12",
    }
    return raw_library(path, json.dumps(content | more))


def raw_library(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ELF + text.encode())
    return path


@dataclass
class Machine:
    """A machine with builds for libgomp and libomp, each with a runtime of the system."""

    root: Path
    libraries: dict[str, Path] = field(default_factory=dict)

    @property
    def builds(self) -> Path:
        return self.root / "a build"

    @property
    def runtimes(self) -> Path:
        return self.root / "runtimes"

    def build(self, preset: str, soname: str, own: Path, kind: str = "Release") -> None:
        tree = self.builds / preset
        write_names(tree / "bin")
        for benchmark in BENCHMARKS:
            text = EXECUTABLE.format(
                soname=soname,
                own=own,
                python=sys.executable,
                fake=FAKE,
                benchmark=benchmark,
                preset=preset if preset in ("libgomp", "libomp") else "libomp",
            )
            write_script(tree / "bin" / benchmark, text)
        (tree / "CMakeCache.txt").write_text(f"CMAKE_BUILD_TYPE:STRING={kind}\n")

    def identify(self) -> None:
        path = self.builds / "libgomp" / "bin" / "identify"
        path.write_text(IDENTIFY)
        path.chmod(0o755)

    def look(self) -> Found:
        return look(self.root, self.builds)

    def find(self) -> dict[str, Library]:
        return {x.label: x for x in self.look().libraries}

    def targets(self) -> list[str]:
        return [t.label for t in all_targets(self.look(), self.root / "state")]

    def problem(self, label: str) -> str:
        with pytest.raises(ValueError, match=r".") as caught:
            resolve_target(label, self.look(), self.root / "state")
        return str(caught.value)


def make_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine, and nothing of the real one."""
    made = Machine(tmp_path)
    monkeypatch.setattr("pollux.core.runtimes.places.LLVM", f"{tmp_path}/llvm-*/lib".lstrip("/"))
    monkeypatch.setattr("pollux.core.runtimes.places.cached_libraries", list)
    monkeypatch.setattr("pollux.core.campaign.labels.ROOT", tmp_path)
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    for name in ("POLLUX_RUNTIMES", "POLLUX_RUNTIME_ROOT", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    gomp = library(tmp_path / "system" / "libgomp.so.1.0.0", "libgomp", "12", "GOMP", ompt=False)
    omp = library(tmp_path / "llvm-19" / "lib" / "libomp.so.5", "libomp", "19", "GOMP KMP")
    made.build("libgomp", "libgomp.so.1", gomp)
    made.build("libomp", "libomp.so.5", omp)
    made.identify()
    return made
