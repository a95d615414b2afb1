# SPDX-License-Identifier: BSD-3-Clause
"""What setting levers writes, in which order, what the kernel refuses, and that all is undone."""

import errno
import os
from pathlib import Path

import pytest
from lever_trees import CPU, Kernel, TurboKernel, contents, write_levers
from pollux.core.errors import MachineError
from pollux.core.system_files import System
from pollux.energy.levers.session import Session
from pollux.energy.levers.state import has_state

POLICIES = range(4)


def start(root: Path, kernel: Kernel) -> Session:
    return Session(kernel.system(root))


def test_files_are_written_in_the_order_that_the_kernel_needs(tmp_path: Path) -> None:
    write_levers(tmp_path, cpus=1)
    kernel = Kernel()
    start(tmp_path, kernel).apply(
        {"frequency_max": "2GHz", "epp": "power", "governor": "powersave", "turbo": "off"}
    )
    assert kernel.written == [
        ("intel_pstate/no_turbo", "1"),
        ("policy0/energy_performance_preference", "power"),
        ("policy0/scaling_max_freq", "2000000"),
    ]


@pytest.mark.parametrize(
    ("present", "wanted", "order"),
    [
        ((1_200_000, 3_200_000), ("2.5GHz", "2.5GHz"), ["max", "min"]),
        ((1_200_000, 1_500_000), ("2GHz", "2.5GHz"), ["max", "min"]),
        ((2_500_000, 3_000_000), ("1.2GHz", "2GHz"), ["min", "max"]),
        ((2_500_000, 3_000_000), ("1.2GHz", "2.8GHz"), ["max", "min"]),
    ],
)
def test_the_lower_limit_is_never_above_the_upper_one(
    tmp_path: Path, present: tuple[int, int], wanted: tuple[str, str], order: list[str]
) -> None:
    tree = write_levers(tmp_path, cpus=1)
    for which, khz in zip(("min", "max"), present, strict=True):
        tree.write(f"{CPU}/cpufreq/policy0/scaling_{which}_freq", khz)
    before = contents(tmp_path)
    kernel = Kernel()
    session = start(tmp_path, kernel)
    session.apply({"frequency_min": wanted[0], "frequency_max": wanted[1]})
    limits = [name for name, _ in kernel.written if name.endswith("_freq")]
    assert limits == [f"policy0/scaling_{which}_freq" for which in order]
    assert session.restore() == []
    assert contents(tmp_path) == before


def test_limits_in_per_cent_do_not_keep_a_frequency_from_its_effect(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/intel_pstate/max_perf_pct", 50)
    before = contents(tmp_path)
    session = start(tmp_path, Kernel())
    session.apply({"frequency_max": "3GHz", "frequency_min": "1.2GHz"})
    assert tree.read(f"{CPU}/intel_pstate/max_perf_pct") == "100\n"
    assert tree.read(f"{CPU}/intel_pstate/min_perf_pct") == "0\n"
    assert session.restore() == []
    assert contents(tmp_path) == before


def test_limits_of_some_processors_leave_that_of_all_alone(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    tree.write(f"{CPU}/intel_pstate/max_perf_pct", 70)
    kernel = Kernel()
    start(tmp_path, kernel).apply({"frequency_max": "2GHz"}, frozenset({0, 1}))
    assert kernel.written == [(f"policy{n}/scaling_max_freq", "2000000") for n in (0, 1)]


@pytest.mark.parametrize(
    ("value", "disabled"),
    [
        ("all", ["C1E"]),  # which the driver itself keeps off
        ("none", ["C1", "C1E", "C6"]),
        ("C1", ["C1E", "C6"]),
        ("C1E", ["C6"]),
        ("POLL", ["C1", "C1E", "C6"]),
    ],
)
def test_idle_states_deeper_than_allowed_are_disabled(
    tmp_path: Path, value: str, disabled: list[str]
) -> None:
    tree = write_levers(tmp_path, cpus=2)
    session = start(tmp_path, Kernel())
    session.apply({"cstates": value})
    for cpu in range(2):
        folders = [f"{CPU}/cpu{cpu}/cpuidle/state{n}" for n in range(4)]
        off = [f for f in folders if tree.read(f"{f}/disable") == "1\n"]
        assert [tree.read(f"{f}/name").strip() for f in off] == disabled


@pytest.mark.parametrize(
    ("driver", "files"),
    [
        ("intel_pstate", {"intel_pstate/no_turbo": "1\n"}),
        ("acpi-cpufreq", {"cpufreq/boost": "0\n"}),
        ("amd-pstate-epp", {f"cpufreq/policy{n}/boost": "0\n" for n in POLICIES}),
    ],
)
def test_turbo_is_switched_off_where_the_driver_has_its_switch(
    tmp_path: Path, driver: str, files: dict[str, str]
) -> None:
    tree = write_levers(tmp_path, driver=driver)
    before = contents(tmp_path)
    session = start(tmp_path, Kernel())
    session.apply({"turbo": "off"})
    changed = {p: text for p, text in contents(tmp_path).items() if text != before[p]}
    assert changed == {f"{CPU}/{p}": text.encode() for p, text in files.items()}
    assert tree.root == tmp_path
    assert session.restore() == []
    assert contents(tmp_path) == before


@pytest.mark.parametrize("first", ["performance", "powersave"])
def test_the_preference_that_a_governor_changes_is_restored(tmp_path: Path, first: str) -> None:
    tree = write_levers(tmp_path)
    if first == "performance":
        for n in POLICIES:
            tree.write(f"{CPU}/cpufreq/policy{n}/scaling_governor", "performance")
            tree.write(f"{CPU}/cpufreq/policy{n}/energy_performance_preference", "performance\n")
    before = contents(tmp_path)
    session = start(tmp_path, Kernel())
    for setting in ({"governor": "performance"}, {"governor": "powersave", "epp": "power"}):
        session.apply(setting)
    assert tree.read(f"{CPU}/cpufreq/policy3/energy_performance_preference") == "power\n"
    assert session.restore() == []
    assert contents(tmp_path) == before


def test_a_setting_does_not_depend_on_the_one_before_it(tmp_path: Path) -> None:
    write_levers(tmp_path / "a"), write_levers(tmp_path / "b")
    last = {"governor": "powersave", "turbo": "on"}
    direct, after = (start(tmp_path / name, Kernel()) for name in "ab")
    direct.apply(last)
    for setting in ({"governor": "performance", "turbo": "off"}, {"cstates": "none"}, last):
        after.apply(setting)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize(
    ("setting", "most"),
    [
        ({"turbo": "on"}, 3_200_000),
        ({"turbo": "on", "governor": "performance"}, 3_200_000),
        ({"turbo": "on", "frequency_max": "hardware"}, 3_200_000),
        ({"turbo": "on", "frequency_max": "3.1GHz"}, 3_100_000),
        ({"turbo": "off"}, 2_900_000),
    ],
)
def test_limits_that_turbo_moves_do_not_undo_it(
    tmp_path: Path, setting: dict[str, str], most: int
) -> None:
    tree, kernel = write_levers(tmp_path), TurboKernel()
    tree.write(f"{CPU}/intel_pstate/no_turbo", "1\n")
    kernel.move_limits(tmp_path)
    before = contents(tmp_path)
    session = start(tmp_path, kernel)
    session.check(setting)
    for _ in range(2):
        for other in ({"turbo": "on"}, setting, {"turbo": "off"}, setting):
            session.apply(other)
        assert tree.read(f"{CPU}/cpufreq/policy3/scaling_max_freq") == f"{most}\n"
    assert session.restore() == []
    assert contents(tmp_path) == before
    assert bool(kernel.asked) == ("frequency_max" in setting)  # else none was ever written


def test_the_former_state_is_on_disk_before_the_first_write(tmp_path: Path) -> None:
    write_levers(tmp_path)
    seen: list[bool] = []
    kernel = Kernel()
    system = kernel.system(tmp_path)

    def watch(_path: str, _content: bytes) -> None:
        seen.append(has_state(system))

    kernel.refuse = watch
    session = Session(system)
    session.apply({"turbo": "off", "cstates": "none"})
    assert seen and all(seen)
    assert session.restore() == []
    assert not has_state(system)


REFUSALS = [
    ({"turbo": "off"}, "no_turbo", errno.EPERM, "turbo is disabled by the firmware"),
    ({"turbo": "on"}, "no_turbo", errno.EPERM, "turbo is disabled by the firmware"),
    ({"epp": "power"}, "preference", errno.EBUSY, "the governor performance fixes it"),
    ({"governor": "performance"}, "policy2/scaling_governor", errno.EINVAL, "Invalid argument"),
    ({"cstates": "none"}, "cpu3/cpuidle/state3/disable", errno.ENODEV, "went offline"),
    ({"frequency_max": "2GHz"}, "policy1/scaling_max_freq", errno.EROFS, "mounted read-only"),
]


@pytest.mark.parametrize(("setting", "file", "number", "reason"), REFUSALS)
def test_a_refused_write_is_one_line_and_everything_is_restored(
    tmp_path: Path, setting: dict[str, str], file: str, number: int, reason: str
) -> None:
    tree = write_levers(tmp_path)
    if setting == {"turbo": "on"}:
        tree.write(f"{CPU}/intel_pstate/no_turbo", 1)
    before = contents(tmp_path)
    asked: list[str] = []

    def refuse(path: str, _content: bytes) -> int | None:
        asked.append(path)
        return number if path.endswith(file) and asked.count(path) == 1 else None

    session = start(tmp_path, Kernel(refuse=refuse))
    with pytest.raises(MachineError, match=reason) as caught:
        session.apply({"cstates": "C1"} | setting)
    message = caught.value.format_message()
    assert "\n" not in message
    assert message.endswith("all levers are as before")
    assert os.strerror(number) in message
    assert contents(tmp_path) == before
    assert not has_state(session.system)


def test_a_preference_is_refused_under_the_governor_that_fixes_it(tmp_path: Path) -> None:
    write_levers(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(MachineError, match="set governor=powersave too; all levers are as before"):
        start(tmp_path, Kernel()).apply({"governor": "performance", "epp": "power"})
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("value", "read"),
    [("0", "performance"), ("255", "power"), ("17", "17"), ("default", "balance_performance")],
)
def test_a_preference_is_what_the_kernel_reads_back(tmp_path: Path, value: str, read: str) -> None:
    tree = write_levers(tmp_path)
    before = contents(tmp_path)
    session = start(tmp_path, Kernel())
    session.apply({"epp": value})
    path = f"{CPU}/cpufreq/policy2/energy_performance_preference"
    assert tree.read(path) == f"{read}\n"
    assert session.changed() == []
    tree.write(path, "balance_power\n")
    assert session.changed() == [f"/{path} was set to {read} and reads balance_power"]
    assert session.restore() == []
    assert contents(tmp_path) == before


@pytest.mark.parametrize("setting", [{"governor": "performance", "epp": "0"}, {"epp": "0"}])
def test_the_preference_that_a_governor_fixes_may_be_asked_for_by_number(
    tmp_path: Path, setting: dict[str, str]
) -> None:
    tree = write_levers(tmp_path)
    path = f"{CPU}/cpufreq/policy0/energy_performance_preference"
    if "governor" not in setting:
        start(tmp_path, Kernel()).apply({"governor": "performance"})
    session = start(tmp_path, Kernel())
    session.apply(setting)
    assert tree.read(path) == "performance\n"
    assert session.changed() == []


def test_a_file_that_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    write_levers(tmp_path)
    path = f"{CPU}/cpufreq/policy2/energy_performance_preference"
    (tmp_path / path).unlink()
    (tmp_path / path).mkdir()
    tried: list[str] = []

    def note(path: str, _content: bytes) -> None:
        tried.append(path)

    session = start(tmp_path, Kernel(refuse=note))
    reason = f"^/{path} cannot be read, so it could not be restored; all levers are as before$"
    with pytest.raises(MachineError, match=reason):
        session.apply({"epp": "power"})
    assert tried == []
    assert not has_state(session.system)


def test_a_name_that_the_kernel_has_for_a_number_may_be_there_already(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    path = f"{CPU}/cpufreq/policy0/energy_performance_preference"
    names = {"0": "performance", "16": "performance", "32": "balance_performance"}
    kernel = Kernel(names=names)
    session = start(tmp_path, kernel)
    for setting in ({"epp": "32"}, {"epp": "16"}, {"epp": "16", "turbo": "off"}):
        session.apply(setting)
        (number, name) = setting["epp"], names[setting["epp"]]
        written = [text for file, text in kernel.written if file.startswith("policy0/energy")]
        assert (written[-1], tree.read(path)) == (number, f"{name}\n")
        assert session.changed() == []


@pytest.mark.parametrize(
    ("setting", "reads"),
    [
        ({"turbo": "off"}, "no_turbo was set to 1 and reads 0"),
        ({"epp": "17"}, "preference was set to 17 and reads balance_performance"),
        ({"epp": "128"}, "preference was set to 128 and reads balance_performance"),
        ({"epp": "255"}, "preference was set to 255 and reads balance_performance"),
    ],
)
def test_a_write_that_the_kernel_ignores_is_found_by_reading_back(
    tmp_path: Path, setting: dict[str, str], reads: str
) -> None:
    write_levers(tmp_path)

    def ignore(root: Path, path: str, content: bytes) -> None:
        pass

    system = System(tmp_path, write_to=ignore, may_write_to=lambda _root, _path: True)
    with pytest.raises(MachineError, match=f"{reads}: the kernel did not take it"):
        Session(system).apply(setting)


@pytest.mark.parametrize(
    ("khz", "taken"), [(2_000_000, True), (2_090_000, True), (2_200_000, False)]
)
def test_a_frequency_may_be_rounded_to_a_step(tmp_path: Path, khz: int, taken: bool) -> None:
    tree = write_levers(tmp_path, cpus=1)
    limit = f"{CPU}/cpufreq/policy0/scaling_max_freq"

    def rounding(_root: Path, path: str, content: bytes) -> None:
        tree.write(path, khz if path == limit and content == b"2000000\n" else content.decode())

    system = System(tmp_path, write_to=rounding)
    if taken:
        Session(system).apply({"frequency_max": "2GHz"})
    else:
        with pytest.raises(MachineError, match="reads 2200000"):
            Session(system).apply({"frequency_max": "2GHz"})


def test_processors_that_are_offline_are_left_out(tmp_path: Path) -> None:
    tree = write_levers(tmp_path, offline=1)
    tree.write(f"{CPU}/cpufreq/policy3/affected_cpus", "\n")  # kept by the kernel, without files
    kernel = Kernel()
    session = start(tmp_path, kernel)
    session.apply({"cstates": "none", "governor": "performance"})
    assert {name.partition("/")[0] for name, _ in kernel.written if "policy" in name} == {
        *("policy0", "policy1", "policy2")
    }


def test_a_processor_that_goes_offline_is_reported_and_restored_when_it_is_back(
    tmp_path: Path,
) -> None:
    write_levers(tmp_path)
    before = contents(tmp_path)
    session = start(tmp_path, Kernel())
    session.apply({"cstates": "none", "turbo": "off"})
    folder = tmp_path / f"{CPU}/cpu3/cpuidle"
    folder.rename(tmp_path / "away")
    left = session.restore()
    assert len(left) == 1
    assert "cpu3/cpuidle/state1/disable should be 0 (its processor is offline)" in left[0]
    assert has_state(session.system)
    (tmp_path / "away").rename(folder)
    later = start(tmp_path, Kernel())
    assert "4 files of levers" in later.take_over()[0]
    assert contents(tmp_path) == before
    assert not has_state(later.system)


def test_the_latency_device_is_held_open_until_the_levers_are_restored(tmp_path: Path) -> None:
    write_levers(tmp_path)
    session = start(tmp_path, Kernel())
    session.apply({"dma_latency": "0"})
    assert (tmp_path / "dev/cpu_dma_latency").read_bytes() == bytes(4)
    descriptor = session.latency
    assert descriptor is not None
    assert not os.get_inheritable(descriptor)
    assert session.restore() == []
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_levers_that_were_kept_are_back_after_several_settings(tmp_path: Path) -> None:
    write_levers(tmp_path)
    before = contents(tmp_path)
    first = start(tmp_path, Kernel())
    first.apply({"turbo": "off"})
    first.keep()
    kept = contents(tmp_path)
    session = start(tmp_path, Kernel())
    session.take_over()
    session.apply({"governor": "performance"}, adding=True)
    session.apply({"cstates": "none", "dma_latency": "2000000000"}, adding=True)
    assert session.undo() == []
    assert contents(tmp_path) == kept and session.latency is None
    session.apply({"governor": "performance"}, adding=True)
    assert session.restore() == []
    session.apply({"turbo": "off"})
    assert session.undo() == []
    assert contents(tmp_path) == before
