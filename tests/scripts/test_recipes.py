# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packaging/ fit the project as it is: its version, packages, options and output.

packaging/README.md says which of them were tried with the tools that they are for.
"""

import re
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from project import ROOT

PACKAGING = ROOT / "packaging"
CHECK = PACKAGING / "reframe/pollux_check.py"
EASYCONFIGS = [*PACKAGING.glob("easybuild/*.eb")]
SPACK = PACKAGING / "spack/packages/pollux/package.py"
BIN = ROOT / "build/libgomp/bin"


def project_version() -> str:
    (found,) = re.findall(r"^project\(pollux VERSION (\S+)", text("CMakeLists.txt"), re.MULTILINE)
    return str(found)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def easyconfig(path: Path) -> dict[str, Any]:
    """Its parameters, which EasyBuild reads in the same way."""
    names = {"SYSTEM": "SYSTEM", "SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz"}
    return runpy.run_path(str(path), init_globals=names)


def test_every_recipe_has_the_version_of_the_project() -> None:
    version = project_version()
    assert text("packaging/debian/changelog").startswith(f"pollux ({version}) ")
    assert re.findall(r'^    version\("(.*?)"', SPACK.read_text(), re.MULTILINE) == [version]
    assert f"pollux-{version}.tar.gz" in SPACK.read_text()
    assert re.findall(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE) == [version]
    for path in EASYCONFIGS:
        assert easyconfig(path)["version"] == version
        assert path.name.startswith(f"Pollux-{version}-")


def test_debian_s_build_needs_what_the_set_up_installs() -> None:
    (needs,) = re.findall(
        r"^Build-Depends: (.*?)^\S", text("packaging/debian/control"), re.M | re.S
    )
    packages = {word.split()[0] for word in needs.replace("\n", " ").split(",")}
    tools = {"cmake", "debhelper-compat", "ninja-build"}  # which the set-up takes from elsewhere
    (listed,) = re.findall(r"^packages=\((.*?)^\)", text("scripts/setup"), re.M | re.S)
    assert packages - tools <= {*listed.split()}


@pytest.mark.parametrize("path", EASYCONFIGS, ids=lambda path: path.name)
def test_an_easyconfig_is_called_after_its_contents_and_names_files_that_exist(path: Path) -> None:
    config = easyconfig(path)
    toolchain = config["toolchain"]
    name = f"{config['name']}-{config['version']}-{toolchain['name']}-{toolchain['version']}"
    assert path.stem == name
    for file in re.findall(r"%\(start_dir\)s/(\S+)", config["configopts"]):
        assert (ROOT / file).is_file()
    (label,) = re.findall(r"-DPOLLUX_LABEL=(\S+)", config["configopts"])
    inside = [x for x in config["sanity_check_paths"]["files"] if x.startswith("lib/")]
    assert all(x.startswith(f"lib/pollux/{label}/bin/") for x in inside)


def test_spack_s_variants_are_toolchain_files() -> None:
    """Without Spack, by stand-ins for what a package calls when its class is made."""
    called: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def directive(*arguments: object, **more: object) -> None:
        called.append((arguments, more))

    source = re.sub(r"^from (spack|spack_repo)\S* import .*$", "", SPACK.read_text(), flags=re.M)
    known = "depends_on version variant license requires conflicts generator".split()
    names: dict[str, Any] = dict.fromkeys(known, directive)
    names |= {"CMakePackage": object, "join_path": lambda *parts: "/".join(map(str, parts))}
    exec(compile(source, str(SPACK), "exec"), names)
    (values,) = (more["values"] for arguments, more in called if arguments[:1] == ("runtime",))
    package = names["Pollux"]()
    package.define = lambda name, value: (name, str(value))
    package.stage = SimpleNamespace(source_path=ROOT)
    for value in values:
        place = SimpleNamespace(prefix="/prefix")
        package.spec = type("Spec", (dict,), {})({"openblas": place, "fftw": place})
        package.spec.variants = {"runtime": SimpleNamespace(value=value)}
        options = dict(package.cmake_args())
        assert Path(options["CMAKE_TOOLCHAIN_FILE"]).is_file()
        assert options["POLLUX_LABEL"] == value


@pytest.mark.skipif(not (BIN / "benchmarks.json").is_file(), reason="needs libgomp's build")
def test_reframe_finds_its_figures_in_what_programs_print() -> None:
    check = CHECK.read_text()
    passed, failed, speed = re.findall(r'rf?"(\^(?:PASS|FAIL) .*?)"', check)
    for folder in re.findall(r"^FACTORIZATIONS = \((.*)\)", check, re.M)[0].split(", "):
        name = folder.strip('"')
        command = [str(BIN / name), "--size", "64", "--repeat", "1", "--check", "full"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert re.search(passed.replace("{self.benchmark}", name), shown, re.MULTILINE)
        assert not re.search(failed, shown, re.MULTILINE)
        found = re.search(speed, shown, re.MULTILINE)
        assert found is not None and float(found[1]) > 0
