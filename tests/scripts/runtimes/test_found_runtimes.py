# SPDX-License-Identifier: BSD-3-Clause
"""Which runtimes are found, what they are called, and what can run under which."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from closed_folder import close
from listings import BENCHMARKS
from pollux.core.errors import BadUsageError
from pollux.core.hashing import digest
from pollux.core.runtimes.found import look, names, resolve_target
from pollux.core.runtimes.identify import find_identify, identify
from pollux.core.runtimes.names import SONAMES, library_label, looks_like_runtime, runtime_of_file
from pollux.core.runtimes.prefix import Archive, fill
from pollux.machine.commands.runtimes import runtimes
from project import ROOT
from runtime_machine import Machine, library, make_machine, raw_library

BUILDS = ROOT / "build"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return make_machine(tmp_path, monkeypatch)


def test_libraries_are_found_in_every_place_with_the_ways_they_were_found(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine.root
    library(root / "path" / "libomp.so", "libomp", "22", "KMP")
    library(root / "prefix" / "lib64" / "libbolt.so", "bolt", "2", "GOMP KMP")
    cached = library(root / "cache" / "libkomp.so", "libkomp", None, "GOMP")
    library(root / "elsewhere" / "lib" / "libxkomp.so", "xkaapi", None, "KMP")
    machine.runtimes.mkdir()
    (machine.runtimes / "xkaapi").symlink_to(root / "elsewhere")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere::{root}/path")
    monkeypatch.setenv("POLLUX_RUNTIME_ROOT", str(root / "prefix"))
    monkeypatch.setattr(
        "pollux.core.runtimes.places.cached_libraries",
        lambda: [("libkomp.so", cached), ("libz.so.1", root / "path" / "libomp.so")],
    )
    assert {label: x.found for label, x in machine.find().items()} == {
        "libgomp12": ("build libgomp",),
        "libomp19": ("build libomp", f"{root}/llvm-19/lib"),
        "libomp22": ("LD_LIBRARY_PATH",),
        "bolt": ("POLLUX_RUNTIME_ROOT",),
        "libkomp": ("linker cache",),
        "xkaapi": ("runtimes/xkaapi",),
    }


@pytest.mark.parametrize("place", ["lib", "lib64", "lib/x86_64-unknown-linux-gnu", ""])
def test_a_prefix_is_searched_where_presets_look_for_its_library(
    machine: Machine, place: str
) -> None:
    path = library(machine.runtimes / "llvm" / place / "libomp.so", "libomp", "22", "KMP")
    assert machine.find()["libomp22"].path == path


def test_another_folder_of_runtimes_can_be_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    library(machine.root / "mine" / "x" / "lib" / "libomp.so", "libomp", "16", "KMP")
    monkeypatch.setenv("POLLUX_RUNTIMES", str(machine.root / "mine"))
    assert machine.find()["libomp16"].found == ("mine/x",)


def test_links_to_and_copies_of_a_library_are_one_row(machine: Machine) -> None:
    lib = machine.runtimes / "libomp-19" / "lib"
    library(lib / "libomp.so.5", "libomp", "19", "GOMP KMP")
    for name in SONAMES:
        if name != "libomp.so.5":
            (lib / name).symlink_to("libomp.so.5")
    found = machine.find()
    assert list(found) == ["libgomp12", "libomp19"]
    assert found["libomp19"].found[-1] == "runtimes/libomp-19"
    assert found["libomp19"].path == machine.root / "llvm-19" / "lib" / "libomp.so.5"


def test_a_copy_under_another_runtimes_name_hides_neither(machine: Machine) -> None:
    text = (machine.root / "llvm-19" / "lib" / "libomp.so.5").read_bytes()
    copy = machine.runtimes / "copy" / "lib" / "libkomp.so"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(text)
    identify = machine.builds / "libgomp" / "bin" / "identify"
    by_name = """content = content.replace(b'"libomp"', b'"libkomp"').replace(b'"19"', b'null')"""
    identify.write_text(
        identify.read_text().replace(
            "    if content ==",
            f'    if b"crash" not in content and "libkomp" in path: {by_name}\n    if content ==',
            1,
        )
    )
    found = machine.find()
    assert set(found) == {"libgomp12", "libomp19", "libkomp"}
    assert found["libomp19"].path == machine.root / "llvm-19" / "lib" / "libomp.so.5"
    assert {"clang+libkomp", "gcc+libomp19", "gcc+libkomp"} <= set(machine.targets())


def test_a_copy_that_is_the_same_runtime_is_one_row(machine: Machine) -> None:
    text = (machine.root / "llvm-19" / "lib" / "libomp.so.5").read_bytes()
    copy = machine.runtimes / "copy" / "lib" / "libiomp5.so"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(text)
    found = machine.find()
    assert set(found) == {"libgomp12", "libomp19"}
    assert found["libomp19"].found[-1] == "runtimes/copy"


def test_both_models_of_ompss_have_a_label_of_their_own(machine: Machine) -> None:
    for name in ("libnanox-ompss.so.1", "libnanox-omp.so.1"):
        library(machine.runtimes / name / "lib" / name, "ompss", "0.16a", "NANOX", build_id=name)
    assert {"ompss", "ompss-openmp"} <= set(machine.find())


def test_two_libraries_never_share_a_label(machine: Machine) -> None:
    path = machine.runtimes / "night" / "lib" / "libomp.so"
    library(path, "libomp", "19", "KMP", build_id="cd3456789")
    assert list(machine.find()) == ["libgomp12", "libomp19-ab12", "libomp19-cd3456"]
    assert machine.problem("clang+libomp19").startswith("there is no library libomp19; is it ")
    chosen = resolve_target("clang+libomp19-cd3456", machine.look(), machine.root)
    assert chosen.library is not None
    assert chosen.library.path == path


def test_libraries_of_one_build_id_have_labels_of_their_own(
    machine: Machine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = machine.root / "llvm-19" / "lib" / "libomp.so.5"
    stripped = library(machine.runtimes / "stripped/lib/libomp.so", "libomp", "19", "KMP GOMP")
    labels = {path: f"libomp19-{digest(path)[:6]}" for path in (whole, stripped)}
    assert {x.path: label for label, x in machine.find().items() if x.name == "libomp"} == labels
    monkeypatch.setattr("pollux.machine.commands.runtimes.ROOT", machine.root)
    runtimes(build_root=machine.builds)
    assert "first digits of its SHA-256 follow" in capsys.readouterr().out


def test_a_checksummed_prefix_gives_the_version_until_the_library_is_changed(
    machine: Machine,
) -> None:
    source = library(machine.root / "x.so", "libiomp5", None, "GOMP KMP")
    archive = Archive(
        source="pypi",
        package="intel-openmp",
        package_version="2026.2.0",
        archive="x.whl",
        sha256="0",
        vouched="",
        library=source,
        soname="libiomp5.so",
    )
    prefix = machine.runtimes / "libiomp5-2026.2.0"
    fill(prefix, "libiomp5", "2026.2.0", archive)
    assert machine.find()["libiomp5-2026.2.0"].version == "2026.2.0"
    library(prefix / "lib" / "libiomp5.so", "libiomp5", None, "KMP")
    assert machine.find()["libiomp5"].version is None


def test_a_library_that_cannot_be_identified_has_its_reason_and_harms_no_other(
    machine: Machine,
) -> None:
    broken = {
        "crash": "killed by SIGSEGV",
        "unloadable": f"{machine.runtimes}/unloadable/lib/libomp.so: undefined symbol: x",
        '{"name": null, "version": null, "build_id": null, "abi": [], "ompt": null}': "it has no",
        "{}": "built from another version",
    }
    for text in broken:
        folder = text if text.isalpha() else f"n{len(text)}"
        raw_library(machine.runtimes / folder / "lib" / "libomp.so", text)
    found = machine.look().libraries
    assert [x.label for x in found if not x.problem] == ["libgomp12", "libomp19"]
    problems = " ".join(x.problem or "" for x in found)
    assert all(reason in problems for reason in broken.values())
    assert machine.targets() == ["libgomp", "libomp", "gcc+libomp19"]


def test_files_of_another_format_are_no_libraries(machine: Machine) -> None:
    script = machine.runtimes / "x" / "lib" / "libomp.so"
    script.parent.mkdir(parents=True)
    script.write_text("INPUT(-lomp)")
    assert list(machine.find()) == ["libgomp12", "libomp19"]


def test_a_circle_of_links_hides_no_library(machine: Machine) -> None:
    lib = machine.runtimes / "x" / "lib"
    lib.mkdir(parents=True)
    (lib / "libomp.so").symlink_to("libomp.so")
    (machine.runtimes / ".added").mkdir()
    (machine.runtimes / ".added" / "mine").symlink_to(lib / "libomp.so")
    assert set(machine.find()) == {"libgomp12", "libomp19", "mine"}
    assert "no library for this machine any more" in machine.problem("clang+mine")


def test_folders_that_others_may_not_search_hide_no_library(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = close(machine.root / "closed", monkeypatch)
    (machine.runtimes / ".added").mkdir(parents=True)
    (machine.runtimes / ".added" / "mine").symlink_to(folder / "lib" / "libomp.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder / "lib"))
    monkeypatch.setenv("POLLUX_RUNTIME_ROOT", str(folder))
    assert set(machine.find()) == {"libgomp12", "libomp19", "mine"}
    monkeypatch.setenv("POLLUX_RUNTIMES", str(folder / "runtimes"))
    assert set(machine.find()) == {"libgomp12", "libomp19"}


def test_a_path_that_json_cannot_hold_is_named_as_the_reason() -> None:
    library = Path(os.fsdecode(b"caf\xe9/libomp.so"))
    assert identify(Path("/bin/true"), [library]) == {library: "its path is not UTF-8"}


def test_without_identify_there_are_paths_and_builds_alone(machine: Machine) -> None:
    (machine.builds / "libgomp" / "bin" / "identify").unlink()
    found = machine.look().libraries
    assert [x.path.name for x in found] == ["libgomp.so.1.0.0", "libomp.so.5"]
    assert all("no build has bin/identify" in (x.problem or "") for x in found)
    assert machine.targets() == ["libgomp", "libomp"]
    assert "no build has bin/identify" in machine.problem("gcc+libomp19")


def test_targets_are_builds_and_what_has_the_compiler_s_entry_points(machine: Machine) -> None:
    library(machine.runtimes / "16" / "lib" / "libomp.so.5", "libomp", "16", "GOMP KMP")
    library(machine.runtimes / "xkaapi" / "lib" / "libxkomp.so", "xkaapi", None, "KMP")
    bolt = library(machine.runtimes / "bolt" / "lib" / "libbolt.so", "bolt", "2", "GOMP KMP")
    machine.build("bolt", "libomp.so", bolt)
    machine.build("libgomp-sanitize", "libgomp.so.1", bolt, "RelWithDebInfo")
    assert machine.targets() == [
        *("bolt", "libgomp", "libomp"),
        *("gcc+libomp16", "gcc+libomp19", "gcc+bolt"),
        *("clang+libomp16", "clang+bolt", "clang+xkaapi"),
    ]


def test_a_combination_that_does_not_start_is_no_target_and_is_reported(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library(
        machine.runtimes / "x" / "lib" / "libxkomp.so", "xkaapi", None, "KMP", x="starts nothing"
    )
    assert machine.targets() == ["libgomp", "libomp", "gcc+libomp19"]
    monkeypatch.setattr("pollux.machine.commands.runtimes.ROOT", machine.root)
    runtimes(build_root=machine.builds)
    assert "\ndoes not run: clang+xkaapi: undefined symbol: x\n" in capsys.readouterr().out


def test_a_folder_for_trials_that_the_linker_would_split_is_the_reason(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.root / "12:30").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(machine.root / "12:30"))
    found = look(machine.root, machine.builds).possible
    assert [c.label for c in found] == ["gcc+libomp19"]
    assert "has a ':', which the dynamic linker takes for two paths" in str(found[0].problem)


def test_a_target_s_variables_put_the_library_under_every_soname(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    path = library(machine.runtimes / "16" / "lib" / "libomp.so.5", "libomp", "16", "GOMP")
    found = resolve_target("gcc+libomp16", machine.look(), machine.root / "state")
    assert (found.preset, found.library and found.library.path) == ("libgomp", path)
    variables = dict(found.variables)
    folder, after = variables.pop("LD_LIBRARY_PATH").split(":")
    assert after == "/mine"
    assert {p.name: p.resolve() for p in Path(folder).iterdir()} == dict.fromkeys(SONAMES, path)
    assert variables == {
        "POLLUX_EXPECT_RUNTIME": "libomp",
        "POLLUX_EXPECT_RUNTIME_PATH": str(path),
    }
    own = resolve_target("libomp", machine.look(), machine.root / "state")
    assert (own.preset, own.library, own.variables) == ("libomp", None, {})


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("bolt", "there is no build bolt; choose from libgomp, libomp, gcc+libomp19"),
        (
            "icc+libomp19",
            "icc+libomp19 is not known; a combination is written gcc+LIBRARY or clang",
        ),
        ("+libomp19", "+libomp19 is not known"),
        ("gcc+libomp18", "there is no library libomp18; choose from libgomp12, libomp19"),
        ("clang+libgomp12", "libgomp12 (ROOT/system/libgomp.so.1.0.0) has no KMP entry points"),
    ],
)
def test_a_label_that_cannot_run_is_answered_with_what_there_is(
    machine: Machine, label: str, message: str
) -> None:
    assert machine.problem(label).startswith(message.replace("ROOT", str(machine.root)))


def test_a_combination_needs_its_compiler_s_build(machine: Machine) -> None:
    for executable in BENCHMARKS:
        (machine.builds / "libomp" / "bin" / executable).unlink()
    assert machine.problem("clang+libomp19") == (
        "clang+libomp19 needs the build libomp; scripts/build libomp makes it"
    )


def test_a_version_with_a_digit_that_is_no_number_has_a_place(machine: Machine) -> None:
    library(machine.runtimes / "libomp-1/lib/libomp.so", "libomp", "1.²", "KMP")
    assert "1.²" in [found.version for found in machine.find().values()]


@pytest.mark.parametrize(
    ("name", "version", "label"),
    [
        ("libomp", "19", "libomp19"),
        ("libgomp", "12", "libgomp12"),
        ("libiomp5", "2026.2.0", "libiomp5-2026.2.0"),
        ("libomp", ">=21", "libomp21"),
        ("libomp", None, "libomp"),
        ("bolt", "2.1", "bolt"),
        ("xkaapi", None, "xkaapi"),
    ],
)
def test_a_label_is_the_name_and_for_those_with_many_the_version(
    name: str, version: str | None, label: str
) -> None:
    assert library_label(name, version) == label


@pytest.mark.parametrize(
    ("file", "runtime"),
    [
        ("libgomp.so.1.0.0", "libgomp"),
        ("libomp-19.so.5", "libomp"),
        ("libiomp5.so", "libiomp5"),
        ("libkomp.so", "libkomp"),
        ("libbolt.so", "bolt"),
        ("libxkomp.so", "xkaapi"),
        ("libnanox-ompss.so.1", "ompss"),
    ],
)
def test_a_file_s_name_shows_that_it_is_a_runtime(file: str, runtime: str) -> None:
    assert looks_like_runtime(Path(file))
    assert runtime_of_file(Path(file)) == runtime


@pytest.mark.parametrize("file", ["libomptarget.so.19.1", "libompd.so", "libz.so", "libomp.a"])
def test_libraries_that_are_called_alike_are_no_runtimes(file: str) -> None:
    assert not looks_like_runtime(Path(file))


def test_the_command_lists_what_was_found(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raw_library(machine.runtimes / "x" / "lib" / "libomp.so", "crash")
    monkeypatch.setattr("pollux.machine.commands.runtimes.ROOT", machine.root)
    assert runtimes(build_root=machine.builds) == 0
    shown = capsys.readouterr().out
    assert "libomp19" in shown
    assert "not identified: killed by SIGSEGV: " in shown
    assert "built: libgomp, libomp\n" in shown
    assert "combinations: gcc+libomp19\n" in shown
    runtimes(format_="json", build_root=machine.builds)
    shown = json.loads(capsys.readouterr().out)
    row = next(x for x in shown["libraries"] if x["label"] == "libomp19")
    assert row["abi"] == ["GOMP", "KMP"]
    assert row["found"] == ["build libomp", f"{machine.root}/llvm-19/lib"]
    assert shown["combinations"] == [
        {"label": "gcc+libomp19", "preset": "libgomp", "library": "libomp19", "problem": None}
    ]
    with pytest.raises(BadUsageError, match="is not a folder"):
        runtimes(build_root=machine.root / "none")


@pytest.mark.skipif(find_identify(BUILDS) is None, reason="no build has bin/identify")
def test_the_combinations_found_here_load_their_library(tmp_path: Path) -> None:
    combinations = (found := look(ROOT, BUILDS)).combinations()
    if not combinations:
        pytest.skip("no library here fits another build than its own")
    for combination in combinations:
        target = resolve_target(combination.label, found, tmp_path)
        done = subprocess.run(
            [BUILDS / target.preset / "bin" / "lu", "--version"],
            env={**os.environ, **target.variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert f", {combination.library.path}\n" in done.stdout, (target.label, done.stderr)


def test_names_of_nothing_point_to_where_there_are_some() -> None:
    assert "scripts/get-runtime" in names([])
