# SPDX-License-Identifier: BSD-3-Clause
"""The command line: what is refused, in one line and with which status, and what is answered."""

import re
import subprocess
from pathlib import Path

import pytest
from executable import (
    BENCHMARKS,
    BIN,
    MICRO_BENCHMARKS,
    RUNTIME,
    Result,
    described,
    refused,
    run,
    variants,
)

pytestmark = pytest.mark.any_runtime

HUGE = "9" * 30

BAD_OPTIONS = [
    ["-n", "0"],
    ["-n", "-1"],
    ["-n", "abc"],
    ["-n", "1.5"],
    ["-n", ""],
    ["-n", "1,"],
    ["-n", "5:1:1"],
    ["-n", "1:5:0"],
    ["-n", "1:5"],
    ["-n", "1:1000:1"],
    ["-n", "2147483648"],
    ["-n", HUGE],
    ["-n"],
    ["--size="],
    ["-m", "0"],
    ["-b", "0"],
    ["-b", HUGE],
    ["-b", "100x64"],
    ["-b", "64x"],
    ["-b", "128x64x2"],
    ["-b", "128x64:256x64:64"],
    ["-t", "0"],
    ["-t", "65537"],
    ["-t", "two"],
    ["-r", "0"],
    ["-r", HUGE],
    ["-w", "-1"],
    ["-s", "-1"],
    ["-s", HUGE],
    ["-c", "some"],
    ["-f", "xml"],
    ["-v", ""],
    ["-v", "nothing"],
    ["-v", "depend,nothing"],
    ["--kernels", "fast"],
    ["--kernels", "openblas,tuned"],
    ["--kernels"],
    ["-i", "4"],
    ["--numa", "nowhere"],
    ["--nosuch"],
    ["-Z"],
    ["--list=x"],
    ["stray"],
    ["--matrix", "/nonexistent.mtx"],
    ["--matrix", "a.mtx", "-n", "4"],
    ["--matrix", "a.mtx", "-m", "4"],
    ["--list", "--matrix", "a.mtx"],
    ["--list", "-f", "json", "--matrix", "a.mtx"],
    ["--list", "-f", "json", "-n", "1:256:1", "-t", "1:256:1", "-b", "1,2"],
    ["-o", "/nonexistent/folder/records"],
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=" ".join)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run("lu", *options), 2, "lu: ")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_benchmark_refuses_size_zero(benchmark: str) -> None:
    refused(run(benchmark, "-n", 0), 2, f"{benchmark}: --size 0")


def test_the_message_names_the_option_that_is_unknown() -> None:
    refused(run("lu", "-n", 8, "--nosuch"), 2, "'--nosuch'", "lu --help")
    refused(run("lu", "-n"), 2, "-n")


def options_with_values(executable: str) -> set[str]:
    """The options whose value is no file, as the executable's own help names them."""
    found = re.findall(r"(--[a-z-]+)=(\S+)", run(executable, "--help").out)
    return {option for option, value in found if not value.startswith("FILE")}


def assert_shortened(result: Result, status: int = 2) -> None:
    """The program's own line, behind what the runtime may say, has 60 of many characters."""
    assert (result.status, result.out) == (status, "")
    line = result.err.splitlines()[-1]
    assert "é" * 59 + "…" in line
    assert "é" * 60 not in line


@pytest.mark.parametrize("executable", ["lu", *MICRO_BENCHMARKS])
def test_a_long_value_is_shortened_to_sixty_characters(executable: str) -> None:
    options = options_with_values(executable)
    assert len(options) >= 6
    if executable != "lu":  # one is enough of those that lu has too
        common = options & options_with_values("lu")
        options -= {*sorted(common)[1:]}
    for option in options:
        assert_shortened(run(executable, option, "é" * 5000))
    assert_shortened(run(executable, "é" * 5000))


@pytest.mark.parametrize(
    ("variable", "status"), [("OMP_NUM_THREADS", 2), ("POLLUX_EXPECT_RUNTIME", 3)]
)
def test_a_long_value_of_a_variable_is_shortened_to_sixty_characters(
    variable: str, status: int
) -> None:
    assert_shortened(run("lu", "-n", 8, settings={variable: "é" * 5000}), status)


@pytest.mark.parametrize("tile", [f"{2**31 - 1}x1", "1"])
@pytest.mark.parametrize("option", ["-m", "-n"])
def test_matrices_too_large_for_lapack_when_padded_are_refused(option: str, tile: str) -> None:
    """Panels, and what the checks multiply, are whole columns whatever the tiles are."""
    size = 2**31 - 1
    options = ({"-m": "-n", "-n": "-m"}[option], 1, option, size, "-b", tile, "-c", "none")
    refused(run("lu", *options), 2, f"{size}", "too large a matrix: at most 2147483632 rows and")


def test_rows_are_refused_where_matrices_are_square() -> None:
    refused(run("cholesky", "-n", 8, "-m", 8), 2, "--rows")


@pytest.mark.parametrize("option", ["-o", "--matrix"])
def test_a_folder_is_no_file(option: str, tmp_path: Path) -> None:
    size = [] if option == "--matrix" else ["-n", 8]
    refused(run("lu", *size, option, tmp_path), 2, str(tmp_path))


def test_no_file_is_written_twice_or_over_the_matrix_that_is_read(tmp_path: Path) -> None:
    matrix, link, new = tmp_path / "matrix", tmp_path / "link", tmp_path / "new"
    text = "%%MatrixMarket matrix array real general\n1 1\n1\n"
    matrix.write_text(text)
    link.symlink_to(matrix)
    for option in ("-o", "--trace"):
        refused(run("lu", "--matrix", matrix, option, link), 2, "--matrix", "same file")
    (tmp_path / "folder").mkdir()
    for other in (new, tmp_path / "folder/../new"):
        written = run("lu", "-n", 8, "-o", new, "--trace", other)
        refused(written, 2, "--output", "--trace", "same file")
    with link.open("a") as stream:
        command: list[str | Path] = [BIN / "lu", "-n", "8", "-o", matrix]
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"standard output goes to the same file" in done.stderr
    assert matrix.read_text() == text


@pytest.mark.parametrize("option", ["--output", "--trace", "--graph", "--matrix"])
def test_a_dash_is_no_name_of_a_file(option: str) -> None:
    size = [] if option == "--matrix" else ["-n", 8]
    refused(run("cholesky", *size, option, "-"), 2, f"{option} -", "name a file")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_an_unknown_variant_is_answered_with_the_known_ones(benchmark: str) -> None:
    known = [entry["variant"] for entry in variants(benchmark)]
    refused(run(benchmark, "-v", "nothing"), 2, "nothing", "all", *known)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("size", [1_000_000_000, 2_147_483_632])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_tried(
    benchmark: str, size: int
) -> None:
    words = f"N = {size}", "choose a smaller configuration"
    refused(run(benchmark, "-n", size, "-t", 1), 3, *words)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_memory_for_verification_is_needed_only_where_something_is_verified(benchmark: str) -> None:
    none, fast = (
        [i["bytes"] for i in described(benchmark, "-n", 1000, "-c", check)["instances"]]
        for check in ("none", "fast")
    )
    assert none and all(own < more for own, more in zip(none, fast, strict=True))


def test_memory_is_checked_for_every_size_before_the_first_runs() -> None:
    refused(run("lu", "-n", "8,1000000000", "-t", 1), 3, "GiB", "= 1000000000", ", 1 thread needs")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_smallest_size_runs(benchmark: str) -> None:
    """The tests of the C code have other sizes."""
    result = run(benchmark, "-n", 1, "-t", 2, "-c", "full", "-v", "all", "-r", 1)
    assert result.status == 0, result.err


def test_lists_and_ranges_are_combined() -> None:
    options = ("-n", "10:30:10,7", "-b", "8,16", "-t", "1,2", "-v", "depend", "-r", 3)
    records = run("lu", *options, "-f", "json").records
    seen = [(r["n"], r["nb"], r["threads"], r["repetition"]) for r in records]
    assert seen == [
        (n, nb, t, r) for n in (10, 20, 30, 7) for nb in (8, 16) for t in (1, 2) for r in range(3)
    ]


@pytest.mark.skipif(RUNTIME == "ompss", reason="Nanos++ does not read these")
@pytest.mark.parametrize(
    ("variable", "value"), [("OMP_THREAD_LIMIT", "1"), ("OMP_MAX_ACTIVE_LEVELS", "0")]
)
def test_a_runtime_that_gives_fewer_threads_is_an_error(variable: str, value: str) -> None:
    result = run("lu", "-n", 64, "-t", 2, settings={variable: value})
    assert result.status == 3
    assert f"raise {variable}," in result.errors[-1]
    assert "PASS" not in result.out


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_help_names_every_option(benchmark: str) -> None:
    result = run(benchmark, "--help")
    assert result.status == 0
    assert result.err == ""
    names = "size rows tile inner threads variant repeat warmup seed check format output matrix"
    for name in [*names.split(), "numa", "no-priority", "list", "version", "help"]:
        assert f"--{name}" in result.out


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_version_names_runtime_and_blas(benchmark: str) -> None:
    result = run(benchmark, "--version")
    assert result.status == 0
    lines = {line.split()[0]: line for line in result.out.splitlines()}
    assert f" {RUNTIME} " in lines["runtime"]
    assert "OpenBLAS" in lines["blas"]
    assert "pthread build" in lines["blas"]
    assert Path(lines["runtime"].split(", ")[-1]).is_file()
    assert Path(lines["lapack"].split()[-1]).is_file()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_list_as_json_describes_every_variant(benchmark: str) -> None:
    entries = variants(benchmark)
    assert entries
    for entry in entries:
        assert entry["summary"]
        assert entry["digest_group"]
        assert entry["available"] == (entry["reason"] == "")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_list_as_table_names_every_variant_and_parameter(benchmark: str) -> None:
    names = [line.split()[0] for line in run(benchmark, "--list").out.splitlines()[1:]]
    parameters = [f"--{p['parameter']}" for p in described(benchmark)["parameters"]]
    assert names == [*(e["variant"] for e in variants(benchmark)), "kernels", *parameters]
