# SPDX-License-Identifier: BSD-3-Clause
"""How levers' values are written, and what a machine reports about the levers that it lacks."""

from pathlib import Path

import pytest
from lever_trees import CPU, Kernel, write_levers
from pollux.core.levers import LEVERS, PARSERS, in_words, kilohertz
from pollux.core.system_files import System
from pollux.energy.levers.available import by_reason, driver, inspect, inspect_all, problems
from system_tree import write_description


@pytest.mark.parametrize(
    ("lever", "value", "text"),
    [
        *(("turbo", True, "on"), ("turbo", "false", "off"), ("cstates", "none", "none")),
        *(("cstates", "C1E", "C1E"), ("dma_latency", 0, "0"), ("dma_latency", "20", "20")),
        *(("governor", "performance", "performance"), ("epp", "128", "128")),
        *(("epp", "balance_power", "balance_power"), ("frequency_max", "2400MHz", "2.4GHz")),
        *(("frequency_min", "1.2 GHz", "1.2GHz"), ("frequency_min", "hardware", "hardware")),
    ],
)
def test_values_have_one_form(lever: str, value: object, text: str) -> None:
    assert PARSERS[lever](value) == text
    assert PARSERS[lever](text) == text


@pytest.mark.parametrize(
    ("lever", "value"),
    [
        *(("turbo", 1), ("turbo", "maybe"), ("cstates", True), ("cstates", "../x")),
        *(("dma_latency", -1), ("dma_latency", "2147483648"), ("governor", "fast")),
        *(("epp", 256), ("epp", "quick"), ("frequency_max", 2400), ("frequency_max", "2.4")),
        *(("frequency_max", "0GHz"), ("frequency_max", "9999999GHz"), ("turbo", [])),
    ],
)
def test_other_values_are_refused_with_what_is_possible(lever: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"is not a|it is"):
        PARSERS[lever](value)


def test_frequencies_are_exact() -> None:
    assert kilohertz(PARSERS["frequency_max"]("2400001kHz")) == 2_400_001


def test_a_setting_in_words_follows_one_order() -> None:
    assert in_words({"governor": "powersave", "turbo": "on"}) == "turbo=on governor=powersave"


def test_a_machine_with_all_levers_shows_them(tmp_path: Path) -> None:
    write_levers(tmp_path)
    found = {lever.name: lever for lever in inspect_all(System(tmp_path))}
    assert [name for name, lever in found.items() if lever.problem] == []
    assert {name: lever.now for name, lever in found.items()} == {
        **{"turbo": "on", "cstates": "all", "dma_latency": "off", "governor": "powersave"},
        **{"epp": "balance_performance", "frequency_min": "1.2GHz", "frequency_max": "3.2GHz"},
    }
    assert found["frequency_max"].possible == ("1.2GHz to 3.2GHz", "hardware")
    assert driver(System(tmp_path)) == "intel_pstate active"


def test_processors_that_differ_are_listed(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/cpufreq/policy2/scaling_governor", "performance\n")
    tree.write(f"{CPU}/cpu1/cpuidle/state3/disable", "1\n")
    system = System(tmp_path)
    assert inspect(system, "governor").now == "powersave on 0-1,3, performance on 2"
    assert inspect(system, "cstates").now == "all on 0,2-3, POLL+C1 on 1"


@pytest.mark.parametrize(
    ("driver_", "lever", "problem"),
    [
        ("acpi-cpufreq", "epp", "the driver acpi-cpufreq has no energy-performance preference"),
        ("amd-pstate", "turbo", "the driver amd-pstate has no switch for turbo"),
    ],
)
def test_a_lever_that_the_driver_lacks_is_explained(
    tmp_path: Path, driver_: str, lever: str, problem: str
) -> None:
    write_levers(tmp_path, driver=driver_)
    found = inspect(System(tmp_path), lever)
    assert found.problem == problem
    assert found.remedy


ARM = {"architecture": "aarch64", "files": {"sys/class/dmi/id/sys_vendor": "Amazon EC2\n"}}


@pytest.mark.parametrize(
    ("machine", "reason"),
    [({"virtual": True}, "virtual machine"), (ARM, "virtual machine"), ({}, "is loaded")],
)
def test_a_machine_without_levers_says_why(
    tmp_path: Path, machine: dict[str, object], reason: str
) -> None:
    write_description(tmp_path, {"cpus": 2, **machine})
    found = {lever.name: lever for lever in inspect_all(System(tmp_path))}
    assert set(found) == set(LEVERS)
    assert all(lever.problem and lever.remedy for lever in found.values())
    assert reason in found["governor"].problem
    assert "no cpuidle driver" in found["cstates"].problem
    assert found["dma_latency"].problem == "there is no /dev/cpu_dma_latency"


def test_a_lever_that_may_not_be_written_names_the_file_and_the_remedy(tmp_path: Path) -> None:
    write_levers(tmp_path)
    system = System(tmp_path, may_write_to=lambda _root, path: "no_turbo" not in path)
    found = inspect(system, "turbo")
    assert found.now == "on"
    assert found.problem == f"no permission to write /{CPU}/intel_pstate/no_turbo"
    assert "root" in found.remedy


def test_levers_whose_files_have_one_remedy_are_told_together(tmp_path: Path) -> None:
    write_levers(tmp_path)
    system = System(tmp_path, may_write_to=lambda _root, path: "cpuidle" in path)
    denied = "no permission to write"
    assert [found[:2] for found in by_reason(inspect_all(system))] == [
        (
            "turbo, governor, epp, frequency_min, frequency_max",
            f"{denied} /{CPU}/intel_pstate/no_turbo and others",
        ),
        ("dma_latency", f"{denied} /dev/cpu_dma_latency"),
    ]


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"governor": "ondemand"}, "governor=ondemand: this machine knows performance, powersave"),
        ({"cstates": "C9"}, "cstates=C9: this machine knows all, none, POLL, C1, C1E, C6"),
        ({"frequency_max": "4GHz"}, "frequency_max=4GHz: processors 0 run at 1.2GHz to 3.2GHz"),
        (
            {"turbo": "off", "frequency_max": "3GHz"},
            "frequency_max=3GHz: processors 0 run at 1.2GHz to 2.9GHz with turbo off",
        ),
        (
            {"frequency_min": "3GHz", "frequency_max": "2GHz"},
            "the lower frequency limit, 3GHz, would be above the upper one, 2GHz; set both",
        ),
    ],
)
def test_values_that_a_machine_lacks_are_found_before_anything_is_written(
    tmp_path: Path, setting: dict[str, str], problem: str
) -> None:
    write_levers(tmp_path)
    assert list(problems(Kernel().system(tmp_path), setting)) == [problem]


def test_with_turbo_off_its_frequencies_cannot_be_had(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/intel_pstate/no_turbo", "1\n")
    system = Kernel().system(tmp_path)
    asked = {"frequency_max": "3GHz"}
    (problem,) = problems(system, asked)
    assert problem.endswith("1.2GHz to 2.9GHz with turbo off")
    assert list(problems(system, asked | {"turbo": "on"})) == []


def test_a_limit_beyond_the_other_one_that_stays_is_found(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/cpufreq/policy1/scaling_max_freq", "2000000\n")
    system = Kernel().system(tmp_path)
    assert "3GHz, would be above the upper one, 2GHz" in next(
        problems(system, {"frequency_min": "3GHz"})
    )
    assert list(problems(system, {"frequency_min": "3GHz", "frequency_max": "hardware"})) == []


def test_values_are_checked_for_the_processors_that_are_set(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    for cpu in range(2):  # fast cores, which go no lower
        tree.write(f"{CPU}/cpufreq/policy{cpu}/cpuinfo_min_freq", "2000000\n")
        tree.write(f"{CPU}/cpufreq/policy{cpu}/scaling_min_freq", "2000000\n")
        tree.write(f"{CPU}/cpufreq/policy{cpu}/scaling_available_governors", "powersave\n")
        tree.write(f"{CPU}/cpu{cpu}/cpuidle/state3/name", "C10\n")
    fast, slow = frozenset({0, 1}), frozenset({2, 3})
    system = Kernel().system(tmp_path)
    for setting in ({"frequency_max": "1.5GHz"}, {"governor": "performance"}, {"cstates": "C6"}):
        assert list(problems(system, setting, slow)) == []
        assert len(list(problems(system, setting, fast))) >= 1
    assert "processors 0 run at 2GHz" in next(problems(system, {"frequency_max": "1.5GHz"}, fast))


def test_an_idle_state_that_some_processors_lack_is_refused(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/cpu3/cpuidle/state3/name", "C8\n")
    (line,) = problems(Kernel().system(tmp_path), {"cstates": "C6"})
    assert line == "cstates=C6: this machine knows all, none, POLL, C1, C1E"


@pytest.mark.parametrize(
    ("setting", "share", "is_refused"),
    [
        ({"frequency_max": "2GHz"}, ("max", 50), True),
        ({"frequency_max": "hardware"}, ("max", 90), True),
        ({"frequency_max": "1.6GHz"}, ("max", 50), False),
        ({"frequency_max": "3.2GHz"}, ("max", 100), False),
        ({"frequency_min": "1.2GHz"}, ("min", 50), True),
        ({"frequency_min": "1.2GHz"}, ("min", 38), False),  # 37.5, which the kernel has rounded
        ({"frequency_min": "2GHz"}, ("min", 50), False),
    ],
)
def test_a_limit_of_all_processors_in_the_way_of_some_is_found(
    tmp_path: Path, setting: dict[str, str], share: tuple[str, int], is_refused: bool
) -> None:
    tree = write_levers(tmp_path)
    path = f"{CPU}/intel_pstate/{share[0]}_perf_pct"
    tree.write(path, share[1])
    system = Kernel().system(tmp_path)
    assert list(problems(system, setting)) == []
    ((lever, value),) = setting.items()
    line = f"{lever}={value}: /{path}, which is for all processors, is {share[1]}; leave --cpu out"
    assert list(problems(system, setting, frozenset({0, 1}))) == [line] * is_refused


@pytest.mark.parametrize("setting", [{"frequency_max": "9GHz"}, {"frequency_min": "0.1GHz"}])
def test_a_frequency_that_no_processor_has_is_refused_for_that(
    tmp_path: Path, setting: dict[str, str]
) -> None:
    system = Kernel().system(write_levers(tmp_path).root)
    (line,) = problems(system, setting, frozenset({0, 1}))
    assert "run at" in line and "leave --cpu out" not in line
