# SPDX-License-Identifier: BSD-3-Clause
"""A campaign's file as its author meets it: what may stand in it, and what errors say."""

import json
from pathlib import Path

import pytest
from campaign_files import write
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.schema import PATH, schema_text
from pollux.core.campaign.toml import locate
from pollux.core.errors import BadUsageError
from pollux.core.paths import SHIPPED
from project import ROOT

LEAST = 'name = "trial"\n[grid]\nsize = 512\n'


def load(folder: Path, text: str, *overrides: str) -> Campaign:
    return load_campaign(str(write(folder, text)), list(overrides)).campaign


def errors(folder: Path, text: str, *overrides: str) -> list[str]:
    """The lines of the message, without the file's folder."""
    with pytest.raises(BadUsageError) as caught:
        load(folder, text, *overrides)
    assert caught.value.exit_code == 2
    return caught.value.format_message().replace(f"{folder}/", "").splitlines()


def test_a_scalar_stands_for_a_list_of_one(tmp_path: Path) -> None:
    one = load(tmp_path, 'name = "t"\n[grid]\nsize = 512\ntile = 64\nvariant = "depend"\n')
    many = load(tmp_path, 'name = "t"\n[grid]\nsize = [512]\ntile = [64]\nvariant = ["depend"]\n')
    assert one == many


def test_a_range_has_both_ends(tmp_path: Path) -> None:
    campaign = load(tmp_path, 'name = "t"\n[grid]\nsize = ["512:1024:256", 4096, 512]\n')
    assert campaign.grid.size == [512, 768, 1024, 4096]


def test_values_of_variables_need_no_quotes(tmp_path: Path) -> None:
    text = f'{LEAST}[environments.e]\nA = 1\nB = true\nC = "x"\n'
    assert load(tmp_path, text).environments == {"e": {"A": "1", "B": "true", "C": "x"}}


def test_all_errors_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    text = (
        'name = "trial"\nproceses = 3\nwarmup = true\nuntil_decided = "2 percent"\n'
        "[grid]\nsize = [\n  512,\n  0,\n]\ntile = 0\n"
        "[blocks]\nseconds = -1\n[[include]]\nsise = 3\n"
    )
    assert errors(tmp_path, text) == [
        'trial.toml:2: proceses: unknown key; did you mean "processes"?',
        "trial.toml:3: warmup: must be an integer, not true",
        'trial.toml:4: until_decided: "2 percent" is not a share; a share is written "10%" or 0.1',
        "trial.toml:6: grid.size: 0 is not a matrix order; allowed are numbers from 1 up, "
        "START:STOP:STEP",
        "trial.toml:10: grid.tile: 0 is not a tile size; allowed are numbers from 1 up, "
        'START:STOP:STEP, "MBxNB", "default", "fastest", "tuned"',
        "trial.toml:12: blocks.seconds: must be greater than 0, not -1",
        'trial.toml:14: include.sise: unknown key; did you mean "size"?',
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = [\n", "trial.toml:2: not TOML: "),
        ('[" (at ²,"]\n[" (at ²,"]\n', "trial.toml:2: not TOML: cannot declare"),
        ('name = "t"\nname = "u"\n', "trial.toml:2: not TOML: a key is given twice"),
        ('name = "a/b"\n[grid]\nsize = 1\n', 'trial.toml:1: name: "a/b" is not a name'),
        ('name = "t"\n', "trial.toml: grid: is missing"),
        ('name = "t"\ngrid = 3\n', "trial.toml:2: grid: must be a table, not 3"),
        ('name = "t"\n[grid]\n', "trial.toml:2: grid.size: is missing"),
        ('name = "t"\nsize = 3\n[grid]\nsize = 3\n', "trial.toml:2: size: unknown key here; it"),
        (f"{LEAST}runtime = 'libopm'\n", '[runtimes] has no "libopm"; did you mean "libomp"?'),
        (
            f"{LEAST}environment = 'x'\n",
            'trial.toml:4: grid.environment: [environments] has no "x"',
        ),
        (f"reference = 'gcc'\n{LEAST}", 'trial.toml:1: reference: [runtimes] has no "gcc"'),
        (f"processes = 2\nbudget = '5m'\n{LEAST}", "trial.toml:2: budget: is for a campaign that"),
        (f"processes = 2\ndecide = 'x'\n{LEAST}", "trial.toml:2: decide: is for a campaign that"),
        (f"{LEAST}variant = []\n", "grid.variant: an empty list leaves nothing to run"),
        (f"{LEAST}variant = ['all', 'seq']\n", 'grid.variant: "all" stands alone'),
        (f"{LEAST}tile = '1000x128'\n", "grid.tile: 1000x128 is not a tile size: MB = 1000 is no"),
        (f"{LEAST}tile = '64x128'\n", "grid.tile: 64x128 is not a tile size: NB is from 1 up"),
        (f"{LEAST}tile = '1x2x3'\n", '1x2x3" is not a tile size; one is NB, or MBxNB such as'),
        (f"{LEAST}rows = '64x32'\n", '"64x32" is not a number of rows'),
        (f"{LEAST}threads = '4:1:1'\n", "is an empty range; START is from 1 up to STOP"),
        (f"{LEAST}threads = '1:9999:1'\n", "has 9999 values; at most 256 are allowed"),
        (f"{LEAST}[[exclude]]\n", "trial.toml:4: exclude: a table without a key"),
        (f"{LEAST}[runtimes.x]\n", "trial.toml:4: runtimes.x.preset: is missing"),
        (f"{LEAST}[environments.x]\n'A B' = 1\n", '"A B" is not a name: letters, digits and _'),
    ],
)
def test_an_error_is_one_line_that_names_key_and_line(
    tmp_path: Path, text: str, message: str
) -> None:
    lines = errors(tmp_path, text)
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [("nonesuch", "no such file"), (".", "is a folder"), ("/usr/bin/env", "not UTF-8 text")],
)
def test_what_is_no_campaign_is_reported_in_a_line(name: str, message: str) -> None:
    with pytest.raises(BadUsageError, match=message):
        load_campaign(name, [])


def test_an_unknown_name_is_answered_by_those_that_are_shipped() -> None:
    with pytest.raises(BadUsageError, match=r"one of those shipped: .*paper.*quick"):
        load_campaign("nonesuch", [])


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda p: p.stem)
def test_shipped_campaigns_load_by_name(path: Path) -> None:
    loaded = load_campaign(path.stem, [])
    assert loaded.campaign.name == path.stem
    assert loaded.path == path
    assert loaded.text == path.read_text()


def test_the_paper_s_tile_sizes_are_those_of_its_table() -> None:
    campaign = load_campaign("paper", []).campaign
    grids = [campaign.grid, *campaign.include]
    found = {(b, n): g.tile for g in grids for b in g.benchmark or [] for n in g.size or []}
    sizes = (8192, 16384, 32768)
    tiles = {"cholesky": (224, 288, 352), "lu": (160, 224, 352), "qr": (224, 480, 352)}
    tiles["lu-cw"] = tiles["lu"]
    assert found == {(b, n): [t] for b in tiles for n, t in zip(sizes, tiles[b], strict=True)}
    assert (campaign.until_decided, campaign.repetitions) == (0.03, 1)


def test_overrides_replace_values_of_the_file(tmp_path: Path) -> None:
    campaign = load(
        tmp_path,
        LEAST,
        "processes=9",
        "size=2048,1:3:1",
        "grid.variant=depend, cw",
        "tile=tuned",
        "until_decided=2%",
        "blocks.seconds=5.0",
        'runtimes."gcc on libomp".preset=libgomp',
        "environments.e.KMP_AFFINITY=granularity=fine,compact",
    )
    assert campaign.processes == 9
    assert campaign.grid.size == [2048, 1, 2, 3]
    assert campaign.grid.variant == ["depend", "cw"]
    assert campaign.grid.tile == ["tuned"]
    assert campaign.until_decided == 0.02
    assert campaign.blocks.seconds == 5
    assert list(campaign.runtimes) == ["libgomp", "libomp", "gcc on libomp"]
    assert campaign.environments["e"] == {"KMP_AFFINITY": "granularity=fine,compact"}


def test_an_axis_by_its_bare_name_is_overridden_in_what_is_included_too(tmp_path: Path) -> None:
    text = f"{LEAST}[[include]]\nsize = 1024\ntile = 64\n"
    assert load(tmp_path, text, "size=99").include[0].given() == {"tile": [64]}
    assert load(tmp_path, text, "grid.size=99").include[0].given() == {"size": [1024], "tile": [64]}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("processes", "--set processes: must be KEY=VALUE"),
        ("=3", "--set =3: must be KEY=VALUE"),
        ("siz=3", '--set siz=3: siz: unknown key; did you mean "size"?'),
        ("size=big", '--set size=big: grid.size: "big" is not a matrix order'),
        ("until_decided=", '--set until_decided=: until_decided: "" is not a share; a share is'),
        ("processes=0", "--set processes=0: processes: must be at least 1, not 0"),
        ("name.x=3", "--set name.x=3: a part of the key is not a table"),
        ("exclude=3", "--set exclude=3: [[exclude]] cannot be overridden"),
        (
            "runtimes.lastest.library=x",
            "--set runtimes.lastest.library=x: there is no runtime lastest; choose from libgomp, ",
        ),
        ("runtime=x", '--set runtime=x: grid.runtime: [runtimes] has no "x"'),
    ],
)
def test_errors_of_overrides_name_the_override(tmp_path: Path, override: str, message: str) -> None:
    lines = errors(tmp_path, LEAST, override)
    assert len(lines) == 1
    assert lines[0].startswith(message)


def test_the_schema_in_docs_is_that_of_the_model() -> None:
    assert PATH.read_text(encoding="utf-8") == schema_text(), (
        "docs/campaign.schema.json is out of date: run python -m pollux.core.campaign.schema"
    )


def test_every_key_is_described() -> None:
    schema = json.loads(schema_text())
    tables = [schema, *schema["$defs"].values()]
    lacking = [k for t in tables for k, v in t["properties"].items() if "description" not in v]
    assert lacking == []


def test_lines_are_found_whatever_way_a_key_is_written() -> None:
    text = (ROOT / "campaigns" / "quick.toml").read_text() + (
        '\n[more]\na.b."c d" = """\n[no table]\nx = 1\n"""\nf = { g = 1 }\n'
    )
    lines = text.splitlines()
    found = locate(text)
    assert lines[found["grid",] - 1] == "[grid]"
    assert lines[found["grid", "size"] - 1].startswith("size = ")
    assert lines[found["more", "a", "b", "c d"] - 1].startswith("a.b.")
    assert found["more", "f", "g"] == found["more", "f"] == len(lines)
    assert ("no table",) not in found


def test_an_axis_may_have_an_option_of_its_own(tmp_path: Path) -> None:
    """It replaces the axis in all grids, and the records hold it as --set would write it."""
    path = write(tmp_path, f"{LEAST}[[include]]\nsize = 64\nvariant = 'seq'\n")
    axes = {"size": ["1024,2048", "4096:8192:4096"], "tile": ["128", "1024x128,default"]}
    loaded = load_campaign(str(path), [], axes)
    texts = ["size=1024,2048,4096:8192:4096", "tile=128,1024x128,default"]
    assert loaded.overrides == texts
    by_set = load_campaign(str(path), texts).campaign
    assert loaded.campaign.model_dump() == by_set.model_dump()
    assert loaded.campaign.grid.size == [1024, 2048, 4096, 8192]
    assert loaded.campaign.include[0].size is None


@pytest.mark.parametrize(
    ("overrides", "axes", "message"),
    [
        ((), {"size": ["1,x"]}, '--size 1,x: grid.size: "x" is not a matrix order'),
        ((), {"runtime": ["x", "y"]}, "--runtime x --runtime y: grid.runtime: [runtimes] has no"),
        ((), {"variant": ["a,,b"]}, "--variant a,,b: empty value; a list is written A,B"),
        (("size=1",), {"size": ["2"]}, "--size and --set size=… replace the same key; give only"),
    ],
)
def test_errors_of_such_options_name_them(
    tmp_path: Path, overrides: tuple[str, ...], axes: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        load_campaign(str(write(tmp_path, LEAST)), list(overrides), axes)
    assert caught.value.format_message().startswith(message)
