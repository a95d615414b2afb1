# SPDX-License-Identifier: BSD-3-Clause
"""`pollux runtimes add`: any build of a library under a name of its own, until it is removed."""

from pathlib import Path
from typing import Literal

import pytest
from pollux.core.errors import BadUsageError
from pollux.core.runtimes.found import resolve_target
from pollux.machine.commands.runtimes import runtimes
from runtime_machine import Machine, library, make_machine, raw_library


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr("pollux.machine.commands.runtimes.ROOT", tmp_path)
    return make_machine(tmp_path, monkeypatch)


def command(
    machine: Machine,
    *what: object,
    name: str | None = None,
    format_: Literal["table", "json"] = "table",
) -> None:
    texts = [str(word) for word in what]
    assert runtimes(texts, name=name, format_=format_, build_root=machine.builds) == 0


def patched(machine: Machine, place: str = "build/runtime/src") -> Path:
    return library(machine.root / "llvm" / place / "libomp.so", "libomp", "21", "GOMP KMP")


def target_path(machine: Machine, label: str) -> Path | None:
    target = resolve_target(label, machine.look(), machine.root / "state")
    return target.library.path if target.library else None


@pytest.mark.parametrize("place", ["", "lib", "lib64", "lib/x86_64-linux-gnu", "runtime/src"])
def test_the_folder_of_a_build_or_its_library_become_a_target(
    machine: Machine, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    path = patched(machine, f"build/{place}")
    command(machine, "add", machine.root / "llvm/build", name="folder")
    command(machine, "add", path, name="file")
    printed = capsys.readouterr().out
    assert f"folder: libomp 21, build-id ab12, {path}\n" in printed
    assert "runs as gcc+folder and clang+folder\n" in printed
    assert {"clang+folder", "gcc+file", "clang+libomp19"} - {*machine.targets()} == {
        "clang+libomp19"  # the library of the build libomp itself
    }
    assert target_path(machine, "clang+folder") == target_path(machine, "gcc+file") == path
    assert machine.find()["file"].found == ("added as file",)


def test_a_name_stays_when_the_library_is_built_again_and_goes_when_it_is_removed(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    path = patched(machine)
    command(machine, "add", path, name="mine")
    library(path, "libomp", "22", "KMP", build_id="ef56")
    assert machine.find()["mine"].version == "22"
    command(machine, "add", path, name="mine")  # the same once more is no mistake
    path.unlink()
    assert "mine" in machine.problem("clang+mine") and "any more" in machine.problem("clang+mine")
    command(machine, "remove", "mine")
    assert capsys.readouterr().out.endswith(f"mine is forgotten; {path} stays as it is\n")
    assert "mine" not in machine.find()


def test_a_name_stays_when_its_library_is_added_again_and_broken(machine: Machine) -> None:
    path = patched(machine)
    command(machine, "add", path, name="mine")
    raw_library(path, "unloadable")
    with pytest.raises(BadUsageError, match="undefined symbol"):
        command(machine, "add", path, name="mine")
    assert "undefined symbol" in machine.problem("clang+mine")


def test_a_copy_of_a_library_that_is_known_has_its_own_name_and_hides_none(
    machine: Machine,
) -> None:
    copy = machine.root / "copy" / "libomp.so"
    copy.parent.mkdir()
    copy.write_bytes((machine.root / "llvm-19/lib/libomp.so.5").read_bytes())
    command(machine, "add", copy, name="mine")
    assert target_path(machine, "clang+mine") == copy
    assert set(machine.find()) == {"libgomp12", "libomp19", "mine"}


def test_a_library_that_comes_later_does_not_take_a_name(machine: Machine) -> None:
    command(machine, "add", patched(machine), name="libomp16")
    later = library(machine.runtimes / "x/lib/libomp.so", "libomp", "16", "KMP", build_id="cd34")
    found = machine.find()
    assert found["libomp16"].version == "21"
    assert found["libomp16-cd34"].path == later


WRONG: list[tuple[tuple[str, ...], str | None, str]] = [
    (("add", "PATH"), "a+b", "a name has up to 40 letters"),
    (("add", "PATH"), "../up", "a name has up to 40 letters"),
    (("add", "PATH"), "x" * 41, "a name has up to 40 letters"),
    (("add", "PATH"), "", "a name has up to 40 letters"),
    (("add", "PATH"), "own.so", "does not end in .so"),
    (("add", "PATH"), "_own", "begins with a letter or digit"),
    (("add", "PATH"), "libomp19", "the label of another runtime"),
    (("add", "PATH"), "libgomp", "the label of another runtime"),
    (("add", "PATH"), "taken", "taken is the name of "),
    (("add", "/nowhere"), "mine", "/nowhere: no such file or folder"),
    (("add", "~nosuch/x"), "mine", "~nosuch/x: the home folder that ~ stands for is not known"),
    (("add", "EMPTY"), "mine", "no OpenMP runtime is in it"),
    (("add", "TEXT"), "mine", "is not a shared library for this machine"),
    (("add", "OTHER"), "mine", "undefined symbol"),
    (("add", "TWO"), "mine", "has several runtimes: "),
    (("add", "PATH"), None, "usage: pollux runtimes add PATH --as NAME"),
    (("add",), "mine", "usage: pollux runtimes add PATH --as NAME"),
    (("remove",), None, "usage: pollux runtimes remove NAME"),
    (("remove", "nope"), None, "no library was added as nope; choose from taken"),
    (("remove", "a" * 99), None, f"added as {'a' * 59}…; choose from taken"),
    (("rm",), None, "rm is unknown; choose add or remove"),
    ((), "mine", "--as is for: pollux runtimes add PATH --as NAME"),
]


def test_wrong_use_is_refused_and_changes_nothing(machine: Machine) -> None:
    root = machine.root
    two = root / "two"
    places = {"PATH": str(patched(machine)), "EMPTY": str(root / "empty"), "TWO": str(two)}
    places |= {"TEXT": str(root / "text.so"), "OTHER": str(root / "libz.so")}
    (root / "empty").mkdir()
    (root / "text.so").write_text("no library")
    raw_library(root / "libz.so", "unloadable")
    for soname in ("libomp.so", "libgomp.so.1"):
        library(two / soname, "libomp", soname, "KMP")
    other = library(root / "other.so", "libomp", "18", "KMP", build_id="cc")
    command(machine, "add", other, name="taken")
    before = sorted(machine.find())
    for what, name, words in WRONG:
        with pytest.raises(BadUsageError) as caught:
            command(machine, *(places.get(word, word) for word in what), name=name)
        assert words in caught.value.format_message()
    for action in ("add", "remove"):
        with pytest.raises(BadUsageError, match="--format is for the list of runtimes"):
            command(machine, action, "x", name="y" if action == "add" else None, format_="json")
    assert sorted(machine.find()) == before


def test_labels_that_need_a_word_have_one(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two libraries of one label, versions that look alike, packages of another number."""
    lib = machine.runtimes / "night" / "lib"
    library(lib / "libomp.so", "libomp", "19", "KMP", build_id="cd3456789")
    library(machine.runtimes / "copied" / "lib" / "libomp.so", "libomp", "20-21", "KMP")
    (machine.root / "llvm-22" / "lib").mkdir(parents=True)
    real = machine.root / "llvm-19" / "lib" / "libomp.so.5"
    (machine.root / "llvm-22" / "lib" / "libomp.so.5").symlink_to(real)
    command(machine)
    printed = " ".join(capsys.readouterr().out.split())
    assert "libomp19-cd3456: there is another libomp19, so that the first digits" in printed
    assert "libomp20-21: libomp 20 to 21, which have the same entry points" in printed
    assert "is also that of LLVM 22 here" in printed
