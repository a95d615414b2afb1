# SPDX-License-Identifier: BSD-3-Clause
"""scripts/get-runtime with stand-ins for apt, and with pip on wheels made here: no network."""

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from closed_folder import close
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.paths import BUILDS
from pollux.core.runtimes import get
from pollux.core.runtimes.names import SONAMES
from pollux.core.runtimes.packaged import pinned
from project import ROOT, write_script

TOOLS = "sh cat cp tar kill tail".split()
ELF = Path(sys.executable).read_bytes()[:64]  # the header of a file for this machine
VERSION = "1:17.0.6-1"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass
class Machine:
    """A machine whose apt offers libomp5-17, and a folder for runtimes."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def runtimes(self) -> Path:
        return self.folder / "the runtimes"

    @property
    def prefix(self) -> Path:
        return self.runtimes / "libomp-17"

    @property
    def archive(self) -> Path:
        return self.folder / "libomp5-17_17_amd64.deb"

    def offer(self, content: bytes = ELF) -> None:
        """Let apt offer a package with this library; a tar takes the place of the archive."""
        folder = self.folder / "tree" / "usr" / "lib" / "llvm-17" / "lib"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "libomp.so.5").write_bytes(content)
        with tarfile.open(self.archive, "w") as tar:
            tar.add(self.folder / "tree" / "usr", "usr")
        self.index(sha256(self.archive))

    def index(self, checksum: str) -> None:
        stanza = f"Package: libomp5-17\nVersion: {VERSION}\nArchitecture: amd64\n"
        stanza += f"Filename: x.deb\nSHA256: {checksum}\n"
        (self.folder / "index").write_text(stanza)

    def stub(self, name: str, text: str) -> None:
        write_script(self.folder / "bin" / name, text)

    def calls(self) -> list[str]:
        log = self.folder / "calls"
        return log.read_text().splitlines() if log.exists() else []

    def get(self, *words: str, **options: object) -> list[str]:
        """What is printed; errors are exceptions."""
        assert get.get_runtime(*words, **options) == 0  # type: ignore[arg-type]
        return self.capsys.readouterr().out.splitlines()

    def left(self) -> list[str]:
        return sorted(p.name for p in self.runtimes.glob("*")) if self.runtimes.exists() else []


@pytest.fixture
def machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Machine:
    made = Machine(tmp_path, capsys)
    monkeypatch.setattr(get, "BUILDS", tmp_path / "no builds")
    monkeypatch.setenv("POLLUX_RUNTIMES", str(made.runtimes))
    monkeypatch.setenv("FOLDER", str(tmp_path))
    made.stub(
        "apt-cache",
        'case $1 in pkgnames) echo libomp5-17; echo libomp5-doc ;; *) cat "$FOLDER/index" ;; esac',
    )
    made.stub("apt-get", 'echo "apt-get $*" >>"$FOLDER/calls"; cp "$FOLDER"/*.deb .')
    made.stub("dpkg-deb", '/bin/mkdir "$3"; tar -xf "$2" -C "$3"')
    for tool in TOOLS:
        (made.folder / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    made.offer()
    return made


def test_a_package_becomes_a_prefix_with_every_soname_and_its_provenance(machine: Machine) -> None:
    printed = machine.get("libomp", "17")
    assert printed[0] == f"libomp 17 (Debian's libomp5-17 {VERSION}) is in {machine.prefix}"
    assert "as in apt's signed index" in printed[1]
    assert "--runtime libgomp,libomp,gcc+libomp17,clang+libomp17" in printed[2]
    assert "cmake --preset libomp -B build/libomp17 -D POLLUX_RUNTIME_ROOT=" in printed[3]
    library = machine.prefix / "lib" / "libomp.so.5"
    assert library.read_bytes() == ELF
    assert all((library.parent / name).samefile(library) for name in SONAMES)
    provenance = json.loads((machine.prefix / "provenance.json").read_text())
    assert provenance["archive_sha256"] == sha256(machine.archive)
    assert (provenance["source"], provenance["package"]) == ("debian", "libomp5-17")
    assert provenance["package_version"] == VERSION
    assert machine.left() == ["libomp-17"]


def test_builds_that_cannot_be_found_do_not_matter(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(get, "BUILDS", BUILDS)
    monkeypatch.setenv("POLLUX_BUILDS", str(machine.folder / "nowhere"))
    assert "gcc+libomp17,clang+libomp17" in machine.get("libomp", "17")[2]
    assert machine.left() == ["libomp-17"]


def test_what_is_there_and_intact_is_not_fetched_again(machine: Machine) -> None:
    machine.get("libomp", "17")
    assert machine.get("libomp", "17")[0].endswith(f"is in {machine.prefix}, intact")
    assert len(machine.calls()) == 1


@pytest.mark.parametrize("harm", ["content", "link", "library"])
def test_a_damaged_prefix_is_unpacked_again(machine: Machine, harm: str) -> None:
    machine.get("libomp", "17")
    lib = machine.prefix / "lib"
    if harm == "content":
        (lib / "libomp.so.5").write_bytes(ELF + b"x")
    else:
        (lib / {"link": "libgomp.so.1", "library": "libomp.so.5"}[harm]).unlink()
    assert machine.get("libomp", "17")[0].startswith(f"{machine.prefix} is unpacked again: ")
    assert (lib / "libomp.so.5").read_bytes() == ELF
    assert (lib / "libgomp.so.1").exists()
    assert machine.left() == ["libomp-17"]


def test_an_archive_that_is_not_what_apt_s_index_says_is_refused(machine: Machine) -> None:
    machine.index("0" * 64)
    with pytest.raises(MachineError, match=r"has SHA-256 .* not 000.* as apt says; nothing is put"):
        machine.get("libomp", "17")
    assert machine.left() == []


def test_an_archive_that_is_not_what_is_pinned_is_refused(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = machine.folder / "runtimes.toml"
    entry = '[[package]]\nname = "libomp"\nversion = "17"\nsource = "debian"\n'
    pin = f'package_version = "{VERSION}"\npackage = "libomp5-17"\nsha256.amd64 = "{{}}"\n'
    monkeypatch.setattr("pollux.core.runtimes.packaged.pinned.__defaults__", (table,))
    table.write_text(entry + pin.format("1" * 64))
    with pytest.raises(MachineError, match=r"not 111.* as Pollux says"):
        machine.get("libomp", "17")
    assert machine.left() == []
    table.write_text(entry + pin.format(sha256(machine.archive)))
    assert "as pinned by Pollux" in machine.get("libomp", "17")[1]


def test_a_checksum_that_is_given_must_hold(machine: Machine) -> None:
    with pytest.raises(MachineError, match=r"not 222.* as --sha256 says"):
        machine.get("libomp", "17", sha256="2" * 64)
    printed = machine.get("libomp", "17", sha256=sha256(machine.archive).upper())
    assert "as given by --sha256" in printed[1]
    with pytest.raises(BadUsageError, match="was made of an archive with SHA-256"):
        machine.get("libomp", "17", sha256="2" * 64)


@pytest.mark.parametrize("content", [b"no ELF", ELF[:18] + b"\xff\xff" + ELF[20:]])
def test_a_library_for_another_machine_is_refused(machine: Machine, content: bytes) -> None:
    machine.offer(content)
    with pytest.raises(MachineError, match="holds no library for this machine"):
        machine.get("libomp", "17")
    assert machine.left() == []


def test_a_folder_that_holds_something_else_is_left_alone(machine: Machine) -> None:
    precious = machine.prefix / "lib" / "mine"
    precious.parent.mkdir(parents=True)
    precious.write_text("x")
    with pytest.raises(BadUsageError, match="contains something else; remove it, or name another"):
        machine.get("libomp", "17")
    assert precious.read_text() == "x"
    assert machine.left() == ["libomp-17"]
    assert machine.calls() == []


def test_an_empty_folder_can_be_the_prefix(machine: Machine) -> None:
    place = machine.folder / "a place"
    place.mkdir()
    printed = machine.get("libomp", "17", prefix=place)
    assert (place / "lib" / "libomp.so.5").is_file()
    assert f'library = "{place}/lib/libomp.so.5",' in printed[2]


@pytest.mark.parametrize(
    ("stub", "text", "message"),
    [
        (
            "apt-get",
            'echo "E: Failed to fetch http://x/y.deb  Could not connect" >&2; exit 100',
            "apt-get failed: cannot download: Could not connect",
        ),
        ("apt-get", "true", "produced no archive"),
        ("dpkg-deb", 'echo "tar: No space left on device" >&2; exit 2', "No space left on device"),
        ("dpkg-deb", '/bin/mkdir "$3"', r"holds no libomp\.so\.5"),
        (
            "apt-cache",
            "case $1 in pkgnames) echo libomp5-17 ;; *) exit 100 ;; esac",
            "apt offers no libomp5-17 here; apt-get update",
        ),
    ],
)
def test_what_the_machine_cannot_do_is_a_line_and_leaves_nothing(
    machine: Machine, stub: str, text: str, message: str
) -> None:
    machine.stub(stub, text)
    with pytest.raises(MachineError, match=message) as caught:
        machine.get("libomp", "17")
    assert "\n" not in caught.value.format_message()
    assert machine.left() == []


def test_without_apt_a_debian_package_cannot_be_had(machine: Machine) -> None:
    for name in ("apt-cache", "apt-get"):
        (machine.folder / "bin" / name).unlink()
    with pytest.raises(MachineError, match=r"there is no apt-cache .*get-runtime --list shows"):
        machine.get("libomp", "19")


def test_apt_that_cannot_be_started_is_not_said_to_be_missing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(subprocess, "Popen", none_left)
    with pytest.raises(MachineError, match=r"^cannot start apt-cache \(Too many open files\)$"):
        machine.get("libomp", "19")


def test_a_full_disk_leaves_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(MachineError, match=r"cannot write .*libomp-17 \(No space left on device\)"):
        machine.get("libomp", "17")
    assert machine.left() == []


def test_a_folder_that_cannot_be_made_is_reported(machine: Machine) -> None:
    machine.runtimes.write_text("a file")
    with pytest.raises(MachineError, match=r"cannot write .*libomp-17"):
        machine.get("libomp", "17")


def test_a_folder_that_may_not_be_read_is_reported(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    close(machine.runtimes, monkeypatch)
    with pytest.raises(MachineError, match=r"cannot read .*libomp-17 \(Permission denied\)"):
        machine.get("libomp", "17")
    monkeypatch.setattr("sys.argv", ["get-runtime"])
    with pytest.raises(SystemExit) as ended:
        get.main()
    assert ended.value.code == 2
    assert machine.capsys.readouterr().err.endswith(": cannot be used (Permission denied)\n")


def test_a_signal_leaves_nothing(machine: Machine) -> None:
    machine.stub("apt-get", "kill -TERM $PPID; exec tail -f /dev/null")
    done = subprocess.run(
        [sys.executable, "-m", "pollux.core.runtimes.get", "libomp", "17"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        128 + signal.SIGINT,
        "scripts/get-runtime: interrupted\n",
    )
    assert list(machine.runtimes.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("libomp",), "which version of libomp? choose from libomp 13, libomp 14"),
        (("libomp", "18"), "libomp 18 is not packaged; choose from libomp 13"),
        (("libgomp", "12"), "libgomp 12 is not packaged"),
        (("libomp", "../x"), "libomp ../x is not packaged"),
        (("libiomp5", "2025.1.0"), "another release of intel-openmp on PyPI needs --sha256"),
        (("libomp", "17", "--sha256", "12"), "--sha256 12: must be a SHA-256"),
        (
            ("libomp", "17", "--prefix", "~nosuch/x"),
            "the home folder that ~ stands for is not known",
        ),
        (("--list", "libomp", "17"), "--list stands alone"),
        (("--list", "libomp"), "--list stands alone"),
        (("--sha256", "0" * 64), "--prefix and --sha256 need NAME VERSION"),
        (("libomp", "17", "more"), "unexpected extra argument"),
    ],
)
def test_bad_usage_is_a_line_and_status_2(
    machine: Machine, words: tuple[str, ...], message: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pollux.core.runtimes.get", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("scripts/get-runtime: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_list_shows_what_can_be_had_and_what_is_there(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.get("libomp", "17")
    (machine.runtimes / "bolt").symlink_to(machine.folder)
    machine.stub("apt-cache", 'echo asked >>"$FOLDER/calls"; echo libomp5-17')
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    before = machine.calls()
    rows = {line.split("  ")[0]: line for line in machine.get()}
    assert rows["libomp 17"].endswith(f"here: {machine.prefix}")
    assert "not offered here" in rows["libomp 13"]
    assert machine.calls() == [*before, "asked"]
    assert rows["libomp 21"].endswith("PyPI: cmeel-libomp 21.1.8")
    assert rows["libiomp5 2026.2.0"].endswith("PyPI: intel-openmp 2026.2.0 (not offered here)")
    assert rows["bolt"].endswith("bolt")


def wheel(folder: Path, project: str, version: str, library: str) -> Path:
    """A wheel that pip takes, with a library in it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{project}-{version}-py3-none-any.whl"
    info = f"{project}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{project}.data/data/lib/{library}", ELF)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def wheels(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, which pip takes for the index."""
    folder = machine.folder / "wheels"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_a_wheel_becomes_a_prefix_if_its_checksum_is_given(machine: Machine, wheels: Path) -> None:
    made = wheel(wheels, "intel_openmp", "2025.1.0", "libiomp5.so")
    printed = machine.get("libiomp5", "2025.1.0", sha256=sha256(made))
    library = machine.runtimes / "libiomp5-2025.1.0" / "lib" / "libiomp5.so"
    assert library.read_bytes() == ELF
    assert all((library.parent / name).samefile(library) for name in SONAMES)
    assert "gcc+libiomp5-2025.1.0" in printed[2]
    assert "cmake --preset libiomp5 -B build/libiomp5-2025.1.0" in printed[3]


def test_a_wheel_that_is_not_what_is_pinned_is_refused(machine: Machine, wheels: Path) -> None:
    made = wheel(wheels, "intel_openmp", "2026.2.0", "libiomp5.so")
    with pytest.raises(MachineError, match=f"has SHA-256 {sha256(made)}, not .*nothing is put"):
        machine.get("libiomp5", "2026.2.0")
    assert machine.left() == []


def test_a_version_that_the_index_lacks_is_reported(machine: Machine, wheels: Path) -> None:
    wheel(wheels, "intel_openmp", "2025.1.0", "libiomp5.so")
    with pytest.raises(BadUsageError, match=r"PyPI has no intel-openmp 9\.9; versions there: 2025"):
        machine.get("libiomp5", "9.9", sha256="3" * 64)


def test_an_index_out_of_reach_is_an_error_of_the_machine(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(MachineError, match="pip reaches no package index"):
        machine.get("libiomp5", "2026.2.0")
    assert machine.left() == []


def test_the_pinned_table_is_whole() -> None:
    packages = pinned()
    assert len({str(p) for p in packages}) == len(packages)
    assert {"libomp 14", "libomp 16", "libomp 19", "libomp 21", "libiomp5 2026.2.0"} <= {
        str(p) for p in packages
    }
    for package in packages:
        assert package.package_version
        assert package.sha256
        assert all(len(bytes.fromhex(v)) == 32 for v in package.sha256.values())


@pytest.mark.parametrize("there", [(), ("bin/python", "bin/pollux")])
def test_the_script_sets_up_what_is_missing(tmp_path: Path, there: tuple[str, ...]) -> None:
    """Also what an interrupted set-up has left, and runs the code beside it."""
    root = tmp_path / "a checkout"
    scripts, venv = root / "scripts", root / ".venv"
    for name in there:
        write_script(venv / name, "exit 1")
    write_script(
        scripts / "setup",
        f'mkdir -p "{venv}/bin"; cp "$0.python" "{venv}/bin/python"; touch "{venv}/complete"',
    )
    write_script(scripts / "setup.python", 'echo "${PYTHONPATH%%:*} $*"')
    shutil.copy(ROOT / "scripts" / "get-runtime", scripts)
    for _ in range(2):
        done = subprocess.run(
            [scripts / "get-runtime", "libomp", "19"], capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{scripts} -m pollux.core.runtimes.get libomp 19\n"
        (scripts / "setup").write_text("exit 1\n")
