# SPDX-License-Identifier: BSD-3-Clause
"""`pollux plot` writes the figures that there is data for, chooses, and refuses in one line."""

import errno
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from plotted import grid, run_plot, write_small, write_tiles
from pollux.core.errors import BadUsageError, MachineError
from pollux.output.figures import kinds
from pollux.output.figures.selection import AT_MOST, Plan
from pollux_process import run_pollux
from synthetic import write_campaign


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small.jsonl")


@pytest.fixture
def tiles(tmp_path: Path) -> Path:
    return write_tiles(tmp_path / "tiles.jsonl")


def test_many_panels_are_cut_to_some_with_a_word_about_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "many.jsonl"
    cells = grid("depend", (1024, 2048), range(32, 32 * (AT_MOST + 2), 32))
    write_campaign(path, {"libgomp": 1.0}, cells, rounds=1)
    run_plot(path, "--kind", "runtimes")
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [str(tmp_path / "many-plots" / "lu-speed-by-runtime.svg")]
    assert (
        f"runtimes: 2 of {len(cells)} panels, with the NB where libgomp is fastest" in printed.err
    )
    assert "--tile" in printed.err


@pytest.mark.slow
def test_the_command_draws_what_there_is_data_for_and_prints_paths(
    tiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_plot(tiles, "--kind", "all", "--format", "svg", "--format", "png") == 0
    printed = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert {path.stem for path in printed} == {
        "speed-ratios",
        "lu-speed-by-runtime",
        "lu-speed-over-tile",
        "lu-speed-over-size",
    }
    assert sorted(printed) == sorted((tiles.parent / "tiles-plots").iterdir())
    for path in printed:
        if path.suffix == ".svg":
            ET.parse(path)
        else:
            assert path.read_bytes().startswith(b"\x89PNG")


KINDS = {"svg", "pdf", "png"}


@pytest.mark.slow
def test_the_same_records_give_the_same_bytes(tiles: Path, tmp_path: Path) -> None:
    formats = [word for kind in sorted(KINDS) for word in ("--format", kind)]
    for seed in "12":
        options = (*formats, "--kind", "tile", "--output", tmp_path / seed)
        run_pollux("plot", tiles, *options, PYTHONHASHSEED=seed)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / seed).iterdir()} for seed in "12"
    )
    assert first == second
    assert {name.rpartition(".")[2] for name in first} == KINDS


def test_hostile_names_stay_text_and_files_stay_in_their_folder(tmp_path: Path) -> None:
    path = tmp_path / "a/folder/odd.jsonl"
    path.parent.mkdir(parents=True)
    names = {"$x_{1}$ </text><b>&": 1.0, "_hidden\x1b\n": 1.1}
    write_campaign(path, names, [("../../lu", "$depend", 2048, 192)], rounds=3)
    run_plot(path, "--kind", "all")
    figures = [*path.with_name("odd-plots").iterdir()]
    assert figures
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {path, *figures}
    for drawn in figures:
        texts = "".join(ET.parse(drawn).getroot().itertext())
        assert "$x_{1}$ </text><b>&" in texts
        assert "$depend" in texts


def test_filters_choose_and_leave_the_statistics(
    tiles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_plot(tiles, "--tile", 64, "--size", 1024, "--variant", "depend", "--kind", "all")
    assert [Path(p).name for p in capsys.readouterr().out.split()] == [
        "speed-ratios.svg",
        "lu-speed-by-runtime.svg",
    ]
    with pytest.raises(BadUsageError, match="--tile 65; tile sizes there are: 64, 128, 192"):
        run_plot(tiles, "--tile", 65)
    with pytest.raises(BadUsageError, match="--kernels tuned; kernel sets there are: openblas"):
        run_plot(tiles, "--kernels", "tuned")
    with pytest.raises(BadUsageError, match=r"--tile: .*multiple of NB"):
        run_plot(tiles, "--tile", "100x64")


def test_what_has_no_sample_is_refused_before_a_folder_is_made(small: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in small.read_text().splitlines()]
    described = [line for line in lines if line["event"] == "configuration"]
    libx = {line["hash"] for line in described if line["configuration"]["runtime"] == "libx"}
    kept = [
        line for line in lines if line["event"] != "sample" or line["configuration"] not in libx
    ]
    small.write_text("".join(json.dumps(line) + "\n" for line in kept))
    assert run_plot(small, "--kind", "runtimes", "--output", tmp_path / "all") == 0
    for options in ((), ("--kind", "all"), ("--kind", "runtimes")):
        with pytest.raises(BadUsageError, match="none of these configurations has a sample"):
            run_plot(small, "--runtime", "libx", *options, "--output", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_benchmarks_are_chosen_by_their_own_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.jsonl"
    cells = [("lu", "depend", 1024, 64), ("lu-cw", "cw", 1024, 64)]
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, cells, rounds=3)
    run_plot(path, "--benchmark", "lu-cw")
    assert capsys.readouterr().out.split()
    with pytest.raises(BadUsageError, match="benchmarks there are: lu, lu-cw"):
        run_plot(path, "--benchmark", "qr")


def test_the_kinds_that_can_be_drawn_are_named(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_plot(small) == 0
    told = "--kind draws what there is data for: ratios, runtimes; or all\n"
    assert capsys.readouterr().err.endswith(told)


def test_a_kind_without_data_is_refused(small: Path) -> None:
    with pytest.raises(BadUsageError, match=r"--kind threads.*; ratios, runtimes can be drawn"):
        run_plot(small, "--kind", "threads")


def test_where_nothing_can_be_drawn_the_reason_is_told_and_no_folder_made(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = Plan([], lambda page: Figure(), "no power is known of small")
    monkeypatch.setattr(kinds, "KINDS", {"power": (lambda request: empty, "")})
    with pytest.raises(BadUsageError, match="nothing to draw: no power is known of small"):
        run_plot(small, "--kind", "all")
    assert not small.with_name("small-plots").exists()


def test_runtimes_are_compared_with_a_reference_that_is_not_drawn(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_plot(small, "--runtime", "libomp", "--kind", "ratios")
    assert [Path(line).name for line in capsys.readouterr().out.splitlines()] == [
        "speed-ratios.svg"
    ]


def test_the_name_of_a_picture_is_no_folder(small: Path, tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match="figures are written into a folder"):
        run_plot(small, "--output", tmp_path / "g.png")
    assert not (tmp_path / "g.png").exists()


def test_a_file_in_place_of_the_folder_is_refused_in_one_line(small: Path) -> None:
    for folder in (small, small / "below"):
        with pytest.raises(BadUsageError) as refused:
            run_plot(small, "--output", folder)
        assert "cannot write" in refused.value.format_message()
        assert "\n" not in refused.value.format_message()


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, MachineError), (errno.EACCES, BadUsageError)]
)
def test_a_failing_write_leaves_nothing_behind(
    small: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[Exception]
) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(number, "planted")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(error, match="planted"):
        run_plot(small)
    assert list((small.parent / "small-plots").iterdir()) == []


def test_help_does_not_load_what_draws() -> None:
    code = (
        "import sys, pollux.output.commands.plot as p;"
        "sys.exit(any(m in sys.modules for m in ('matplotlib', 'numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
