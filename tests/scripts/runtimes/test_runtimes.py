# SPDX-License-Identifier: BSD-3-Clause
"""An executable runs under the library that a campaign names, or the campaign does not start."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from campaign_files import plan
from closed_folder import close
from pollux.core.campaign.runtimes import runtime_variables
from pollux.core.campaign.sections import Runtime
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.listing import loaded_runtime
from pollux.core.hashing import digest
from pollux.core.runtimes.library import (
    drop_in,
    drop_in_variables,
    expected_runtime,
    find_library,
    linker_cache,
)
from pollux.core.runtimes.names import SONAMES
from pollux.core.runtimes.places import runtimes_folder
from project import ROOT, write_script

BUILDS = ROOT / "build"
BUILT = all((BUILDS / p / "bin" / "cholesky").is_file() for p in ("libgomp", "libomp"))
real_builds = pytest.mark.skipif(not BUILT, reason="there are no builds")


def system_library(name: str) -> Path:
    try:
        return find_library(name, Path("/"))
    except ValueError:
        pytest.skip(f"there is no {name} here")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library of the right format, in a folder of its own."""
    path = tmp_path / "a place" / "libomp.so.5"
    path.parent.mkdir()
    return Path(shutil.copy(system_library("libc.so.6"), path))


def test_every_soname_leads_to_the_one_library(library: Path, tmp_path: Path) -> None:
    folder = drop_in(library, tmp_path / "state")
    assert {link.name for link in folder.iterdir()} == set(SONAMES)
    assert all(link.resolve() == library for link in folder.iterdir())


def test_a_folder_is_used_again_unless_the_library_changed(library: Path, tmp_path: Path) -> None:
    first = drop_in(library, tmp_path)
    assert drop_in(library, tmp_path) == first
    with library.open("ab") as file:
        file.write(b"more")
    assert drop_in(library, tmp_path) != first


def test_a_link_that_leads_elsewhere_is_put_right(library: Path, tmp_path: Path) -> None:
    folder = drop_in(library, tmp_path)
    (folder / SONAMES[0]).unlink()
    (folder / SONAMES[0]).symlink_to("/nonexistent")
    drop_in(library, tmp_path)
    assert (folder / SONAMES[0]).resolve() == library


def test_the_drop_in_comes_first_on_the_linker_s_path(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    runtime = Runtime(preset="libgomp", library=str(library), variables={"LD_PRELOAD": "x.so"})
    variables = runtime_variables(runtime, tmp_path, tmp_path / "state")
    folder, rest = variables.pop("LD_LIBRARY_PATH").split(":")
    assert Path(folder).parent == tmp_path / "state"
    assert rest == "/mine"
    assert variables == {
        "LD_PRELOAD": "x.so",
        "POLLUX_EXPECT_RUNTIME": "libomp",
        "POLLUX_EXPECT_RUNTIME_PATH": str(library),
    }


@pytest.mark.parametrize("separator", [":", ";"])
def test_a_folder_that_the_linker_would_take_for_two_is_refused(
    library: Path, tmp_path: Path, separator: str
) -> None:
    state = tmp_path / f"12{separator}30"
    with pytest.raises(ValueError, match=f"has a '{separator}', which the dynamic linker takes"):
        drop_in_variables(library, "libomp", state, "")


def test_a_library_is_found_by_path_pattern_and_name(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_library(str(library), Path("/")) == library
    write_script(tmp_path / "python", "exec python3")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_library("a place/libomp.so.5", tmp_path) == library
    assert find_library("a */lib*.so.5", tmp_path) == library
    close(tmp_path / "closed", monkeypatch)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path}/closed/lib:{library.parent}")
    assert find_library("libomp.so.5", Path("/")) == library


def test_a_folder_s_name_is_no_pattern(library: Path, tmp_path: Path) -> None:
    folder = library.parent.rename(tmp_path / "build [2]*?")
    assert find_library(str(folder / library.name), Path("/")) == folder / library.name
    assert find_library("./lib*.so.5", folder) == folder / library.name


def test_a_name_is_found_in_the_linker_s_cache() -> None:
    if "libc.so.6" not in linker_cache():
        pytest.skip("no ldconfig here")
    assert find_library("libc.so.6", Path("/")).name.startswith("libc")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonesuch.so", "there is no nonesuch.so"),
        ("a place/none*", "there is no a place/none"),
        ("a place/*.so*", "matches several: .*; choose one"),
        ("a place/loop*", "is not a shared library for this machine"),
        ("a place/text.so", "is not a shared library for this machine"),
        ("a place", "there is no a place"),
        ("a place/broken", "/broken leads to .*/gone, which does not exist"),
        ("a place/brok*", "/broken leads to .*/gone, which does not exist"),
    ],
)
def test_what_is_no_library_is_reported(
    library: Path, tmp_path: Path, text: str, message: str
) -> None:
    (library.parent / "text.so").write_text("INPUT(-lomp)")
    (library.parent / "loop").symlink_to("loop")
    (library.parent / "broken").symlink_to("gone")
    with pytest.raises(ValueError, match=message):
        find_library(text, tmp_path)


def test_a_home_that_is_not_known_is_bad_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadUsageError, match=r"^~nosuch/libomp\.so: the home folder that ~ stands"):
        find_library("~nosuch/libomp.so", Path("/"))
    monkeypatch.setenv("POLLUX_RUNTIMES", "~nosuch/runtimes")
    with pytest.raises(BadUsageError, match=r"^~nosuch/runtimes: the home folder"):
        runtimes_folder(Path("/"))


@pytest.mark.parametrize(
    ("name", "runtime"),
    [
        ("libgomp.so.1.0.0", "libgomp"),
        ("libomp.so.5", "libomp"),
        ("libomp-19.so.5", "libomp"),
        ("libiomp5.so", "libiomp5"),
        ("libkomp.so", "libkomp"),
        ("libbolt.so", "bolt"),
        ("libxkomp.so", "xkaapi"),
    ],
)
def test_a_file_s_name_identifies_the_runtime(name: str, runtime: str) -> None:
    assert expected_runtime(Path(name)) == runtime


def test_another_name_needs_expect() -> None:
    with pytest.raises(ValueError, match="does not identify the runtime; set expect: libgomp"):
        expected_runtime(Path("libz.so.1"))


def test_a_digest_follows_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    first = digest(path)
    path.write_text("two, longer")
    assert digest(path) != first


def test_the_loaded_library_is_read_from_version() -> None:
    line = "runtime   libgomp 12, GOMP entry points, /a b, c/libgomp.so.1.0.0"
    assert loaded_runtime(f"pollux lu 0.1.0\n{line}\n") == Path("/a b, c/libgomp.so.1.0.0")
    assert loaded_runtime("pollux lu 0.1.0\n") is None


def test_a_campaign_does_not_start_where_another_library_is_loaded(
    library: Path, tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'[runtimes.x]\npreset = "libgomp"\nlibrary = "{library}"\n[grid]\nsize = 8\n'
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    monkeypatch.setenv("FAKE_RUNTIME", str(library))
    assert plan(tmp_path, build_root, text).configurations
    monkeypatch.setenv("FAKE_RUNTIME", "/bin/sh")
    with pytest.raises(MachineError, match=r"runtimes\.x\.library: .* loads /bin/sh instead of"):
        plan(tmp_path, build_root, text)


def test_a_library_that_is_missing_is_an_error_of_its_line(
    tmp_path: Path, build_root: Path
) -> None:
    text = '[runtimes.x]\npreset = "libgomp"\nlibrary = "none.so"\n[grid]\nsize = 8\n'
    with pytest.raises(BadUsageError, match=r"trial\.toml:4: runtimes\.x\.library: there is no"):
        plan(tmp_path, build_root, text)


@real_builds
def test_gcc_s_executables_run_under_llvm_s_library(tmp_path: Path) -> None:
    library = system_library("libomp.so.5")
    text = (
        '[runtimes.libgomp]\npreset = "libgomp"\n[runtimes."gcc on libomp"]\npreset = "libgomp"\n'
        'library = "libomp.so.5"\n[grid]\nsize = 64\nbenchmark = "cholesky"\nvariant = "depend"\n'
    )
    own, other = plan(tmp_path, BUILDS, text).configurations
    assert own.builds["executable"] == other.builds["executable"]
    assert own.builds["runtime"] != other.builds["runtime"] == digest(library)
    done = subprocess.run(
        [other.executable, *other.arguments],
        env={**os.environ, **other.variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f'"path":"{library}"' in done.stdout


@real_builds
def test_llvm_s_executables_under_gcc_s_library_are_refused_with_the_runtime_s_label(
    tmp_path: Path,
) -> None:
    system_library("libgomp.so.1")
    text = (
        '[runtimes.odd]\npreset = "libomp"\nlibrary = "libgomp.so.1"\n'
        '[grid]\nsize = 64\nbenchmark = "cholesky"\n'
    )
    with pytest.raises(MachineError, match=r"trial\.toml:2: runtimes\.odd: .*libgomp|VERSION"):
        plan(tmp_path, BUILDS, text)
