# SPDX-License-Identifier: BSD-3-Clause
"""The recipes in packaging/ fit the project as it is: its version, packages, options and output.

packaging/README.md says which of them were tried with the tools that they are for.
"""

import re
import runpy
import subprocess
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from project import ROOT

PACKAGING = ROOT / "packaging"
CHECK = PACKAGING / "reframe/pollux_check.py"
EASYCONFIGS = [*PACKAGING.glob("easybuild/*.eb")]
SPACK = PACKAGING / "spack/packages/pollux/package.py"
CONDA = PACKAGING / "conda/recipe.yaml"
CONTAINER = PACKAGING / "container/Containerfile"
RAMBLE = PACKAGING / "ramble/applications/pollux/application.py"
BENCHPARK = PACKAGING / "benchpark/experiments/pollux/experiment.py"
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
    assert conda()["context"]["version"] == version
    assert f'version = "{version}";' in text("packaging/nix/default.nix")
    assert f'default="{version}", values=("{version}",)' in BENCHPARK.read_text()
    for path in EASYCONFIGS:
        assert easyconfig(path)["version"] == version
        assert path.name.startswith(f"Pollux-{version}-")


def conda() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(CONDA.read_text())
    return read


def debian_packages() -> set[str]:
    """What Debian's package needs to be built, but for the helpers of packaging."""
    (needs,) = re.findall(
        r"^Build-Depends: (.*?)^\S", text("packaging/debian/control"), re.M | re.S
    )
    return {word.split()[0] for word in needs.replace("\n", " ").split(",")} - {"debhelper-compat"}


def test_debian_s_build_needs_what_the_set_up_installs() -> None:
    tools = {"cmake", "ninja-build"}  # which the set-up takes from elsewhere
    (listed,) = re.findall(r"^packages=\((.*?)^\)", text("scripts/setup"), re.M | re.S)
    assert debian_packages() - tools <= {*listed.split()}


def container_stages() -> list[list[str]]:
    """The instructions of each stage of the container's file."""
    joined = re.sub(r"\\\n\s*", "", CONTAINER.read_text())
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    starts = [i for i, line in enumerate(lines) if line.startswith("FROM ")]
    return [lines[i:j] for i, j in zip(starts, [*starts[1:], None], strict=True)]


def installed_packages(stage: list[str]) -> set[str]:
    (run,) = (line for line in stage if "apt-get install" in line)
    words = run.split("--no-install-recommends")[1].split("&&")[0].split()
    return {*words}


def test_the_container_compiles_in_one_stage_and_runs_in_another() -> None:
    """Without a builder of containers: by the packages, paths and instructions of its file."""
    build, final = container_stages()
    known = "FROM RUN COPY WORKDIR ENV ENTRYPOINT CMD".split()
    assert {line.split()[0] for line in (*build, *final)} <= {*known}
    assert debian_packages() | {"build-essential", "python3-venv"} == installed_packages(build)
    assert not [x for x in installed_packages(final) if x.endswith("-dev") or "build" in x]
    for file in re.findall(r"=/source/(\S+\.cmake)", "\n".join(build)):
        assert (ROOT / file).is_file()
    (copied,) = (line.split() for line in final if line.startswith("COPY"))
    assert copied[1] == f"--from={build[0].split()[-1]}"
    assert f"--prefix {copied[2]} " in "".join(build)
    assert "POLLUX_BUILDS=/opt/pollux " in "".join(final)


def test_conda_s_recipe_names_files_that_exist_and_tests_that_the_programs_have() -> None:
    recipe = conda()
    assert [
        *recipe
    ] == "schema_version context package source build requirements tests about".split()
    for file in re.findall(r"\$SRC_DIR/(\S+)", " ".join(recipe["build"]["script"])):
        assert (ROOT / file).is_file()
    assert (ROOT / recipe["about"]["license_file"]).is_file()
    commands = [line.split()[0] for line in recipe["tests"][0]["script"]]
    assert [Path(x).name for x in commands] == [*factorizations(CHECK)]
    for name in recipe["tests"][1]["package_contents"]["files"]:
        if name.startswith("share/pollux/"):
            assert (ROOT / name.removeprefix("share/pollux/")).is_file()


def factorizations(path: Path) -> list[str]:
    """The programs that a recipe in Python runs."""
    (names,) = re.findall(r"^FACTORIZATIONS = \((.*?)\)", path.read_text(), re.M)
    return [name.strip('"') for name in names.split(", ")]


def test_nix_s_recipe_names_folders_and_a_file_that_exist() -> None:
    """Nix copies what is named: a folder with all in it, a file without those that it includes."""
    recipe = PACKAGING / "nix/default.nix"
    named = re.findall(r"(?<=[ {])(\.\./\S*?)[;}]", recipe.read_text())
    assert len(named) == 2
    assert [x for x in named if not (recipe.parent / x).is_dir()] == []
    (folder, file) = re.findall(r"TOOLCHAIN_FILE=\${(\S+?)}/(\S+)\"", recipe.read_text())[0]
    assert (recipe.parent / folder / file).is_file()


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


Calls = dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]]


def with_stand_ins(path: Path, directives: list[str], names: dict[str, Any]) -> tuple[Any, Calls]:
    """The class Pollux of a recipe in Python, and how it calls the directives of its framework."""
    called: Calls = {name: [] for name in directives}

    def directive(name: str) -> Any:  # noqa: ANN401
        return lambda *arguments, **more: called[name].append((arguments, more))

    source = re.sub(
        r"^from (spack|ramble|benchpark)\S* import .*$", "", path.read_text(), flags=re.M
    )
    names = {**{name: directive(name) for name in directives}, **names}
    exec(compile(source, str(path), "exec"), names)
    return names["Pollux"], called


def ramble() -> Calls:
    """The directives of Ramble's application, by stand-ins for Ramble."""
    known = "tags software_spec required_package executable workload workload_variable".split()
    known += "environment_variable figure_of_merit success_criteria".split()
    base = {"ExecutableApplication": object, "when": nullcontext}
    return with_stand_ins(RAMBLE, known, base)[1]


def test_ramble_s_workloads_have_values_for_all_that_their_commands_name() -> None:
    called = ramble()
    variables = {arguments[0]: more for arguments, more in called["workload_variable"]}
    workloads = {arguments[0]: more for arguments, more in called["workload"]}
    assert [*workloads] == factorizations(RAMBLE) == factorizations(CHECK)
    for (name, command), _ in called["executable"]:
        assert workloads[name]["executables"] == [name]
        assert {*re.findall(r"{(\w+)}", command)} == {*variables}
        assert all(name in more["workloads"] for more in variables.values())


def test_benchpark_s_experiment_sets_what_ramble_s_application_and_spack_s_package_have() -> None:
    made, called = with_stand_ins(BENCHPARK, ["variant"], {"Experiment": object})
    chosen = {arguments[0]: more for arguments, more in called["variant"]}
    given: dict[str, Any] = {}
    specs: list[str] = []
    experiment = made()
    experiment.name = "pollux"
    experiment.spec = SimpleNamespace(variants={x: [more["default"]] for x, more in chosen.items()})
    experiment.add_experiment_variable = lambda name, value, _: given.update({name: value})
    experiment.add_package_spec = lambda _, found: specs.extend(found)
    experiment.compute_applications_section()
    experiment.compute_package_section()
    assert [*chosen["workload"]["values"]] == factorizations(RAMBLE)
    variables = {arguments[0]: more for arguments, more in ramble()["workload_variable"]}
    assert {"size", "tile"} == {*given} & {*variables}
    assert variables["threads"]["default"] == "{n_threads}" and "n_threads" in given
    known = "depends_on version variant license requires conflicts generator".split()
    spack = with_stand_ins(SPACK, known, {"CMakePackage": object})[1]
    ((arguments, more),) = spack["variant"]
    assert specs == [f"pollux@{project_version()} {arguments[0]}={more['default']}"]
    assert chosen[arguments[0]]["values"] == more["values"]


def test_spack_s_variants_are_toolchain_files() -> None:
    """Without Spack, by stand-ins for what a package calls when its class is made."""
    known = "depends_on version variant license requires conflicts generator".split()
    base = {"CMakePackage": object, "join_path": lambda *parts: "/".join(map(str, parts))}
    made, called = with_stand_ins(SPACK, known, base)
    (values,) = (more["values"] for arguments, more in called["variant"])
    package = made()
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
    for name in factorizations(CHECK):
        command = [str(BIN / name), "--size", "64", "--repeat", "1", "--check", "full"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert re.search(passed.replace("{self.benchmark}", name), shown, re.MULTILINE)
        assert not re.search(failed, shown, re.MULTILINE)
        found = re.search(speed, shown, re.MULTILINE)
        assert found is not None and float(found[1]) > 0


@pytest.mark.skipif(not (BIN / "benchmarks.json").is_file(), reason="needs libgomp's build")
def test_ramble_runs_the_programs_and_finds_its_figures_in_what_they_print() -> None:
    called = ramble()
    values = {"size": "64", "tile": "32", "threads": "2"}
    for (name, command), _ in called["executable"]:
        words = command.format(**values).split()
        shown = subprocess.run([BIN / name, *words[1:]], capture_output=True, text=True, check=True)
        for _, merit in called["figure_of_merit"]:
            found = re.search(merit["fom_regex"], shown.stdout, re.MULTILINE)
            assert found is not None and float(found[merit["group_name"]]) > 0
        ((_, criterion),) = called["success_criteria"]
        assert re.search(criterion["match"], shown.stdout, re.MULTILINE)
