# SPDX-License-Identifier: BSD-3-Clause
"""The jobs in packaging/ci/ keep to the schemas of their systems, and what they call exists."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from pollux.core.cli import app
from project import ROOT

EXAMPLES = sorted((ROOT / "packaging/ci").glob("*.yml"))
SCHEMAS = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}
SCRIPTS = Path(sys.executable).parent


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found


def scripts(found: object) -> Iterator[str]:
    """The shell scripts of jobs, whichever system's."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key in ("run", "script"):
                yield "\n".join(value) if isinstance(value, list) else value
            else:
                yield from scripts(value)
    elif isinstance(found, list):
        for item in found:
            yield from scripts(item)


def commands(path: Path) -> Iterator[list[str]]:
    """The words of each call of pollux."""
    for script in scripts(read(path)):
        for text in re.findall(
            r"^\.venv/bin/pollux (.*?)(?: \|\| .*| && .*)?$", script, re.MULTILINE
        ):
            yield shlex.split(text)


def test_there_is_one_for_github_and_one_for_gitlab() -> None:
    assert [path.stem for path in EXAMPLES] == ["github", "gitlab"]
    github = read(ROOT / "packaging/ci/github.yml")
    assert {"uses", "run"} >= {
        next(k for k in s if k in ("uses", "run")) for s in github["jobs"]["night"]["steps"]
    }
    gitlab = read(ROOT / "packaging/ci/gitlab.yml")
    assert all(isinstance(line, str) for line in gitlab["night"]["script"])


def breaches(path: Path) -> str:
    """What check-jsonschema finds by the schema of the system's own editors; empty if nothing."""
    done = subprocess.run(
        [SCRIPTS / "check-jsonschema", "--builtin-schema", SCHEMAS[path.stem], path],
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_they_keep_to_the_schema_of_their_system(path: Path) -> None:
    assert breaches(path) == ""


@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        (EXAMPLES[0], "runs-on:", "runs_on:"),
        (EXAMPLES[1], "resource_group: benchmark", "resource_group: [benchmark]"),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_a_misspelt_key_or_a_wrong_value_is_found(
    path: Path, right: str, wrong: str, tmp_path: Path
) -> None:
    text = path.read_text()
    assert right in text
    planted = tmp_path / path.name
    planted.write_text(text.replace(right, wrong))
    assert "Schema validation errors" in breaches(planted)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_their_scripts_are_shell(path: Path) -> None:
    found = list(scripts(read(path)))
    assert found
    for script in found:
        text = re.sub(r"\$\{\{.*?\}\}", "x", script)
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_their_commands_have_these_options(path: Path) -> None:
    group = typer.main.get_command(app)
    called = list(commands(path))
    assert {words[0] for words in called} == {"run", "watch"}
    for words in called:
        command = group.commands[words[0]]  # type: ignore[attr-defined]
        known = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, words


def test_a_night_that_is_run_again_and_adds_nothing_is_no_failure(tmp_path: Path) -> None:
    (step,) = (x for x in scripts(read(EXAMPLES[0])) if "git push" in x)
    nights = tmp_path / "nights"
    begin = "git init -q --bare away && git init -q nights && git -C nights remote add o ../away"
    subprocess.run(["bash", "-ec", begin], cwd=tmp_path, check=True)
    for setting in ("push.default current", "push.autoSetupRemote true", "remote.pushDefault o"):
        subprocess.run(["git", "config", *setting.split()], cwd=nights, check=True)
    (nights / "2026-11-27.jsonl").touch()
    for _ in range(2):
        subprocess.run(["bash", "-ec", step], cwd=tmp_path, check=True)
    log = ["git", "-C", "away", "log", "--all", "--oneline"]
    kept = subprocess.run(log, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert len(kept.splitlines()) == 1


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_gate_is_the_last_watch(path: Path) -> None:
    lines = "\n".join(scripts(read(path))).splitlines()
    watching = [line for line in lines if "pollux watch" in line]
    assert not watching[-1].endswith("|| true") and all(
        line.endswith("|| true") for line in watching[:-1]
    )
