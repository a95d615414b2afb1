# SPDX-License-Identifier: BSD-3-Clause
"""What of a campaign's grid cannot run here, and why."""

from pathlib import Path

import pytest
from campaign_files import plan
from pollux.core.errors import MachineError
from project import write_script


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    """All fake executables list these."""
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,unavailable")


def test_what_cannot_run_is_a_row_with_its_reason(tmp_path: Path, build_root: Path) -> None:
    for variant in ("", 'variant = ["depend", "unavailable"]\n'):
        made = plan(tmp_path, build_root, f'[grid]\nbenchmark = "lu"\nsize = 8\n{variant}')
        assert [(c.variant, c.runtime, why) for c, why in made.unavailable] == [
            ("unavailable", "libgomp", "needs a newer compiler"),
            ("unavailable", "libomp", "needs a newer compiler"),
        ]
        assert all(c.variant != "unavailable" for c in made.configurations)


def dying(build_root: Path, *executables: str) -> None:
    """Executables that a signal ends, whatever they are asked."""
    for path in executables:
        own = "echo 'Error: unknown kind of dependence' >&2\nkill -ABRT $$"
        write_script(build_root / path, f"#!/bin/sh\n{own}\n")


def test_a_benchmark_whose_executable_dies_is_left_out_on_that_runtime_alone(
    tmp_path: Path, build_root: Path
) -> None:
    dying(build_root, "libomp/bin/lu-cw")
    grid = '[grid]\nbenchmark = ["lu", "lu-cw"]\nvariant = "depend"\nsize = 8\n'
    made = plan(tmp_path, build_root, grid)
    assert [(c.benchmark, c.runtime) for c in made.configurations] == [
        ("lu", "libgomp"),
        ("lu", "libomp"),
        ("lu-cw", "libgomp"),
    ]
    (line,) = made.not_run()
    assert line.startswith("not run: lu-cw depend on libomp: ")
    assert "killed by SIGABRT: Error: unknown kind of dependence" in line


def test_a_runtime_on_which_every_executable_dies_is_refused(
    tmp_path: Path, build_root: Path
) -> None:
    dying(build_root, "libomp/bin/lu", "libomp/bin/lu-cw")
    grid = '[grid]\nbenchmark = ["lu", "lu-cw"]\nvariant = "depend"\nsize = 8\n'
    with pytest.raises(MachineError, match="unknown kind of dependence"):
        plan(tmp_path, build_root, grid)


def test_a_kernel_set_that_the_processor_lacks_is_a_row_with_its_reason(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_WITHOUT_TUNED", "it is for another processor")
    grid = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 8\n'
    made = plan(tmp_path, build_root, f'{grid}kernels = "all"\n')
    assert [c.kernels for c in made.configurations] == ["openblas"] * 2
    why = "kernel set tuned: it is for another processor"
    assert [(c.kernels, reason) for c, reason in made.unavailable] == [("tuned", why)] * 2
    with pytest.raises(MachineError, match=why):
        plan(tmp_path, build_root, f'{grid}kernels = "tuned"\n')


def test_a_plan_of_which_nothing_can_run_is_the_machine_s_fault(
    tmp_path: Path, build_root: Path
) -> None:
    with pytest.raises(MachineError, match="needs a newer compiler"):
        plan(tmp_path, build_root, '[grid]\nsize = 8\nvariant = "unavailable"\n')
