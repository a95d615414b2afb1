# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign's grid comes to."""

import os
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from campaign_files import plan, refusal
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.tuned import by_target, lookup
from pollux.core.executables import benchmarks
from pollux.core.executables import variables as variables_
from pollux.core.tiles import Tile
from project import write_script


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    """All fake executables list these, and the shell sets nothing of OpenMP."""
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,unavailable")
    for name in [n for n in os.environ if n.startswith(("OMP_", "KMP_"))]:
        monkeypatch.delenv(name)


def points(made: Plan, *fields: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(c, f) for f in fields) for c in made.configurations]


def test_the_least_campaign_is_every_variant_on_both_runtimes(
    tmp_path: Path, build_root: Path
) -> None:
    made = plan(tmp_path, build_root, "[grid]\nsize = 512\n")
    assert len(made.configurations) == 4 * 2 * 2
    assert len(made.cells()) == 4 * 2
    assert [len(cell) for cell in made.cells()] == [2] * 8
    assert points(made, "benchmark", "variant", "runtime")[:3] == [
        ("cholesky", "seq", "libgomp"),
        ("cholesky", "seq", "libomp"),
        ("cholesky", "depend", "libgomp"),
    ]


def test_builds_and_quotas_are_not_looked_at_for_each_configuration(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def look(real: Callable[..., object], *arguments: object) -> object:
        looks.append(real.__name__)
        return real(*arguments)

    for module, name in ((benchmarks, "check_executables"), (variables_, "processors_of_quota")):
        monkeypatch.setattr(module, name, partial(look, getattr(module, name)))
    numbers = []
    for sizes in ([512], [512, 576, 640]):
        plan(tmp_path, build_root, f"[grid]\nsize = {sizes}\nthreads = ['all', 2]\n")
        numbers.append(sorted(looks))
        looks.clear()
    assert {"check_executables", "processors_of_quota"} <= set(numbers[0])
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize(
    ("key", "setting", "switched_off"),
    [
        ("as-is", "off", False),
        ("off", "in force", True),
        ("equal", "in force", False),
        ("equal", "off", True),
        ("equal", "without effect: it does not read them", True),
        ("equal", "not known to have an effect", True),
    ],
)
def test_priorities_are_equal_on_all_runtimes_if_the_campaign_says_so(
    tmp_path: Path, build_root: Path, key: str, setting: str, switched_off: bool
) -> None:
    text = (
        f'priorities = "{key}"\n[runtimes.a]\npreset = "libgomp"\n[runtimes.b]\n'
        f'preset = "libomp"\nvariables = {{ FAKE_PRIORITY = "{setting}" }}\n'
        '[grid]\nsize = 512\nvariant = "depend"\n'
    )
    made = plan(tmp_path, build_root, text)
    assert {"--no-priority" in c.arguments for c in made.configurations} == {switched_off}
    reason = "priorities are off on all runtimes: not in force on b"
    assert (reason in made.left_out) == (switched_off and key == "equal")


def test_a_configuration_says_how_it_is_run(tmp_path: Path, build_root: Path) -> None:
    text = (
        'seed = 7\nrepetitions = 3\nwarmup = 2\ncheck = "full"\n[environments.p]\n'
        'OMP_WAIT_POLICY = "passive"\n[runtimes.a]\npreset = "libgomp"\nvariables = { X = 1 }\n'
        '[grid]\nbenchmark = "qr"\nvariant = "depend"\nsize = 512\nrows = 1024\ntile = 64\n'
        'inner = 16\nthreads = 2\nenvironment = "p"\nnuma = "first-touch"\nkernels = "tuned"\n'
    )
    made = plan(tmp_path, build_root, text).configurations[0]
    assert " ".join(made.arguments) == (
        "--variant depend --kernels tuned --size 512 --rows 1024 --tile 64 --inner 16 --threads 2 "
        "--numa first-touch --repeat 3 --warmup 2 --check full --format json"
    )
    assert made.executable == str(build_root / "libgomp" / "bin" / "qr")
    assert made.variables == {
        "OMP_PROC_BIND": "close",
        "OMP_PLACES": "cores",
        "OMP_WAIT_POLICY": "passive",
        "X": "1",
    }
    assert made.seed == 7
    assert sorted(made.builds) == ["executable", "runtime"]
    assert all(len(digest) == 64 for digest in made.builds.values())


def test_the_user_s_shell_wins_over_the_default_binding_alone(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_PLACES", "sockets")
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    text = '[environments.p]\nOMP_WAIT_POLICY = "passive"\n[grid]\nsize = 8\nenvironment = "p"\n'
    made = plan(tmp_path, build_root, text).configurations[0]
    assert made.variables == {"OMP_PROC_BIND": "close", "OMP_WAIT_POLICY": "passive"}


def test_seq_is_planned_once_whatever_threads_says(tmp_path: Path, build_root: Path) -> None:
    text = '[grid]\nbenchmark = "lu"\nsize = 8\nruntime = "libgomp"\nthreads = [1, 2, "all"]\n'
    made = plan(tmp_path, build_root, text)
    assert points(made, "variant", "threads") == [
        ("seq", 1),
        ("depend", 1),
        ("depend", 2),
        ("depend", None),
    ]
    assert "--threads" not in made.configurations[0].arguments


def test_inner_blocks_are_those_of_qr_alone(tmp_path: Path, build_root: Path) -> None:
    text = '[grid]\nbenchmark = ["lu", "qr"]\nvariant = "depend"\nsize = 8\ninner = [2, 4]\n'
    made = plan(tmp_path, build_root, text, "runtime=libgomp")
    assert points(made, "benchmark", "inner") == [("lu", None), ("qr", 2), ("qr", 4)]


def test_include_adds_what_exclude_then_leaves_out(tmp_path: Path, build_root: Path) -> None:
    text = (
        '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = [8, 16]\nruntime = "libgomp"\n'
        '[[include]]\nsize = [16, 32]\ntile = ["default", 4]\n[[exclude]]\nsize = 32\ntile = 4\n'
    )
    made = plan(tmp_path, build_root, text)
    assert points(made, "size", "tile_asked") == [
        (8, "default"),
        (16, "default"),
        (16, "4"),
        (32, "default"),
    ]


def test_the_fastest_tile_is_left_to_the_executable(tmp_path: Path, build_root: Path) -> None:
    grid = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 8\nruntime = "libgomp"\n'
    made = plan(tmp_path, build_root, f'{grid}tile = ["default", "fastest", 4]\n')
    assert points(made, "tile_asked") == [("default",), ("fastest",), ("4",)]
    given = [c.arguments for c in made.configurations]
    assert [a[a.index("--tile") + 1] if "--tile" in a else None for a in given] == [
        None,
        "fastest",
        "4",
    ]
    assert all(c.needs for c in made.configurations)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[[exclude]]\nvariant = 'dpend'\n", "trial.toml:4: exclude: matches no configuration"),
        ("[[include]]\nsize = 8\n", "trial.toml:4: include: adds no new configuration"),
        ("[[exclude]]\nsize = 8\n", "trial.toml:2: grid: nothing is left to run"),
        ("rows = 9\n", "trial.toml:4: grid.rows: only lu, lu-cw, qr take rows; leave cholesky"),
        (
            "benchmark = 'cholesk'\n",
            'trial.toml:4: grid.benchmark: "cholesk" is not a benchmark; did you mean "cholesky"?',
        ),
        (
            "benchmark = 'svd'\n",
            'grid.benchmark: "svd" is not a benchmark; choose from cholesky, lu, lu-cw, qr',
        ),
        (
            "variant = 'depent'\n",
            'trial.toml:4: grid.variant: "depent" is not a variant of cholesky',
        ),
        ("benchmark = 'lu'\ninner = 4\n", "trial.toml:5: grid.inner: only qr has inner blocks"),
        (
            "[runtimes.x]\npreset = 'none'\n",
            "no build 'none'; choose from libgomp, libomp; scripts/build makes more",
        ),
        (
            "kernels = 'tune'\n",
            'trial.toml:4: grid.kernels: "tune" is not a kernel set; choose from all, openblas',
        ),
        (
            "runtime = 'libgomp'\n[[include]]\nruntime = 'libomp'\nkernels = 'tuned'\n",
            "grid: libomp runs tuned kernels where libgomp runs openblas: their times do not",
        ),
        (
            "tile = 'tuned'\n",
            "run: pollux tune --benchmark cholesky --variant seq --kernels openblas --size 8",
        ),
    ],
)
def test_a_mistake_in_the_grid_is_reported_with_its_line(
    tmp_path: Path, build_root: Path, text: str, error: str
) -> None:
    assert error in refusal(tmp_path, build_root, f"[grid]\nsize = 8\n{text}")


PAIRS = """[grid]
size = 8
benchmark = "cholesky"
[[include]]
benchmark = "lu-cw"
[[include]]
benchmark = "qr"
tile = 4
"""


def test_a_value_for_all_grids_is_right_if_one_of_them_has_a_use_for_it(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")
    made = plan(tmp_path, build_root, PAIRS, "variant=depend,cw", "inner=2", "runtime=libgomp")
    assert points(made, "benchmark", "variant", "inner") == [
        ("cholesky", "depend", None),
        ("lu-cw", "cw", None),
        ("qr", "depend", 2),
    ]


OWN_VARIANTS = """
[grid]
size = 8
tile = 4
benchmark = ["cholesky", "lu"]
variant = "depend"
[[include]]
benchmark = "lu-cw"
variant = "cw"
tile = 2
"""


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("lu-cw", [("lu-cw", "cw", 2)]),
        ("lu", [("lu", "depend", 4)]),
        ("lu,lu-cw", [("lu", "depend", 4), ("lu-cw", "cw", 2)]),
        ("qr", [("qr", "depend", 4)]),
    ],
)
def test_chosen_benchmarks_run_as_the_tables_that_name_them_say(
    tmp_path: Path,
    build_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    chosen: str,
    expected: list[tuple[str, str, int]],
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")
    made = plan(tmp_path, build_root, OWN_VARIANTS, f"benchmark={chosen}", "runtime=libgomp")
    found = [(c.benchmark, c.variant, c.tile.nb if c.tile else None) for c in made.configurations]
    assert found == expected


def test_a_value_that_no_grid_has_a_use_for_is_named_once(tmp_path: Path, build_root: Path) -> None:
    found = refusal(tmp_path, build_root, PAIRS, "variant=depend,cw")
    assert found.startswith(
        '--set variant=depend,cw: grid.variant: "cw" is not a variant of cholesky, lu-cw, qr; '
    )
    assert "\n" not in found
    text = PAIRS.replace("qr", "lu")
    assert refusal(tmp_path, build_root, text, "inner=2").startswith("--set inner=2: grid.inner: ")


def test_an_override_of_the_grid_may_leave_rules_without_a_match(
    tmp_path: Path, build_root: Path
) -> None:
    text = "[grid]\nsize = 8\n[[exclude]]\nsize = 8\nvariant = 'seq'\n"
    assert len(plan(tmp_path, build_root, text, "size=9").configurations) == 16


def test_a_reference_outside_the_grid_is_an_error_where_runtimes_are_compared(
    tmp_path: Path, build_root: Path
) -> None:
    text = (
        'reference = "a"\n[runtimes]\na.preset = "libgomp"\nb.preset = "libomp"\n'
        'c.preset = "libomp"\n[grid]\nsize = 8\nruntime = ["b", "c"]\n'
    )
    assert "reference: a is not in the grid" in refusal(tmp_path, build_root, text)
    assert plan(tmp_path, build_root, text, "runtime=b").configurations


def test_kernel_sets_are_cells_of_their_own(tmp_path: Path, build_root: Path) -> None:
    grid = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 8\n'
    both = plan(tmp_path, build_root, f'{grid}kernels = "all"\n')
    assert [[(c.kernels, c.runtime) for c in cell] for cell in both.cells()] == [
        [(kernels, "libgomp"), (kernels, "libomp")] for kernels in ("openblas", "tuned")
    ]
    assert [c.arguments[3] for c in both.configurations] == ["openblas"] * 2 + ["tuned"] * 2
    assert len({c.label() for c in both.configurations}) == 2
    plain = plan(tmp_path, build_root, grid)
    assert points(plain, "kernels") == [("openblas",)] * 2
    rule = '[[exclude]]\nkernels = "tuned"\nruntime = "libomp"\n'
    left = plan(tmp_path, build_root, f'{grid}kernels = "all"\n{rule}')
    assert points(left, "kernels", "runtime") == [
        ("openblas", "libgomp"),
        ("openblas", "libomp"),
        ("tuned", "libgomp"),
    ]


def test_a_tuned_tile_is_that_of_the_label_or_else_of_the_build(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"mine": (Tile.square(96), 16), "libomp": (Tile(512, 128), 32)}

    def fake(_: object, **asked: object) -> tuple[Tile, int | None] | None:
        return found.get(str(asked["runtime"]))

    assert callable(lookup) and callable(by_target)
    read: list[Path] = []
    monkeypatch.setattr("pollux.core.campaign.planner.lookup", fake)
    monkeypatch.setattr("pollux.core.campaign.planner.by_target", read.append)
    text = (
        '[runtimes]\nmine.preset = "libgomp"\nother.preset = "libomp"\n'
        '[grid]\nbenchmark = "qr"\nvariant = "depend"\nsize = 512\ntile = "tuned"\n'
    )
    made = plan(tmp_path, build_root, text)
    assert read == [tmp_path / "state" / "tuned.json"]  # once for all
    assert points(made, "runtime", "inner") == [("mine", None), ("other", None)]
    assert [str(c.tile) for c in made.configurations] == ["96", "512x128"]
    assert len(made.cells()) == 1
    assert "--tile 96 --inner 16" in " ".join(made.configurations[0].arguments)
    assert "--tile 512x128 --inner 32" in " ".join(made.configurations[1].arguments)


def test_a_tuned_tile_is_that_of_the_threads_that_variables_ask_for(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(_: object, **asked: Any) -> tuple[Tile, int | None] | None:  # noqa: ANN401
        return Tile.square(16 * asked["threads"]), None

    monkeypatch.setattr("pollux.core.campaign.planner.lookup", fake)
    text = (
        "[environments]\nfew.OMP_NUM_THREADS = 2\n"
        '[runtimes]\nmine = { preset = "libgomp", variables = { OMP_NUM_THREADS = "3,1" } }\n'
        'other.preset = "libomp"\n[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 512\n'
        'tile = "tuned"\nenvironment = "few"\n'
    )
    for threads, tiles in (("", ["48", "32"]), ("threads = 4\n", ["64", "64"])):
        made = plan(tmp_path, build_root, text + threads)
        assert [str(c.tile) for c in made.configurations] == tiles


def test_tall_tiles_are_cells_of_their_own(tmp_path: Path, build_root: Path) -> None:
    grid = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 2048\n'
    text = f'{grid}tile = [128, "1024x128", "128x128"]\n'
    made = plan(tmp_path, build_root, text)
    assert len(made.cells()) == 2
    assert [c.tile_asked for c in made.configurations] == ["128"] * 2 + ["1024x128"] * 2
    assert "--tile 1024x128 " in " ".join(made.configurations[2].arguments)
    fewer = plan(tmp_path, build_root, f'{text}[[exclude]]\ntile = "1024x128"\n')
    assert [c.tile_asked for c in fewer.configurations] == ["128"] * 2
    asked = plan(tmp_path, build_root, grid, "tile=64,1024x128").configurations
    assert [str(c.tile) for c in asked] == ["64", "64", "1024x128", "1024x128"]


def test_the_same_file_gives_the_same_hashes(tmp_path: Path, build_root: Path) -> None:
    text = "[grid]\nsize = [8, 16]\n"
    first, second = (plan(tmp_path, build_root, text).configurations for _ in range(2))
    assert [c.hash() for c in first] == [c.hash() for c in second]
    assert len({c.hash() for c in first}) == len(first)


def test_the_calibration_is_that_of_the_reference_s_build(tmp_path: Path, build_root: Path) -> None:
    text = 'reference = "libomp"\n[grid]\nsize = 8\n'
    assert plan(tmp_path, build_root, text).calibration is None
    for preset in ("libgomp", "libomp"):
        write_script(build_root / preset / "bin" / "calibration", "true")
    assert plan(tmp_path, build_root, text).calibration == (
        build_root / "libomp" / "bin" / "calibration"
    )


def test_jobs_whose_nodes_differ_have_each_cell_once(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nkernels = "all"\nsize = [8, 16, 24]\n'
    parts = [plan(tmp_path, build_root, text).dealt(1, 3)]
    monkeypatch.setenv("FAKE_WITHOUT_TUNED", "needs AVX2")
    parts += [plan(tmp_path, build_root, text).dealt(number, 3) for number in (2, 3)]
    found = [
        (c.size, c.kernels, c.runtime)
        for part in parts
        for c in (*part.configurations, *(c for c, _ in part.unavailable))
    ]
    every = product((8, 16, 24), ("openblas", "tuned"), ("libgomp", "libomp"))
    assert sorted(found) == sorted(every)
    assert any(part.unavailable for part in parts)
