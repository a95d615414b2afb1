# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns that are shipped, and the command lines that they and two pages print."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from listings import BENCHMARKS, write_names
from micro_runs import MICRO
from pollux.core.campaign import dry_run, estimate
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.model import Axes
from pollux.core.campaign.plan import Plan, make_plan
from pollux.core.cli import app
from pollux.core.commands.run import parameters_as_keys
from project import ROOT, write_fake

CAMPAIGNS = sorted((ROOT / "campaigns").glob("*.toml"))
OF_CAMPAIGNS = [ROOT / "docs" / name for name in ("campaigns.md", "libraries.md", "verdicts.md")]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
MOST_HOURS = 10.0
SLOW_CORE = 10.0  # GFlop/s of dgemm: server cores of the last ten years reach twice that or more
OWN_FILE = 'name = "own"\n[grid]\nsize = 512\n'


KASTORS = ("jacobi", "sparselu", "strassen")
NESTED = ("cell-tree", "batched-fft")
SWEEPS = {"parameter": "sweeps", "summary": "sweeps", "standard": 4, "range": [1, 100]}
FORM = {"parameter": "form", "summary": "form", "standard": "winograd", "words": ["winograd"]}
DEPTH = {"parameter": "depth", "summary": "depth", "standard": 8, "range": [0, 8]}
CUTOFF = {"parameter": "cutoff", "summary": "order", "standard": 64, "range": [1, 4096]}
ZONES = {"parameter": "zones", "summary": "zones", "standard": 100, "range": [3, 1_000_000]}
WHO = {
    "parameter": "allocation",
    "summary": "by",
    "standard": "serial",
    "words": ["serial", "threaded"],
}
OF = {"parameter": "residues", "summary": "of", "standard": "all", "words": ["all", "first"]}
INNER = {"parameter": "inner", "summary": "inner", "standard": 2, "range": [1, 1024]}
WORK = {"parameter": "work", "summary": "cycles", "standard": 0, "range": [0, 1_000_000]}
ALPHA = {"parameter": "alpha", "summary": "uneven", "standard": 0, "range": [0, 16]}
KIND = {
    "parameter": "work",
    "summary": "kind",
    "standard": "cycles",
    "words": ["cycles", "dgemm"],
}
PARAMETERS = {
    "granularity": [KIND],
    "jacobi": [SWEEPS],
    "strassen": [FORM, DEPTH, CUTOFF],
    "clomp": [ZONES, WHO, OF],
    "regions": [INNER, WORK, ALPHA],
    "cell-tree": [INNER],
    "batched-fft": [INNER],
    "cholesky": [{**INNER, "parameter": "inner-threads"}],
}
PATTERNS = "chain,fan-out,fan-in,stencil-1d,butterfly,random,readers,tree,cholesky,independent"
FORMS = "flat,parallel,taskloop,task,depend"
SCHEDULES = "serial,best-case,static,dynamic,manual,taskloop,task,depend,barrier"


def printed_by_campaign(path: Path) -> list[str]:
    """The commands in a file's comments."""
    return re.findall(r"^#\s+(pollux .*)$", path.read_text(), re.MULTILINE)


def printed_in_blocks(page: Path) -> list[str]:
    """The commands in a page's blocks of shell."""
    blocks = re.findall(r"^ *```(?:sh)?\n(.*?)^ *```", text_of(page), re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("pollux ")]


def printed_in_sentences(page: Path) -> list[str]:
    """The commands in a page's sentences, some of which only name an option."""
    text = re.sub(r"^ *```.*?^ *```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`(pollux [a-z]+ [^`]+)`", " ".join(text.split()))


def printed_files(page: Path) -> list[str]:
    """The campaigns in a page that are complete."""
    blocks = re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in blocks if block.startswith("name =")]


def text_of(page: Path) -> str:
    return page.read_text().replace(".venv/bin/pollux", "pollux")


PRINTED = [line for path in CAMPAIGNS for line in printed_by_campaign(path)]
for page in OF_CAMPAIGNS:
    PRINTED += printed_in_blocks(page)
    PRINTED += [line for line in printed_in_sentences(page) if line.startswith("pollux run ")]
PARTLY = [line for page in PAGES for line in printed_in_blocks(page) + printed_in_sentences(page)]
OVERRIDES = re.findall(r"`--set ([a-z][^`]+)`", " ".join(OF_CAMPAIGNS[0].read_text().split()))


FILES = printed_files(OF_CAMPAIGNS[0])


def options_of(line: str) -> tuple[str, dict[str, Any]]:
    """The command of a line, and the values of its parameters."""
    name, *arguments = shlex.split(line, comments=True)[1:]
    context = COMMANDS[name].make_context(name, arguments)
    return name, context.params


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two slow cores, variants by benchmark, and a campaign of the user's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "campaign.toml").write_text(OWN_FILE)
    monkeypatch.setenv("FAKE_VARIANTS", "seq,forkjoin,task,depend,lean,left,late,nopiv,readers")
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")
    monkeypatch.setenv("FAKE_VARIANTS_TASK_OVERHEAD", PATTERNS)
    monkeypatch.setenv("FAKE_VARIANTS_GRANULARITY", f"{PATTERNS},lu,qr")
    monkeypatch.setenv("FAKE_VARIANTS_CLOMP", SCHEDULES)
    monkeypatch.setenv("FAKE_VARIANTS_REGIONS", FORMS)
    monkeypatch.setenv("FAKE_VARIANTS_CONSTRUCTS", "barrier,task")
    monkeypatch.setenv("FAKE_VARIANTS_WAKE_UP", "task,region")
    monkeypatch.setenv("FAKE_VARIANTS_CHOLESKY", "seq,forkjoin,task,depend,lean,left,nested")
    monkeypatch.setenv("FAKE_VARIANTS_CELL_TREE", "flat,nested,depend,depend-nested,taskloop")
    monkeypatch.setenv("FAKE_VARIANTS_BATCHED_FFT", "flat,nested,task,task-nested")
    monkeypatch.setenv("FAKE_PARAMETERS", json.dumps(PARAMETERS))
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr(estimate, "allowed_cores", lambda: 2)


@pytest.fixture
def build_root(build_root: Path, answers: Path) -> Path:
    """With the benchmarks that only campaigns of their own name."""
    for preset in ("libgomp", "libomp"):
        folder = build_root / preset / "bin"
        write_names(folder, (*BENCHMARKS, *KASTORS, *NESTED), MICRO)
        for name in (*KASTORS, *NESTED, *MICRO):
            write_fake(folder / name, name, preset, answers)
    return build_root


def planned(params: dict[str, Any], build_root: Path) -> Plan:
    names = Axes.model_fields.keys() - {"parameters"}
    axes = {axis: params[axis] for axis in names if axis in params}
    given = {axis: list(texts) for axis, texts in axes.items() if texts}
    here = [text for text in params["overrides"] or [] if ".library=" not in text]
    here += parameters_as_keys(params["parameters"], here)
    campaign = load_campaign(params["campaign"], here, given).campaign
    # Whether a label such as gcc+libomp19 stands for a library depends on the machine.
    if any("+" in text for text in given.pop("runtime", [])):
        campaign = load_campaign(params["campaign"], here, given).campaign
    return make_plan(campaign, build_root, build_root / "state")


def hours(plan: Plan) -> float:
    seconds = sum(dry_run.estimates(plan, SLOW_CORE))
    return dry_run.OVERHEAD * plan.campaign.processes * seconds / 3600


@pytest.mark.slow
@pytest.mark.parametrize("line", PRINTED)
def test_every_command_that_is_printed_is_accepted(line: str, build_root: Path) -> None:
    name, params = options_of(line)
    if name == "run":
        assert planned(params, build_root).configurations


@pytest.mark.parametrize("line", PARTLY)
def test_every_option_that_is_printed_exists(line: str) -> None:
    command, _, _ = line.partition(" | ")
    name, *arguments = shlex.split(command, comments=True)[1:]
    known = {text for parameter in COMMANDS[name].params for text in parameter.opts}
    assert {text for text in arguments if text.startswith("--")} <= known


def test_the_commands_are_found() -> None:
    assert len(PRINTED) >= 12
    assert FILES
    assert len(PARTLY) >= 30
    assert {options_of(line)[0] for line in PRINTED} >= {"run", "compare", "report", "doctor"}
    assert all(printed_by_campaign(path) for path in CAMPAIGNS)


@pytest.mark.parametrize("text", OVERRIDES)
def test_every_override_that_is_printed_is_accepted(text: str, build_root: Path) -> None:
    made = make_plan(load_campaign("quick", [text]).campaign, build_root, build_root / "state")
    assert made.configurations


@pytest.mark.parametrize("text", FILES)
def test_every_campaign_that_is_printed_is_accepted(
    text: str, build_root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "printed.toml"
    path.write_text(text)
    made = make_plan(load_campaign(str(path), []).campaign, build_root, build_root / "state")
    assert made.configurations


@pytest.mark.parametrize(
    "line",
    [
        "pollux run quick",
        "pollux run night",
        "pollux run paper --size 2048 --variant depend,cw",
        "pollux run paper --size 4096 --variant depend,cw",
    ],
)
def test_what_is_recommended_for_a_night_fits_one(line: str, build_root: Path) -> None:
    assert hours(planned(options_of(line)[1], build_root)) < MOST_HOURS


def test_the_estimate_sees_what_does_not_fit_a_night(build_root: Path) -> None:
    assert hours(planned(options_of("pollux run paper")[1], build_root)) > MOST_HOURS
