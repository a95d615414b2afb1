# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns over levers: each run under its own setting, checked, and everything restored."""

import json
import os
import random
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from campaign_files import plan
from forked import Ended, pollux
from lever_trees import CPU, believe_names, contents, write_levers, write_levers_here
from pollux.core.analysis.loading import load
from pollux.core.campaign.journal import Known
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.schedule import first_units
from pollux.core.campaign.switch import settings_of
from pollux.core.errors import MachineError
from pollux.core.system_files import System
from pollux.energy.levers import state
from pollux.energy.levers.effect import Usage
from pollux.energy.levers.session import Session
from pollux.energy.levers.state import has_state, state_path
from pollux.energy.levers.switching import LeverSwitch

# One benchmark and runtime, two settings of two levers each; nothing here disturbs a block.
CAMPAIGN = """name = "trial"
processes = 3
runtimes.libgomp.preset = "libgomp"
[grid]
benchmark = "lu"
size = 512
turbo = [true, false]
governor = ["performance", "powersave"]
[blocks]
foreign_cpu = 9.0
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAKE_VARIANTS", "good")
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(tmp_path / "root"))
    write_levers_here(tmp_path / "root")
    return tmp_path / "root"


def run(root: Path, build_root: Path, *options: str, text: str = CAMPAIGN) -> Ended:
    folder = root.parent
    (folder / "trial.toml").write_text(text)
    return pollux(
        *("run", folder / "trial.toml", "--build-root", build_root),
        *("--output", folder / "records.jsonl", *options),
        folder=folder,
    )


def lines(root: Path, event: str) -> list[dict[str, Any]]:
    entries = map(json.loads, (root.parent / "records.jsonl").read_text().splitlines())
    return [line for line in entries if line["event"] == event]


def test_every_run_is_under_the_levers_of_its_configuration(root: Path, build_root: Path) -> None:
    before = contents(root)
    done = run(root, build_root)
    assert (done.status, done.stderr) == (0, "")
    assert contents(root) == before
    assert not has_state(System(root))
    asked = {c["hash"]: c["configuration"] for c in lines(root, "configuration")}
    blocks = {b["block"]: b["levers"] for b in lines(root, "block")}
    samples = lines(root, "sample")
    assert len(samples) == 12
    for sample in samples:
        setting = {k: asked[sample["configuration"]][k] for k in ("turbo", "governor")}
        assert blocks[sample["block"]] == setting
        host = sample["records"][0]["host"]
        assert {"turbo": host["turbo"], "governor": host["governor"]} == setting


def test_a_campaign_over_levers_is_resumed(root: Path, build_root: Path) -> None:
    assert run(root, build_root, "--set", "processes=2").status == 0
    assert run(root, build_root).status == 0
    taken = [(s["configuration"], s["round"]) for s in lines(root, "sample")]
    assert len(taken) == len(set(taken)) == 12


def test_what_a_killed_process_has_left_is_restored_by_any_campaign(
    root: Path, build_root: Path
) -> None:
    before = contents(root)
    Session(System(root)).apply({"turbo": "off", "cstates": "none"})
    done = run(root, build_root, text=CAMPAIGN.replace("turbo =", "# ").replace("governor", "# "))
    assert done.status == 0
    assert "had not restored when it ended: restored now" in done.stderr
    assert contents(root) == before
    assert all(block["levers"] == {} for block in lines(root, "block"))


def test_levers_that_are_kept_set_are_no_campaigns_to_change(root: Path, build_root: Path) -> None:
    session = Session(System(root))
    session.apply({"cstates": "none"})
    session.keep()
    kept = contents(root)
    done = run(root, build_root)
    assert done.status == 3
    assert "levers are set by pollux levers set (cstates=none)" in done.stderr
    without = CAMPAIGN.replace("turbo =", "# ").replace("governor", "# ")
    done = run(root, build_root, text=without)
    assert done.status == 0
    assert done.stderr == "pollux: levers are set by pollux levers set: cstates=none\n"
    assert contents(root) == kept


def test_levers_that_another_user_has_set_are_no_campaigns_to_change(
    root: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    believe_names(monkeypatch)
    before = contents(root)
    other = state_path(System(root)).with_name("pollux-levers-987.json")
    other.parent.mkdir(parents=True)
    other.touch()
    done = run(root, build_root)
    assert (done.status, done.stderr) == (
        3,
        f"pollux: levers are set by another user ({other}), and this campaign sets its own; "
        "sudo -u '#987' pollux levers restore first\n",
    )
    without = CAMPAIGN.replace("turbo =", "# ").replace("governor", "# ")
    done = run(root, build_root, text=without)
    assert (done.status, done.stderr) == (
        0,
        f"pollux: levers are set by another user ({other}); sudo -u '#987' pollux levers restore "
        "restores them\n",
    )
    assert contents(root) == before


def test_a_file_of_another_user_keeps_no_campaign_without_levers_from_running(
    root: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = state_path(System(root))
    path.parent.mkdir(parents=True)
    path.touch()
    monkeypatch.setattr(state, "owner", lambda _path: os.geteuid() + 1)
    without = CAMPAIGN.replace("turbo =", "# ").replace("governor", "# ")
    done = run(root, build_root, text=without)
    assert (done.status, done.stderr) == (
        0,
        f"pollux: {path} is not a file of this user, who cannot set levers until it is removed\n",
    )
    path.unlink()


def test_what_the_machine_lacks_is_refused_before_anything_runs(
    root: Path, build_root: Path
) -> None:
    (root / CPU / "intel_pstate/no_turbo").unlink()
    for options in ((), ("--dry-run",)):
        done = run(root, build_root, *options)
        assert done.status == 3
        assert done.stderr == (
            "pollux: turbo: the driver intel_pstate active has no switch for turbo; switch it in "
            "the firmware (BIOS)\n"
        )
        assert not (root.parent / "records.jsonl").exists()


def test_a_clock_above_the_limit_ends_the_campaign(root: Path, build_root: Path) -> None:
    for policy in (root / CPU / "cpufreq").iterdir():
        (policy / "scaling_cur_freq").write_text("3100000\n")
    before = contents(root)
    done = run(root, build_root, "--turbo", "off", "--governor", "powersave")
    assert done.status == 3
    assert "turbo=off governor=powersave has no effect: cpu" in done.stderr
    assert "runs at 3.1GHz under load, 2.9GHz are allowed" in done.stderr
    assert lines(root, "sample") == []
    assert contents(root) == before


def test_an_idle_state_that_is_entered_although_disabled_ends_the_campaign(
    root: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(root)
    monkeypatch.setattr(Usage, "risen", lambda _self, _system: ["cpu0 entered C6 7 times"])
    done = run(root, build_root, "--cstates", "none")
    assert done.status == 3
    assert "was not in force in block 0: cpu0 entered C6 7 times" in done.stderr
    (end,) = lines(root, "block-end")
    assert end["disturbed"]
    assert end["reasons"] == ["cpu0 entered C6 7 times"]
    assert len(lines(root, "sample")) > 0
    assert contents(root) == before


@pytest.mark.parametrize("options", [(), ("--until-decided", "20%")])
def test_samples_under_other_levers_never_count(
    root: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    text = CAMPAIGN.replace("[grid]", 'runtimes.libomp.preset = "libomp"\n[grid]')
    options = ("--cstates", "none", *options)
    with monkeypatch.context() as patch:
        patch.setattr(Usage, "risen", lambda _self, _system: ["cpu0 entered C6 7 times"])
        assert run(root, build_root, *options, text=text).status == 3
    lost = {(s["configuration"], s["round"]) for s in lines(root, "sample")}
    assert lost
    assert run(root, build_root, *options, text=text).status == 0
    taken = [(s["configuration"], s["round"]) for s in lines(root, "sample") if s["block"] > 0]
    assert lost <= set(taken)
    assert len(taken) == len(set(taken))
    records = root.parent / "records.jsonl"
    assert {s.block[1] for s in load([records]).samples if s.block}.isdisjoint({0})
    done = pollux("compare", records, folder=root.parent)
    assert "the samples of 1 block are left out, since levers were not in force" in done.stdout


def test_usage_that_rises_is_seen_unless_it_is_a_last_sleep(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    switch = LeverSwitch(Session(System(tmp_path)))
    switch.set({"cstates": "none"})
    c6 = f"{CPU}/cpu2/cpuidle/state3/usage"
    for count, seen in ((101, []), (103, ["cpu2 entered C6, which is disabled, 3 times"])):
        tree.write(c6, f"{count}\n")
        assert switch.problems() == seen
    tree.write(c6, "100\n")
    tree.write(f"{CPU}/cpu2/cpuidle/state0/usage", "999\n")  # polling is not disabled
    assert switch.problems() == []


def test_a_lever_that_others_change_meanwhile_is_seen(tmp_path: Path) -> None:
    tree = write_levers(tmp_path)
    switch = LeverSwitch(Session(System(tmp_path)))
    switch.set({"governor": "performance"})
    tree.write(f"{CPU}/cpufreq/policy1/scaling_governor", "powersave\n")
    assert switch.problems() == [
        f"/{CPU}/cpufreq/policy1/scaling_governor was set to performance and reads powersave"
    ]


def test_setting_the_same_again_writes_nothing(tmp_path: Path) -> None:
    write_levers(tmp_path)
    switch = LeverSwitch(Session(System(tmp_path)))
    switch.set({"turbo": "off"})
    (tmp_path / CPU / "intel_pstate/no_turbo").write_text("0\n")
    switch.set({"turbo": "off"})
    assert len(switch.problems()) == 1


def test_a_round_takes_each_setting_once_in_random_order() -> None:
    rng = random.Random(1)
    cells = [
        [Configuration(runtime="r", benchmark="lu", variant="v", size=n, turbo=t, cstates=c)]
        for n in (64, 128, 256)
        for t in ("on", "off")
        for c in ("all", "none")
    ]
    rng.shuffle(cells)
    units = list(first_units(cells, 20, 7, Known()))
    orders = set()
    for _, of_round in groupby(units, key=lambda unit: unit.round):
        settings = [tuple(unit.levers.items()) for unit in of_round]
        visits = [setting for setting, _ in groupby(settings)]
        assert len(visits) == len(set(visits)) == 4
        assert len(settings) == 12
        orders.add(tuple(visits))
    assert len(orders) > 8
    assert units == list(first_units(cells, 20, 7, Known()))


def test_levers_are_axes_like_others(tmp_path: Path, build_root: Path, root: Path) -> None:
    text = CAMPAIGN.partition("\n")[2] + '[[exclude]]\nturbo = true\ngovernor = "powersave"\n'
    made = plan(tmp_path, build_root, text, "epp=power,128", "frequency_max=2.4GHz")
    assert root.is_dir()
    assert settings_of(made.configurations) == [
        {"turbo": t, "governor": g, "epp": e, "frequency_max": "2.4GHz"}
        for t, g, e in (
            *(("on", "performance", "power"), ("on", "performance", "128")),
            *(("off", "performance", "power"), ("off", "performance", "128")),
            *(("off", "powersave", "power"), ("off", "powersave", "128")),
        )
    ]
    labels = [c.label() for c in made.configurations]
    assert labels[0].endswith("turbo=on governor=performance epp=power frequency_max=2.4GHz")


def test_configurations_with_other_levers_are_others() -> None:
    before = Configuration(
        runtime="libgomp", benchmark="lu", variant="depend", kernels="openblas", size=64, seed=7
    )
    assert before.model_copy(update={"turbo": "on"}).model_copy().settings == {"turbo": "on"}
    with_turbo = Configuration(**before.model_dump() | {"turbo": "on"})
    assert with_turbo.hash() != before.hash()
    assert with_turbo.cell() != before.cell()


def test_a_refused_setting_ends_the_campaign_with_everything_restored(tmp_path: Path) -> None:
    write_levers(tmp_path)
    before = contents(tmp_path)
    switch = LeverSwitch(Session(System(tmp_path)))
    switch.set({"turbo": "off"})
    with pytest.raises(MachineError, match="this machine knows performance, powersave"):
        switch.set({"governor": "ondemand"})
    assert switch.session is not None
    assert switch.session.restore() == []
    assert contents(tmp_path) == before
