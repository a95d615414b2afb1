# SPDX-License-Identifier: BSD-3-Clause
"""The files that a run loads: which they are, and that a replaced one is noticed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pollux.core.executables.listing import Executables, loaded_blas
from pollux.core.executables.loaded import change_of, digests_of, linked_libraries, listed
from project import ROOT, write_script

LU = ROOT / "build/libgomp/bin/lu"


def test_paths_are_read_from_what_the_dynamic_linker_lists() -> None:
    lines = [
        "\tlinux-vdso.so.1 (0x00007ff4c1cbb000)",
        "\tlibm.so.6 => /lib/a folder/libm.so.6 (0x00007ff4bf880000)",
        "\tlibgone.so.1 => not found",
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007ff4c1cbd000)",
        "",
    ]
    found = ["/lib/a folder/libm.so.6", "/lib64/ld-linux-x86-64.so.2"]
    assert [str(path) for path in listed(lines)] == found


@pytest.mark.skipif(not LU.exists(), reason="needs libgomp's build")
def test_an_executables_libraries_are_found_without_starting_it() -> None:
    names = {path.name.partition(".so")[0] for path in linked_libraries(LU, {})}
    assert names >= {"libgomp", "libopenblas", "libc"}


@pytest.mark.skipif(not LU.exists(), reason="needs libgomp's build")
def test_a_configuration_is_identified_by_executable_runtime_and_blas() -> None:
    executables = Executables(ROOT / "build")
    builds, files = executables.ask(LU, {}).builds, executables.files(LU, {})
    assert list(builds) == ["executable", "runtime", "BLAS"]
    assert set(builds.values()) <= set(files.values())


def test_the_blas_is_the_file_at_the_end_of_its_line(tmp_path: Path) -> None:
    library = tmp_path / "a b, c"
    library.touch()
    line = "blas      OpenBLAS 0.3.21, Haswell kernels, one thread per call, "
    assert loaded_blas(f"runtime x\n{line}{library}\nlapack /x\n") == library
    assert loaded_blas(f"{line}{library}-missing\n") is None
    assert loaded_blas("runtime x\n") is None


def test_a_program_that_cannot_be_started_has_no_libraries(tmp_path: Path) -> None:
    assert linked_libraries(tmp_path / "missing", {}) == []


def rewrite(path: Path) -> None:
    """The same content again, in another file."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def overwrite(path: Path) -> None:
    """Other content of the same size and time, in the same file."""
    status = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("another library")
    other.replace(path)


def link_elsewhere(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("another library")
    path.unlink()
    path.symlink_to(other)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Path.touch, None),
        (rewrite, None),
        (overwrite, "was replaced after the runs were planned"),
        (replace, "was replaced after the runs were planned"),
        (link_elsewhere, "was replaced after the runs were planned"),
        (remove, "(No such file or directory)"),
    ],
)
def test_a_change_of_a_file_is_noticed_if_its_content_changed(
    tmp_path: Path, change: Callable[[Path], None], message: str | None
) -> None:
    program, library = tmp_path / "program", tmp_path / "library"
    write_script(program, "true")
    library.write_text("the library")
    files = digests_of([program, library, tmp_path / "unreadable"])
    assert list(files) == [str(program), str(library)]
    change(library)
    found = change_of(files)
    assert found == message or (message and found and str(library) in found and message in found)
