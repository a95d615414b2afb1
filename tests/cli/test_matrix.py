# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market input: matrices that cannot be factored, and files that are no such matrices."""

import json
import subprocess
from pathlib import Path

import pytest
from executable import BIN, FACTORIZATIONS, Result, refused, run, variants

pytestmark = pytest.mark.any_runtime

Rows = list[list[float]]


def written(tmp_path: Path, rows: Rows) -> Path:
    """A file with this matrix."""
    path = tmp_path / "matrix.mtx"
    columns = "\n".join(str(value) for column in zip(*rows, strict=True) for value in column)
    size = f"{len(rows)} {len(rows[0])}"
    path.write_text(f"%%MatrixMarket matrix array real general\n{size}\n{columns}\n")
    return path


def identity_but(row: int, column: int, value: float, size: int = 9) -> Rows:
    """A symmetric matrix: the identity, but for an element and its mirror image."""
    rows = [[float(i == j) for j in range(size)] for i in range(size)]
    rows[row][column] = rows[column][row] = value
    return rows


def every_variant(benchmark: str, path: Path, *options: object) -> Result:
    """Runs all variants on a file, in tiles smaller than its matrix."""
    return run(benchmark, "--matrix", path, "-b", 4, "-t", 2, "-r", 1, "-v", "all", *options)


def fails_at(result: Result, benchmark: str, column: int) -> None:
    """Expects that every variant broke down in that 1-based column, and reported it."""
    assert result.status == 1, result.err
    count = sum(entry["available"] for entry in variants(benchmark))
    assert len(result.errors) == count
    for line in result.errors:
        assert f" {column} " in line.replace(":", " "), line
    verdicts = [line for line in result.out.splitlines() if line.startswith("FAIL")]
    assert len(verdicts) == count
    assert all(line.endswith(f"column={column}") for line in verdicts)
    assert "PASS" not in result.out


@pytest.mark.parametrize("benchmark", FACTORIZATIONS)
def test_a_good_matrix_passes(benchmark: str, tmp_path: Path) -> None:
    path = written(tmp_path, identity_but(5, 2, 0.25))
    assert every_variant(benchmark, path, "-c", "full").status == 0


def test_a_regular_matrix_that_breaks_down_without_pivoting_is_not_called_singular(
    tmp_path: Path,
) -> None:
    options = ("--matrix", written(tmp_path, [[0, 1], [1, 0]]), "-t", 1, "-r", 1)
    assert run("lu", "-v", "depend", *options).status == 0
    (line,) = run("lu", "-v", "nopiv", *options).errors
    assert "the matrix or, without pivoting, a leading block of it is singular" in line


def test_a_pivot_whose_reciprocal_is_infinite_is_no_breakdown_of_our_own_code(
    tmp_path: Path,
) -> None:
    rows = identity_but(5, 5, 1e-310, size=40)
    for row in (6, 39):  # one of them beside the triangle on top of the panel
        rows[row][5] = 5e-311
    path = written(tmp_path, rows)
    done = run("lu", "--matrix", path, "-b", 40, "-v", "seq", "-r", 1, "--kernels", "tuned")
    if done.status == 3:
        pytest.skip("the kernel set tuned has no code for this processor")
    assert done.status == 0, done.out


@pytest.mark.parametrize("scale", [1e-141, 1e141], ids=str)
@pytest.mark.parametrize("benchmark", ["cholesky", "lu", "qr"])
def test_matrices_whose_residuals_cannot_be_known_are_refused(
    benchmark: str, scale: float, tmp_path: Path
) -> None:
    path = written(tmp_path, [[scale, 0], [0, 0.5 * scale]])
    line = refused(run(benchmark, "--matrix", path, "-t", 1, "-r", 1), 2, str(path))
    assert f"largest element is {scale:.3g}" in line
    assert "from 1e-140 to 1e+140" in line


@pytest.mark.parametrize("scale", [1e-140, 1e140], ids=str)
@pytest.mark.parametrize("benchmark", ["cholesky", "lu", "qr"])
def test_residuals_do_not_depend_on_the_scale(benchmark: str, scale: float, tmp_path: Path) -> None:
    path = written(tmp_path, [[scale, 0.25 * scale], [0.25 * scale, 0.5 * scale]])
    assert every_variant(benchmark, path, "-c", "full").status == 0


@pytest.mark.parametrize("benchmark", ["cholesky", "qr"])
def test_coordinates_pass(benchmark: str, tmp_path: Path) -> None:
    path = tmp_path / "matrix.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 5\n3 3 6\n3 1 -1\n"
    )
    assert every_variant(benchmark, path, "-c", "full").status == 0


@pytest.mark.parametrize("benchmark", ["cholesky", "lu", "lu-cw"])
@pytest.mark.parametrize("column", [0, 3, 4, 8])
def test_a_singular_matrix_is_reported_by_column(
    benchmark: str, column: int, tmp_path: Path
) -> None:
    path = written(tmp_path, identity_but(column, column, 0.0))
    fails_at(every_variant(benchmark, path), benchmark, column + 1)


@pytest.mark.parametrize("column", [0, 5, 8])
def test_an_indefinite_matrix_is_reported_by_its_minor(column: int, tmp_path: Path) -> None:
    path = written(tmp_path, identity_but(column, column, -1.0))
    result = every_variant("cholesky", path)
    fails_at(result, "cholesky", column + 1)
    assert "not positive" in result.err


@pytest.mark.parametrize("benchmark", FACTORIZATIONS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("column", [0, 6])
def test_values_that_are_not_finite_are_reported(
    benchmark: str, value: float, column: int, tmp_path: Path
) -> None:
    path = written(tmp_path, identity_but(column, column, value))
    fails_at(every_variant(benchmark, path), benchmark, column + 1)


def test_sparselu_takes_the_positions_and_not_the_values(tmp_path: Path) -> None:
    digests = set()
    for value in (0.25, 1e300, float("nan")):
        path = written(tmp_path, identity_but(5, 2, value))
        done = every_variant("sparselu", path, "-c", "full", "-f", "json", "-r", "2")
        assert done.status == 0, done.err
        records = [json.loads(line) for line in done.out.splitlines()]
        digests |= {record["digest"] for record in records}
        assert {record["figures"]["blocks"] for record in records} == {5}
        assert not any(record["parameters"] for record in records)
        assert "pattern" not in done.err
    assert len(digests) == 1


@pytest.mark.parametrize("pattern", ["kastors", "grid"])
def test_a_pattern_beside_the_positions_of_a_file_is_refused(pattern: str, tmp_path: Path) -> None:
    path = written(tmp_path, identity_but(5, 2, 0.25))
    refused(run("sparselu", "--matrix", path, "--pattern", pattern), 2, "--pattern", "--matrix")


def test_coordinates_may_name_a_place_more_often_than_there_are_places(tmp_path: Path) -> None:
    path = tmp_path / "matrix.mtx"
    entries = "1 1 1\n" * 5
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n1 1 5\n{entries}")
    assert every_variant("cholesky", path, "-c", "full").status == 0


def test_qr_factors_a_singular_matrix(tmp_path: Path) -> None:
    path = written(tmp_path, identity_but(4, 4, 0.0))
    assert every_variant("qr", path, "-c", "full").status == 0


def test_cholesky_needs_a_symmetric_matrix(tmp_path: Path) -> None:
    rows = identity_but(0, 0, 1.0)
    rows[3][1] = 0.5
    refused(run("cholesky", "--matrix", written(tmp_path, rows)), 2, "not symmetric")


def test_cholesky_needs_a_square_matrix(tmp_path: Path) -> None:
    path = written(tmp_path, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    refused(run("cholesky", "--matrix", path), 2, "2 x 3", "square")


@pytest.mark.parametrize("benchmark", ["lu", "lu-cw", "qr"])
def test_the_others_take_rectangular_matrices(benchmark: str, tmp_path: Path) -> None:
    rows = [[1.0 + i * j % 7 + (i == j) for j in range(3)] for i in range(11)]
    path = written(tmp_path, rows)
    result = every_variant(benchmark, path, "-c", "full", "-f", "json")
    assert result.status == 0, result.err
    assert {(r["m"], r["n"], r["matrix"]) for r in result.records} == {(11, 3, str(path))}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no matrix\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 3 1\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
        "%%MatrixMarket matrix array complex general\n1 1\n1 1\n",
    ],
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    refused(run("qr", "--matrix", path), 2, str(path))


def test_a_matrix_may_come_through_a_pipe(tmp_path: Path) -> None:
    path = written(tmp_path, identity_but(5, 2, 0.25))
    command: list[str | Path] = [BIN / "lu", "--matrix", "/dev/stdin", "-r", "1", "-f", "json"]
    done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    (record,) = run("lu", "--matrix", path, "-r", 1, "-f", "json").records
    assert json.loads(done.stdout)["digest"] == record["digest"]


def test_devices_are_refused_and_names_cannot_break_lines(tmp_path: Path) -> None:
    refused(run("qr", "--matrix", "/dev/zero"), 2, "/dev/zero", "device")
    refused(run("qr", "--matrix", tmp_path / "a\nb\x1b[31m"), 2, "a?b?[31m")


def test_a_sparse_matrix_that_is_too_large_when_dense_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n")
    refused(run("qr", "--matrix", path), 3, "GiB")
