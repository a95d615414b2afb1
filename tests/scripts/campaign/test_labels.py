# SPDX-License-Identifier: BSD-3-Clause
"""What campaigns make of runtimes that they name by label, and of optional ones."""

from pathlib import Path

import pytest
from campaign_files import plan, write
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.plan import make_plan
from pollux.core.errors import BadUsageError
from pollux.core.hashing import digest
from project import ROOT
from runtime_machine import Machine, library, make_machine

GRID = '[grid]\nbenchmark = "lu"\nsize = 8\n'


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return make_machine(tmp_path, monkeypatch)


def test_a_combination_is_a_value_of_the_runtime_axis(machine: Machine) -> None:
    path = library(machine.runtimes / "16" / "lib" / "libomp.so.5", "libomp", "16", "GOMP KMP")
    text = f'{GRID}runtime = ["libgomp", "gcc+libomp16", "libomp", "clang+libomp16"]\n'
    made = plan(machine.root, machine.builds, text).configurations
    by_label = {c.runtime: c for c in made}
    assert list(by_label) == ["libgomp", "gcc+libomp16", "libomp", "clang+libomp16"]
    gcc = by_label["gcc+libomp16"]
    assert gcc.executable == by_label["libgomp"].executable
    assert gcc.builds["executable"] == by_label["libgomp"].builds["executable"]
    assert gcc.builds["runtime"] == by_label["clang+libomp16"].builds["runtime"] == digest(path)
    assert gcc.variables["POLLUX_EXPECT_RUNTIME"] == "libomp"
    assert gcc.variables["POLLUX_EXPECT_RUNTIME_PATH"] == str(path)


def test_a_combination_that_is_chosen_without_the_first_runtime_needs_no_reference(
    machine: Machine,
) -> None:
    path = write(machine.root, f'name = "trial"\n{GRID}')
    for chosen in ("libomp,gcc+libomp19", "gcc+libomp19,libomp"):
        campaign = load_campaign(str(path), [], {"runtime": [chosen]}).campaign
        made = make_plan(campaign, machine.builds, machine.root / "state")
        assert made.reference == chosen.partition(",")[0]


def test_a_label_makes_the_same_configuration_as_the_library_s_path(machine: Machine) -> None:
    path = library(machine.runtimes / "16" / "lib" / "libomp.so.5", "libomp", "16", "GOMP KMP")
    by_path = f'[runtimes."gcc+libomp16"]\npreset = "libgomp"\nlibrary = "{path}"\n'
    labels = [by_path, by_path.replace(str(path), "libomp16"), '[runtimes.x]\npreset = "y"\n']
    text = f'{GRID}runtime = "gcc+libomp16"\n'
    made = [plan(machine.root, machine.builds, t + text).configurations for t in labels]
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("text", ["", '[runtimes.x]\npreset = "libgomp"\nlibrary = "libkomp"\n'])
def test_what_a_library_reports_counts_not_its_file_s_name(machine: Machine, text: str) -> None:
    library(machine.runtimes / "k" / "lib" / "libomp.so.5", "libkomp", None, "GOMP")
    label = "x" if text else "gcc+libkomp"
    made = plan(machine.root, machine.builds, text + GRID, f"runtime={label}").configurations
    assert made[0].variables["POLLUX_EXPECT_RUNTIME"] == "libkomp"


def test_an_entry_of_runtimes_wins_over_a_combination_of_that_name(machine: Machine) -> None:
    entry = '[runtimes."gcc+libomp19"]\npreset = "libomp"\nvariables = { X = 1 }\n'
    made = plan(machine.root, machine.builds, entry + GRID).configurations
    assert [c.variables.get("X") for c in made] == ["1"]
    assert "/libomp/bin/" in made[0].executable


def test_a_build_without_an_entry_is_known_by_its_name(machine: Machine) -> None:
    bolt = library(machine.runtimes / "bolt" / "lib" / "libbolt.so", "bolt", "2", "GOMP KMP")
    machine.build("bolt", "libomp.so", bolt)
    made = plan(machine.root, machine.builds, GRID, "runtime=libgomp,bolt").configurations
    assert [c.runtime for c in made] == ["libgomp", "bolt"]
    assert made[1].builds["runtime"] == digest(bolt)


def test_all_stands_for_the_entries_of_runtimes_alone(machine: Machine) -> None:
    text = f'{GRID}[[include]]\nsize = 9\nruntime = "gcc+libomp19"\n'
    made = plan(machine.root, machine.builds, text).configurations
    assert [(c.size, c.runtime) for c in made] == [
        (8, "libgomp"),
        (8, "libomp"),
        (9, "gcc+libomp19"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{GRID}runtime = 'gcc+libomp18'\n", "5: grid.runtime: there is no library libomp18"),
        (
            f"{GRID}runtime = 'bolt'\n",
            "5: grid.runtime: there is no build bolt; choose from libgomp",
        ),
        (f"reference = 'gcc+x'\n{GRID}", "2: reference: there is no library x; choose from"),
        (
            f"[runtimes.a]\npreset = 'libomp'\nlibrary = 'libomp18'\n{GRID}",
            "4: runtimes.a.library: there is no library libomp18; choose from libgomp12, libomp19",
        ),
        (
            f"reference = 'a'\n[runtimes.a]\npreset = 'libomp'\noptional = true\n{GRID}",
            "2: reference: the reference runtime cannot be optional",
        ),
    ],
)
def test_a_label_that_is_not_there_is_an_error_of_its_line(
    machine: Machine, text: str, message: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        plan(machine.root, machine.builds, text)
    lines = caught.value.format_message().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"{machine.root}/trial.toml:{message}")


OPTIONAL = (
    '[runtimes.libgomp]\npreset = "libgomp"\n[runtimes.bolt]\npreset = "bolt"\noptional = true\n'
    '[runtimes.old]\npreset = "libgomp"\nlibrary = "libomp14"\noptional = true\n'
)


def test_optional_runtimes_that_are_not_here_are_left_out_with_a_line(machine: Machine) -> None:
    exclude = '[[exclude]]\nruntime = "bolt"\nsize = 8\n'
    include = (
        '[[include]]\nruntime = ["bolt", "libgomp"]\nsize = 16\n[[include]]\nruntime = "old"\n'
    )
    made = plan(machine.root, machine.builds, OPTIONAL + GRID + include + exclude)
    assert [(c.runtime, c.size) for c in made.configurations] == [("libgomp", 8), ("libgomp", 16)]
    assert made.left_out == [
        "left out: bolt (optional and not built)",
        "left out: old (optional, and there is no library libomp14; choose from libgomp12, "
        "libomp19)",
    ]


def test_optional_runtimes_that_are_here_are_run(machine: Machine) -> None:
    bolt = library(machine.runtimes / "bolt" / "lib" / "libbolt.so", "bolt", "2", "GOMP KMP")
    machine.build("bolt", "libomp.so", bolt)
    library(machine.runtimes / "old" / "lib" / "libomp.so", "libomp", "14", "GOMP KMP")
    made = plan(machine.root, machine.builds, OPTIONAL + GRID)
    assert [c.runtime for c in made.configurations] == ["libgomp", "bolt", "old"]
    assert made.left_out == []


def test_optional_builds_that_do_not_start_are_left_out(machine: Machine) -> None:
    path = machine.runtimes / "bolt" / "lib" / "libbolt.so"
    machine.build("bolt", "libomp.so", library(path, "bolt", "2", "KMP", does="starts nothing"))
    made = plan(machine.root, machine.builds, OPTIONAL.partition("[runtimes.old]")[0] + GRID)
    assert [c.runtime for c in made.configurations] == ["libgomp"]
    (line,) = made.left_out
    assert line.startswith("left out: bolt (optional, and does not start: ")
    assert line.endswith("undefined symbol: x)")


def test_optional_runtimes_that_no_grid_uses_need_no_line(machine: Machine) -> None:
    made = plan(machine.root, machine.builds, OPTIONAL + GRID, "runtime=libgomp")
    assert made.left_out == []


def test_a_campaign_of_nothing_but_what_is_left_out_is_an_error(machine: Machine) -> None:
    with pytest.raises(BadUsageError, match="nothing is left to run"):
        plan(machine.root, machine.builds, OPTIONAL + GRID, "runtime=bolt")


def test_the_shipped_campaign_takes_the_runtimes_that_are_built(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend,lean,readers,nested")
    text = (ROOT / "campaigns" / "quick.toml").read_text().replace('name = "quick"', "")
    made = plan(machine.root, machine.builds, text)
    assert {c.runtime for c in made.configurations} == {"libgomp", "libomp"}
    assert made.left_out == ["left out: libiomp5, bolt, xkaapi, ompss (optional and not built)"]
