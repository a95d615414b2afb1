# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns whose processes are started by another program."""

from pathlib import Path

import pytest
from campaign_files import plan
from pollux.core.campaign.dry_run import launcher_lines
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.sampling import Order, take_sample
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.launcher import Launcher
from project import write_script

GRID = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 64\n'


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend")


def test_each_run_is_started_by_it_and_no_question(tmp_path: Path, build_root: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "a launcher"
    write_script(program, f'echo "$2" >> "{log}"; shift 2; exec "$@"')
    text = f"launcher = \"'{program}' --threads {{threads}}\"\n{GRID}threads = 2\n"
    made = plan(tmp_path, build_root, text)
    assert not log.exists()
    assert launcher_lines(made) != []
    for c in made.configurations:
        assert c.launcher == [str(program), "--threads", str(c.threads)]
        assert take_sample(Order(c, 1, 1, 60)).outcome is Outcome.OK
    assert log.read_text().split() == ["2", "2"]


def test_a_campaign_with_another_launcher_is_another(tmp_path: Path, build_root: Path) -> None:
    hashes = {
        made.hash()
        for first in ("", 'launcher = "nice"\n', 'launcher = "nice -n 1"\n')
        for made in plan(tmp_path, build_root, first + GRID).configurations[:1]
    }
    assert len(hashes) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mpirun -N {nodes}", "{nodes} is unknown; choose from {threads}, {ranks}"),
        ("nice '", "cannot be split into words (No closing quotation)"),
        ("nice {", "a brace itself is doubled"),
        ("taskset -c {threads:q}", '{threads:q}": braces contain a name alone, such as {threads}'),
        ("taskset -c {threads!q}", '{threads!q}": braces contain a name alone, such as {threads}'),
        ("taskset -c {threads:02}", "braces contain a name alone, such as {threads}"),
        ("''", "names no program"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, build_root: Path, text: str, why: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        plan(tmp_path, build_root, f'launcher = "{text}"\n{GRID}')
    (line,) = caught.value.format_message().splitlines()
    assert "trial.toml:2: launcher: " in line and why in line


def test_a_program_that_is_not_there_is_named(tmp_path: Path, build_root: Path) -> None:
    with pytest.raises(MachineError, match='"no-such-launcher" is not a program'):
        plan(tmp_path, build_root, f'launcher = "no-such-launcher -x"\n{GRID}')


def test_without_one_there_are_no_words() -> None:
    assert Launcher().before({"threads": 2}) == []
    assert not Launcher().starts("ranks")
    assert Launcher.parse("a {{b}} {threads}").before({"threads": 2}) == ["a", "{b}", "2"]
