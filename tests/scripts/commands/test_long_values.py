# SPDX-License-Identifier: BSD-3-Clause
"""A message cuts the values that it quotes of the command line to sixty characters."""

import subprocess
from pathlib import Path

import pytest
from pollux.core import cli
from pollux.core.text import cut_values

ROOT = Path(__file__).parents[3]
LONG = "z" * 300
CUT = "z" * 59 + "…"

WRONG = [
    LONG,
    f"--{LONG}",
    f"run {LONG}",
    f"run quick --set {LONG}=1",
    f"run quick --size {LONG}",
    f"run quick --{LONG}=1",
    f"compare {LONG}",
    f"conform {LONG}",
    f"doctor --format {LONG}",
    f"doctor --format=json,{LONG}",
    f"runtimes {LONG}",
    f"tune {LONG}",
    f"explain {LONG}",
]


@pytest.mark.parametrize("command", WRONG, ids=lambda text: text.replace(LONG, "LONG"))
def test_a_long_value_is_cut(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["pollux", *command.split()])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    written = capsys.readouterr().err
    assert "…" in written
    assert "z" * 60 not in written


@pytest.mark.parametrize("script", ["build", "draw-graphs", "setup", "test", "test --system"])
def test_a_long_argument_of_a_script_is_cut(script: str) -> None:
    name, *options = script.split()
    command = [str(ROOT / "scripts" / name), *options, LONG]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert f"'{CUT}'" in line


def test_a_path_stays_whole() -> None:
    path = "/".join(["folder"] * 20)
    assert cut_values(f"{path}: no such file", [path]) == f"{path}: no such file"
