# SPDX-License-Identifier: BSD-3-Clause
"""Options named after axes choose among the values of a campaign's tables; --set replaces them."""

from itertools import combinations
from pathlib import Path

import pytest
from campaign_files import write
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.plan import Plan, make_plan
from pollux.core.errors import BadUsageError

VARIANTS = ("seq", "depend", "forkjoin")
TABLES = """[grid]
size = [8, 16]
tile = 4
benchmark = "cholesky"
variant = ["seq", "depend"]
[[include]]
variant = "depend"
tile = [4, 2]
[[include]]
variant = ["depend", "forkjoin"]
size = 32
runtime = "libomp"
[[include]]
benchmark = "qr"
inner = 2
"""


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", ",".join(VARIANTS))


def planned(
    folder: Path, build_root: Path, text: str = TABLES, *overrides: str, **axes: str
) -> Plan:
    path = write(folder, f'name = "trial"\n{text}')
    given = {axis: [values] for axis, values in axes.items()}
    return make_plan(load_campaign(str(path), [*overrides], given).campaign, build_root, folder)


def found(plan: Plan) -> set[tuple[object, ...]]:
    """What the configurations are: all axes of TABLES."""
    return {
        (c.benchmark, c.variant, c.size, c.tile_asked, c.inner, c.runtime)
        for c in plan.configurations
    }


PLACES = {"benchmark": 0, "variant": 1, "size": 2, "tile": 3, "runtime": 5}


@pytest.mark.parametrize(
    "axes",
    [
        *({"variant": ",".join(two)} for two in combinations(VARIANTS, 2)),
        *({"variant": one} for one in VARIANTS),
        {"size": "8"},
        {"size": "16,32"},
        {"size": "8:16:8"},
        {"tile": "2"},
        {"runtime": "libgomp"},
        {"runtime": "libomp"},
        {"variant": "forkjoin", "size": "32"},
        {"variant": "depend", "tile": "4", "runtime": "libgomp"},
        {"benchmark": "qr", "variant": "seq"},
        {"benchmark": "cholesky", "size": "32"},
    ],
    ids=lambda axes: "-".join(axes.values()),
)
def test_values_that_tables_have_leave_exactly_what_has_them(
    tmp_path: Path, build_root: Path, axes: dict[str, str]
) -> None:
    """The plan is the file's, less all that another value of the axis stands in."""
    everything = found(planned(tmp_path, build_root))
    for axis, texts in axes.items():
        values = {"8", "16"} if ":" in texts else set(texts.split(","))
        everything = {c for c in everything if str(c[PLACES[axis]]) in values}
    assert everything
    assert found(planned(tmp_path, build_root, **axes)) == everything


def test_values_that_no_table_has_replace_those_of_all(tmp_path: Path, build_root: Path) -> None:
    chosen = found(planned(tmp_path, build_root, size="64"))
    assert chosen == found(planned(tmp_path, build_root, TABLES, "size=64"))
    assert {c[2] for c in chosen} == {64}
    assert {c[0] for c in chosen} == {"cholesky", "qr"}


def test_a_value_of_tables_that_are_left_out_is_new_to_the_others(
    tmp_path: Path, build_root: Path
) -> None:
    chosen = found(planned(tmp_path, build_root, variant="forkjoin", size="8"))
    assert {c[1:3] for c in chosen} == {("forkjoin", 8)}


def test_a_value_that_is_new_beside_some_that_are_not_runs_in_the_grid(
    tmp_path: Path, build_root: Path
) -> None:
    both, known = (found(planned(tmp_path, build_root, size=x)) for x in ("8,64", "8"))
    assert known < both
    assert both == known | {(*c[:2], 64, *c[3:]) for c in known}


def test_set_replaces_what_an_option_would_choose(tmp_path: Path, build_root: Path) -> None:
    replaced = found(planned(tmp_path, build_root, TABLES, "variant=depend,seq"))
    assert {c[1] for c in replaced if c[2] == 32} == {"depend", "seq"}
    chosen = found(planned(tmp_path, build_root, variant="depend,seq"))
    assert {c[1] for c in chosen if c[2] == 32} == {"depend"}
    assert len(chosen) < len(replaced)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"variant": "dpend"}, '"dpend" is not a variant of cholesky, qr'),
        ({"variant": "seq,dpend"}, '"dpend" is not a variant of cholesky'),
        ({"size": "nope"}, '"nope" is not a matrix order'),
        ({"benchmark": "qr", "inner": "x" * 99}, "is not an inner block"),
    ],
)
def test_a_choice_that_makes_no_sense_is_an_error(
    tmp_path: Path, build_root: Path, axes: dict[str, str], words: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        planned(tmp_path, build_root, **axes)
    assert words in caught.value.format_message()


def test_a_new_value_without_a_table_to_run_it_is_an_error(
    tmp_path: Path, build_root: Path
) -> None:
    own = '[grid]\nsize = 8\nbenchmark = "lu"\n[[include]]\nbenchmark = "qr"\nsize = 16\n'
    with pytest.raises(BadUsageError, match="no table of the benchmarks that are chosen has 32"):
        planned(tmp_path, build_root, own, benchmark="qr", size="16,32")


def test_all_of_an_axis_of_names_is_every_value_of_it(tmp_path: Path, build_root: Path) -> None:
    own = '[grid]\nsize = 8\nbenchmark = "lu"\nvariant = "seq"\n[[include]]\nvariant = "depend"\n'
    every = found(planned(tmp_path, build_root, own, variant="all"))
    assert {c[1] for c in every} == {*VARIANTS}
    own = '[grid]\nsize = 8\nbenchmark = "lu"\n[[include]]\nvariant = "depend"\ntile = 2\n'
    chosen = found(planned(tmp_path, build_root, own, variant="depend,seq"))
    assert {(c[1], c[3]) for c in chosen} == {
        ("depend", "default"),
        ("seq", "default"),
        ("depend", "2"),
    }


@pytest.mark.parametrize(
    ("chosen", "reference"),
    [("libomp,other", "libomp"), ("other,libgomp", "libgomp"), ("all", "libgomp")],
)
def test_a_reference_that_is_not_chosen_gives_way_to_the_first_that_is(
    tmp_path: Path, build_root: Path, chosen: str, reference: str
) -> None:
    text = (
        'reference = "libgomp"\n[runtimes]\nlibgomp.preset = "libgomp"\n'
        'libomp = { preset = "libomp", optional = true }\nother.preset = "libomp"\n'
        '[grid]\nbenchmark = "cholesky"\nsize = 8\n'
    )
    assert planned(tmp_path, build_root, text, runtime=chosen).reference == reference
    with pytest.raises(BadUsageError, match="reference: libgomp is not in the grid"):
        planned(tmp_path, build_root, text, 'reference="libgomp"', runtime="libomp,other")
    unstated = text.partition("\n")[2]
    assert planned(tmp_path, build_root, unstated, runtime=chosen).reference == reference


@pytest.mark.parametrize("value", ["[]", "{a=1}", "1"])
def test_a_runtime_that_is_no_text_is_an_error(
    tmp_path: Path, build_root: Path, value: str
) -> None:
    text = f'reference = "a"\n[runtimes]\na.preset = "libgomp"\n{TABLES}'
    with pytest.raises(BadUsageError, match="is not a runtime; a name is a text"):
        planned(tmp_path, build_root, text, runtime=value)
