# SPDX-License-Identifier: BSD-3-Clause
"""scripts/setup on machines made of stand-ins: no package is installed, nothing is downloaded."""

import fcntl
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from project import ROOT, write_script

TOOLS = (
    "bash sh env dirname cat sed grep sort uniq tail comm sha256sum mkdir cp flock realpath".split()
)
EMULATORS = ("qemu-x86_64", "valgrind")
PACKAGES = (
    "build-essential gdb libfftw3-dev libgtest-dev libhwloc-dev libjansson-dev liblapacke-dev "
    "libopenblas-pthread-dev librandom123-dev pkg-config python3-venv"
).split()
CLANG = "clang-19 libclang-rt-19-dev libomp-19-dev".split()
OFFERED = [*CLANG, *"clang-9 libomp-9-dev clang-22 clang-19-doc libomp-22-doc".split()]
OFFERED += ["chromium", "chromium-sandbox"]
REQUIREMENTS = ("scripts/requirements.txt", "scripts/requirements-tools.txt")
SET_UP = 4  # calls: the venv, the lists, the package, the compiled modules
# `-m venv --clear DIR` makes a DIR/bin/python that is this stand-in again and notes each call.
PYTHON = """case $* in
    --version) echo "Python 3.11.2" ;;
    -c*) exit "${OLD_PYTHON:-0}" ;;
    *venv*) echo "$*" >>"$CALLS"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
    *) echo "$*" >>"$CALLS"; exit "${PIP_STATUS:-0}" ;;
esac"""


class Machine:
    """A checkout and a PATH that holds only what the test puts there."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.calls = folder / "a checkout", folder / "bin", folder / "calls"
        (self.root / "scripts").mkdir(parents=True)
        for name in (
            "scripts/setup",
            "scripts/lock.bash",
            "scripts/progress.bash",
            "scripts/usage.bash",
            *REQUIREMENTS,
            "pyproject.toml",
        ):
            shutil.copy(ROOT / name, self.root / name)
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or tool)
        write_script(self.bin / "python3", PYTHON)

    def add_debian(self, installed: list[str], user: int = 1000, sudo: int = 1) -> None:
        """dpkg and apt that know these packages, a user, and a sudo with that exit status."""
        write_script(self.bin / "dpkg-query", self.answer_dpkg(installed))
        write_script(self.bin / "apt-cache", "printf '%s\\n' " + " ".join(OFFERED))
        write_script(self.bin / "apt-get", 'echo "apt-get $*" >>"$CALLS"')
        write_script(self.bin / "id", f"echo {user}")
        write_script(self.bin / "uname", "echo x86_64")
        write_script(self.bin / "sudo", f'[ "$1" = -n ] && exit {sudo}; "$@"')

    @staticmethod
    def answer_dpkg(installed: list[str]) -> str:
        """Print those of the packages that one of the arguments, a name or pattern, matches."""
        return (
            f'for name in {" ".join(installed)}; do for asked in "$@"; do case $name in '
            '$asked) echo "installed $name" ;; esac; done; done; exit 1'
        )

    def start(self, *options: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.root / "scripts" / "setup", *options],
            cwd="/",
            env={"PATH": str(self.bin), "CALLS": str(self.calls), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def set_up(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        with self.start(*options, **environment) as process:
            out, err = process.communicate()
            return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def called(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def install_line(packages: list[str]) -> str:
    return (
        "scripts/setup: packages are missing; as root, run: apt-get update && "
        f"apt-get install --yes --no-install-recommends {' '.join(sorted(packages))}\n"
    )


def test_without_root_the_install_line_is_printed(machine: Machine) -> None:
    machine.add_debian([*PACKAGES[1:], *CLANG])
    done = machine.set_up()
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == install_line(["build-essential"])
    assert machine.called() == []


def test_the_newest_clang_that_has_a_libomp_is_chosen(machine: Machine) -> None:
    machine.add_debian(PACKAGES)
    assert machine.set_up().stderr == install_line(CLANG)


def test_an_installed_clang_with_libomp_is_kept(machine: Machine) -> None:
    machine.add_debian([*PACKAGES[1:], "clang-17", "libomp-17-dev"])
    assert machine.set_up().stderr == install_line(["build-essential"])


def test_an_installed_clang_that_is_too_old_is_refused(machine: Machine) -> None:
    machine.add_debian([*PACKAGES[1:], "clang-9", "libomp-9-dev"])
    done = machine.set_up()
    assert (done.returncode, machine.called()) == (3, [])
    assert done.stderr == (
        "scripts/setup: clang-9 and libomp-9-dev are installed, and clang 16 or newer is needed; "
        "remove libomp-9-dev, which excludes those of other versions\n"
    )


@pytest.mark.parametrize(("user", "sudo"), [(0, 1), (1000, 0)])
def test_root_or_sudo_installs_what_is_missing(machine: Machine, user: int, sudo: int) -> None:
    machine.add_debian([*PACKAGES[1:], *CLANG], user, sudo)
    assert machine.set_up().returncode == 0
    assert machine.called()[:2] == [
        "apt-get -qq update",
        "apt-get install --yes --no-install-recommends -qq -o DPkg::Lock::Timeout=600 "
        "build-essential",
    ]


def test_the_lock_of_the_lists_is_waited_for_but_not_for_ever(
    machine: Machine, tmp_path: Path
) -> None:
    machine.add_debian([*PACKAGES[1:], *CLANG], user=0)
    lists = tmp_path / "lock"
    waiting = f'*lockf*) "{sys.executable}" -c "$2" "{lists}" 1; echo "ended $?" >>"$CALLS" ;;'
    write_script(machine.bin / "python3", PYTHON.replace("-c*)", f"{waiting}\n    -c*)"))
    with lists.open("a") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        assert machine.set_up().returncode == 0
    assert machine.called()[:2] == [f"ended {128 + signal.SIGALRM}", "apt-get -qq update"]


def test_the_tests_get_a_browser_unless_there_is_one(machine: Machine) -> None:
    machine.add_debian([*PACKAGES, *CLANG, "lmod"])
    for name in EMULATORS:
        write_script(machine.bin / name, "true")
    write_script(machine.bin / "mpicc", "true")
    assert machine.set_up("--tests").stderr == install_line(["chromium"])
    write_script(machine.bin / "google-chrome", "true")
    assert machine.set_up("--tests").returncode == 0


def test_the_tests_get_emulators_where_they_have_a_use_for_them(machine: Machine) -> None:
    machine.add_debian([*PACKAGES, *CLANG, "lmod"])
    write_script(machine.bin / "google-chrome", "true")
    write_script(machine.bin / "mpicc", "true")
    assert machine.set_up("--tests").stderr == install_line(["qemu-user", "valgrind"])
    write_script(machine.bin / "uname", "echo aarch64")
    assert machine.set_up("--tests").returncode == 0
    write_script(machine.bin / "uname", "echo x86_64")
    for name in EMULATORS:
        write_script(machine.bin / name, "true")
    assert machine.set_up("--tests").returncode == 0


def test_the_tests_get_an_mpi_unless_there_is_one(machine: Machine) -> None:
    machine.add_debian([*PACKAGES, *CLANG, "lmod"])
    write_script(machine.bin / "google-chrome", "true")
    for name in EMULATORS:
        write_script(machine.bin / name, "true")
    assert machine.set_up("--tests").stderr == install_line(["libopenmpi-dev", "openmpi-bin"])
    write_script(machine.bin / "mpicc", "true")
    assert machine.set_up("--tests").returncode == 0


def test_the_tests_get_lmod_unless_one_is_named(machine: Machine) -> None:
    machine.add_debian([*PACKAGES, *CLANG])
    for name in ("google-chrome", *EMULATORS, "mpicc"):
        write_script(machine.bin / name, "true")
    assert machine.set_up("--tests").stderr == install_line(["lmod"])
    assert machine.set_up("--tests", LMOD_CMD="/opt/lmod/libexec/lmod").returncode == 0


def test_unknown_options_are_refused(machine: Machine) -> None:
    done = machine.set_up("--everything")
    assert done.returncode == 2
    assert (
        done.stderr
        == "scripts/setup: unknown arguments '--everything'; the only option is --tests\n"
    )


def test_without_apt_get_other_systems_are_named(machine: Machine) -> None:
    done = machine.set_up()
    assert done.returncode == 3
    for name in ("docs/install.md", "dnf", "pacman", "Spack", "POLLUX_SKIP_PACKAGES=1"):
        assert name in done.stderr
    assert done.stderr.count("\n") == 1
    assert machine.set_up(POLLUX_SKIP_PACKAGES="1").returncode == 0


def test_an_old_python_is_refused(machine: Machine) -> None:
    done = machine.set_up(OLD_PYTHON="1")
    assert done.returncode == 3
    assert done.stderr.endswith("Python 3.11.2; Python 3.11 or newer is needed\n")


def test_a_second_run_does_nothing_and_prints_nothing(machine: Machine) -> None:
    machine.add_debian([*PACKAGES, *CLANG])
    machine.set_up()
    assert len(machine.called()) == SET_UP
    done = machine.set_up()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(machine.called()) == SET_UP


@pytest.mark.parametrize("name", [*REQUIREMENTS, "pyproject.toml"])
def test_other_requirements_are_set_up_afresh(machine: Machine, name: str) -> None:
    machine.set_up(POLLUX_SKIP_PACKAGES="1")
    with (machine.root / name).open("a") as file:
        file.write("# changed\n")
    machine.set_up(POLLUX_SKIP_PACKAGES="1")
    assert len(machine.called()) == 2 * SET_UP


def test_what_a_link_points_to_is_never_emptied(machine: Machine, tmp_path: Path) -> None:
    machine.add_debian([*PACKAGES, *CLANG])
    (tmp_path / "theirs").mkdir()
    (machine.root / ".venv").symlink_to(tmp_path / "theirs")
    done = machine.set_up()
    assert (done.returncode, machine.called()) == (3, [])
    assert done.stderr.startswith("scripts/setup: .venv is a symbolic link; remove it")


def test_pip_installs_into_the_environment_whatever_it_does_otherwise(machine: Machine) -> None:
    noted = PYTHON.replace('"$*" >>', '"${PIP_USER-}${PIP_TARGET-} $*" >>')
    write_script(machine.bin / "python3", noted)
    machine.set_up(POLLUX_SKIP_PACKAGES="1", PIP_USER="1", PIP_TARGET="/elsewhere")
    assert [x.split()[0] for x in machine.called() if "pip install" in x] == ["0", "0"]


def test_an_interrupted_set_up_starts_afresh(machine: Machine) -> None:
    assert machine.set_up(POLLUX_SKIP_PACKAGES="1", PIP_STATUS="1").returncode == 3
    assert machine.set_up(POLLUX_SKIP_PACKAGES="1").returncode == 0
    assert len(machine.called()) == 2 + SET_UP  # first the venv, and the lists, which failed


def test_of_two_set_ups_at_once_one_waits_for_what_the_other_does(machine: Machine) -> None:
    stamp = machine.root / ".venv" / "complete"
    assert machine.set_up(POLLUX_SKIP_PACKAGES="1").returncode == 0
    complete = stamp.read_text()
    stamp.unlink()
    with (machine.root / ".setup.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with machine.start(POLLUX_SKIP_PACKAGES="1") as second:
            assert second.stderr is not None
            line = second.stderr.readline()
            stamp.write_text(complete)
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert (second.wait(), second.stderr.read()) == (0, "")
    assert line == f"setup: waiting for another set-up of {machine.root}\n"
    assert len(machine.called()) == SET_UP


@pytest.mark.parametrize("flock", [None, "exit 71"])
def test_where_there_are_no_locks_a_set_up_goes_on(machine: Machine, flock: str | None) -> None:
    (machine.bin / "flock").unlink()
    if flock:
        write_script(machine.bin / "flock", flock)
    done = machine.set_up(POLLUX_SKIP_PACKAGES="1")
    assert (done.returncode, len(machine.called())) == (0, SET_UP)
    assert "waiting" not in done.stderr


def test_modules_are_compiled_whatever_the_folder_of_the_checkout_is_called(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "tests")
    assert machine.set_up(POLLUX_SKIP_PACKAGES="1").returncode == 0
    words = machine.called()[-1].split()
    assert words[:2] == ["-m", "compileall"]
    left_out = re.compile(words[words.index("-x") + 1])
    packages = machine.root / ".venv/lib/python3.11/site-packages"
    assert not left_out.search(str(machine.root / "scripts/pollux/core/cli.py"))
    assert not left_out.search(str(packages / "rich/table.py"))
    for folder in ("numpy/core/tests", "test", "plotly/graph_objs"):
        assert left_out.search(str(packages / folder / "x.py"))


def closure(names: list[str]) -> set[str]:
    """The names of these packages and of all that they need."""
    found: set[str] = set()
    while names:
        name = canonicalize_name(names.pop())
        if name not in found:
            found.add(name)
            needs = [Requirement(line) for line in requires(name) or []]
            names += [need.name for need in needs if not need.marker or need.marker.evaluate()]
    return found


def pinned(list_: str) -> dict[str, str]:
    """The version of each package in a list of requirements."""
    lines = [line for line in (ROOT / list_).read_text().splitlines() if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in (x.split("==") for x in lines)}


def test_the_site_s_list_has_nothing_that_the_environment_has() -> None:
    site = pinned("scripts/requirements-site.txt")
    assert site
    assert not site.keys() & {**pinned(REQUIREMENTS[0]), **pinned(REQUIREMENTS[1])}.keys()


def test_the_lists_are_complete_disjoint_and_those_of_the_package_and_of_the_tools() -> None:
    package, tools = (pinned(list_) for list_ in REQUIREMENTS)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    lines = [*project["project"]["dependencies"], *chain.from_iterable(extras.values())]
    needed = closure([Requirement(line).name for line in lines]) - {"pollux"}
    assert set(package) == needed
    assert not set(package) & set(tools)
    assert closure(list(tools)) <= {*package, *tools}
    assert {name: version(name) for name in package} == package
    built_with = [f"hatchling=={tools['hatchling']}", f"typer=={package['typer']}"]
    assert project["build-system"]["requires"] == built_with
