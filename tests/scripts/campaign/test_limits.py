# SPDX-License-Identifier: BSD-3-Clause
"""Campaign files beyond limits are one line that names the line of the file and the limit."""

import sys
import tomllib
from pathlib import Path

import pytest
from campaign_files import plan, write
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.source import Source
from pollux.core.campaign.toml import FILE_BYTES, NESTING, locate
from pollux.core.errors import BadUsageError
from pollux.core.limits import CONFIGURATIONS_MAX, RUNS_MAX, SECONDS_MAX, SEED_MAX
from pollux.core.text import LINES_MOST

HEAD = 'name = "trial"\n'
GRID = "[grid]\nsize = 64\n"
DEEP = 5000
DIGITS = "9" * 5000
LONG = "x" * 100_000
ESCAPE = "\\u001b[31mred"


def refusal(folder: Path, text: str, *overrides: str) -> list[str]:
    """The lines of the error, without the file's name."""
    path = write(folder, text)
    with pytest.raises(BadUsageError) as caught:
        load_campaign(str(path), list(overrides))
    return caught.value.format_message().replace(str(path), "F").splitlines()


NESTED = f"values are nested more than {NESTING} deep"
RANGES = '"1:256:1", ' * 40
NOT_IN_64_BITS = "a number does not fit in 64 bits"
# Where a statement stands, what the file has there, and the error.
CASES: dict[str, tuple[int, str, str]] = {
    "arrays": (4, f"x = {'[' * DEEP}{']' * DEEP}", NESTED),
    "open arrays": (4, f"x = {'[' * DEEP}", NESTED),
    "inline tables": (4, f"x = {'{a = ' * DEEP}1{'}' * DEEP}", NESTED),
    "dotted key": (2, f"{'a.' * DEEP}b = 1", NESTED),
    "header": (4, f"[{'a.' * DEEP}b]", NESTED),
    "digits": (2, f"seed = {DIGITS}", NOT_IN_64_BITS),
    "negative": (4, f"x = -{DIGITS}", NOT_IN_64_BITS),
    "hexadecimal": (4, f"x = 0x{'f' * 5000}", NOT_IN_64_BITS),
    "seed": (2, f"seed = {SEED_MAX + 1}", f"seed: must be at most {SEED_MAX}, not"),
    "time limit": (
        2,
        f"time_limit = {SECONDS_MAX + 1}",
        "time_limit: must be at most 1000000, not",
    ),
    "no time limit": (2, "time_limit = inf", "time_limit: must be at most 1000000, not inf"),
    "no number": (2, "time_limit = nan", "time_limit: must be at most 1000000, not nan"),
    "line break": (2, 'summary = "a\\nb"', 'summary: "a\\nb" is not possible; a text is one line'),
    "label": (4, f'[runtimes."{ESCAPE}"]\npreset = "p"', f'runtimes."{ESCAPE}": "{ESCAPE}" is'),
    "blank": (4, '[runtimes." a"]\npreset = "p"', 'runtimes." a": " a" is not possible'),
    "preset": (2, f'runtimes.a.preset = "{ESCAPE}"', f'runtimes.a.preset: "{ESCAPE}" is not'),
    "direction": (4, '[environments."a\\u202eb"]', 'environments."a\\u202eb": "a\\u202eb" is'),
    "variable": (2, f'environments.e.X = "{ESCAPE}"', f'environments.e.X: "{ESCAPE}" is not the'),
    "runtime": (4, f'runtime = "{ESCAPE}"', f'grid.runtime: [runtimes] has no "{ESCAPE}"; choose'),
    "key": (4, f'"{ESCAPE}" = 1', f'grid."{ESCAPE}": unknown key; choose from runtime'),
    "long key": (4, f"{LONG} = 1", f"grid.{'x' * 59}…: unknown key; choose from runtime"),
    "ranges": (4, f"tile = [{RANGES}]", "grid.tile: more than 10000 values"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_value_beyond_limits_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    number, statement, message = CASES[name]
    lines = f"{HEAD}{GRID}".splitlines()
    lines.insert(number - 1, statement)
    (line,) = refusal(tmp_path, "\n".join(lines))
    assert line.startswith(f"F:{number}: {message}")
    assert line.isprintable()
    assert len(line) < 400


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, f"{HEAD}# {'x' * FILE_BYTES}\n{GRID}")
    assert line == "F: a campaign's file has at most 256 KiB"


@pytest.mark.parametrize(
    "override",
    [f"size={DIGITS}", f"size={'[' * DEEP}", f"{'a.' * DEEP}b=1", f"{LONG}=1", "a\x1b=1"],
    ids=range(5),
)
def test_overrides_beyond_limits_are_refused_in_a_line(tmp_path: Path, override: str) -> None:
    lines = refusal(tmp_path, HEAD + GRID, override)
    assert len(lines) == 1
    assert lines[0].isprintable()
    assert len(lines[0]) < 400


def test_of_many_errors_the_first_are_shown(tmp_path: Path) -> None:
    lines = refusal(tmp_path, HEAD + GRID + "".join(f"k{i} = 1\n" for i in range(5000)))
    assert len(lines) == LINES_MOST + 1
    assert lines[0].startswith("F:4: grid.k0: unknown key")
    assert lines[-1] == f"… and {5000 - LINES_MOST} more like these"


def test_the_work_for_a_statement_grows_with_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each statement is parsed once, however many lines it has."""
    parsed = []
    loads = tomllib.loads

    def count(text: str) -> dict[str, object]:
        parsed.append(len(text))
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", count)
    text = "[grid]\nsize = [\n" + "".join(f"  {n},\n" for n in range(1, 9001)) + "]\ntile = 64\n"
    assert locate(text)["grid", "tile"] == 9004
    assert sum(parsed) <= len(text)


def test_statements_end_where_toml_says() -> None:
    text = (
        'a = """x\n["\n\\"""[ """""\n'  # 1 to 3
        "b = '''\n#'[\n'''''  # ]\n"  # 4 to 6
        'c = [ # ]\n 1, \'[\', "\\"[",\n]\n\n'  # 7 to 9
        "# d = [\n[t]  # [\n"  # 11 and 12
        "e = { f = [\n1] }\n"
    )
    found = locate(text)
    assert found == {
        ("a",): 1,
        ("b",): 4,
        ("c",): 7,
        ("t",): 12,
        ("t", "e"): 13,
        ("t", "e", "f"): 13,
    }


def test_grids_are_counted_before_they_are_expanded(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend,seq")
    ranges = "".join(f'{axis} = "1:256:1"\n' for axis in ("size", "rows", "tile", "threads"))
    grid = f'benchmark = "lu"\nruntime = "libgomp"\n{ranges}'
    count = 256**3 * (256 + 1)
    with pytest.raises(BadUsageError, match=f"grid: {count} configurations are too many"):
        plan(tmp_path, build_root, f"[grid]\n{grid}")
    text = '[grid]\nbenchmark = "lu"\nvariant = "seq"\nsize = [1, 2]\nruntime = "libgomp"\n'
    processes = RUNS_MAX // 2
    with pytest.raises(BadUsageError, match="3 configurations with 1000000 processes each are"):
        plan(tmp_path, build_root, f"processes = {processes}\n[[include]]\nsize = 3\n{text}")
    assert plan(tmp_path, build_root, text).campaign.processes < processes
    assert count > CONFIGURATIONS_MAX


def test_the_seeds_of_all_runs_are_taken_by_the_executables() -> None:
    assert SEED_MAX + 10**12 <= (2**63 - 1) // 2  # number_parse in common/driver/options.c


def test_messages_show_no_more_of_an_option_than_can_be_read() -> None:
    source = Source(overrides={("size",): f"--set size={LONG}"})
    assert len(source.line(("size",), "is wrong")) < 150
    assert sys.get_int_max_str_digits() > 0  # which load relies on
