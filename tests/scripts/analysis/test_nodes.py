# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of campaigns whose jobs ran on several nodes."""

from pathlib import Path

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result, Verdict
from pollux.core.analysis.stopping import Standings, chance_of
from pollux.core.campaign.lines import PartOf
from pollux.core.commands.compare_grid import make_grid
from pollux.output.report.tables import configuration_name
from run_record import Cell
from synthetic import write_campaign

CELLS: list[Cell] = [("cholesky", "depend", 1024, 128), ("lu", "depend", 1024, 128)]


def compared(
    folder: Path,
    speeds: dict[str, float],
    *,
    deals: bool = False,
    name: str = "a",
    until_decided: float | None = None,
) -> list[Path]:
    """The files of a campaign with a part for each node, of libomp's speed beside libgomp's."""
    files = []
    for number, (node, speed) in enumerate(speeds.items(), 1):
        path = folder / f"{name}.{number}.jsonl"
        write_campaign(
            path,
            {"libgomp": 1.0, "libomp": speed},
            CELLS[number - 1 : number] if deals else CELLS,
            seed=number,
            noise=0.005,
            until_decided=until_decided,
            part=PartOf(campaign=name, number=number, of=len(speeds), node=node),
        )
        files.append(path)
    return files


def result_of(files: list[Path]) -> Result:
    return compare(load(files))


def test_a_difference_between_nodes_is_shown_and_not_averaged(tmp_path: Path) -> None:
    result = result_of(compared(tmp_path, {"n1": 1.1, "n2": 0.9}))
    means = {item.level: item for item in result.overall}
    assert list(means) == ["libomp on node n1", "libomp on node n2"]
    assert {item.cells for item in result.overall} == {2}
    verdicts = [item.comparison.verdict for item in means.values()]
    assert verdicts == [Verdict.BETTER, Verdict.WORSE]
    assert "libomp on node n1 is faster" in result.headline
    assert "libomp on node n2 is slower" in result.headline
    assert (
        sum(line.startswith("nodes differ: the ratio of libomp") for line in result.cautions) == 2
    )
    assert {row.configuration.node for row in result.rows} == {"n1", "n2"}


def test_what_is_compared_ran_on_one_node(tmp_path: Path) -> None:
    for row in result_of(compared(tmp_path, {"n1": 1.1, "n2": 0.9})).rows:
        assert row.cell.endswith(f"on node {row.configuration.node}")
        assert row.comparison.paired or row.level == "libgomp"


def test_nodes_that_agree_are_not_said_to_differ(tmp_path: Path) -> None:
    result = result_of(compared(tmp_path, {"n1": 1.1, "n2": 1.1}))
    assert not any("nodes differ" in line for line in result.cautions)


def test_cells_of_nodes_are_told_apart_and_their_machines_are_no_caution(tmp_path: Path) -> None:
    first, second = compared(tmp_path, {"n1": 1.1, "n2": 1.1})
    second.write_text(second.read_text().replace('"hostname":"node"', '"hostname":"other"'))
    result = result_of([first, second])
    assert {
        identity.host["hostname"] for i in result.dataset.identities.values() for identity in i
    } == {"node", "other"}
    assert not any("machines differ" in line for line in result.warnings)
    grid = make_grid(result)
    assert {row[grid.head.index("node")] for row in grid.body} == {"n1", "n2"}
    assert {configuration_name(row) for row in result.rows} == {
        f"{benchmark} depend on node {node}"
        for benchmark in ("cholesky", "lu")
        for node in ("n1", "n2")
    }


def test_machines_of_levels_on_one_node_are_a_caution(tmp_path: Path) -> None:
    (file,) = compared(tmp_path, {"n1": 1.1})
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(
        "".join(
            line.replace('"hostname":"node"', '"hostname":"other"') if "libomp" in line else line
            for line in lines
        )
    )
    assert any("machines differ" in line for line in result_of([file]).warnings)


def test_parts_on_one_node_are_one_campaign(tmp_path: Path) -> None:
    first, second = compared(tmp_path, {"n1": 1.1, "n2": 1.1}, deals=True)
    second.write_text(second.read_text().replace('"node":"n2"', '"node":"n1"'))
    result = result_of([first, second])
    assert {row.level for row in result.rows} == {"libgomp", "libomp"}
    assert {row.configuration.node for row in result.rows} == {None}
    assert [(item.level, item.cells) for item in result.overall] == [("libomp", 2)]


def test_parts_of_two_campaigns_are_told_apart(tmp_path: Path) -> None:
    before = compared(tmp_path, {"n1": 1.0, "n2": 1.0}, name="before")
    after = compared(tmp_path, {"n1": 1.0, "n2": 1.0}, name="after")
    levels = {row.level for row in result_of([*before, *after]).rows}
    assert levels == {f"{r} ({f}.1)" for r in ("libgomp", "libomp") for f in ("before", "after")}


def test_parts_decide_each_for_their_own_cells(tmp_path: Path) -> None:
    files = compared(tmp_path, {"n1": 1.1, "n2": 1.1}, deals=True, until_decided=0.03)
    result = result_of(files)
    assert result.is_sequential
    alone = [row for file in files for row in result_of([file]).rows]
    together = sorted(
        (r.configuration.benchmark, r.level, r.comparison.p or 0) for r in result.rows
    )
    assert together == sorted(
        (r.configuration.benchmark, r.level, r.comparison.p or 0) for r in alone
    )


@pytest.mark.parametrize(("of", "verdict"), [(1, Verdict.BETTER), (10**6, Verdict.TOO_NOISY)])
def test_parts_share_the_chance_of_a_false_verdict(
    tmp_path: Path, of: int, verdict: Verdict
) -> None:
    """While they run and later: each of 15 pairs doubles the evidence at most."""
    path, part = tmp_path / "a.jsonl", PartOf(campaign="a", number=1, of=of, node="n1")
    speeds = {"libgomp": 1.0, "libomp": 1.1}
    write_campaign(path, speeds, CELLS[:1], noise=0.005, until_decided=0.03, part=part)
    result = result_of([path])
    assert [row.comparison.verdict for row in result.rows] == [Verdict.REFERENCE, verdict]
    standings = Standings(0.03, [["libomp"]], chance_of(part))
    used = result.dataset.used_by
    standings.update(0, [{s.round or 0: s.logs for s in used[row.key]} for row in result.rows])
    assert standings.given == [[verdict]]


def test_parts_that_went_on_under_another_name_are_one_campaign(tmp_path: Path) -> None:
    files = compared(tmp_path, {"n1": 1.1, "n2": 1.1}, deals=True, until_decided=0.03)
    for file in files:
        start, _, others = file.read_text().partition("\n")
        earlier = start.replace('"campaign":"a"', '"campaign":"earlier"')
        file.write_text(f"{earlier}\n{start}\n{others}")
    assert result_of(files).is_sequential


def test_parts_that_ran_on_one_node_one_after_the_other_are_not_mixed(tmp_path: Path) -> None:
    files = [tmp_path / f"a.{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(files, 1):
        part = PartOf(campaign="a", number=number, of=2, node="n1")
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, CELLS, seed=number, part=part)
    result = result_of(files)
    assert {row.level for row in result.rows} == {"libgomp", "libomp"}
    nodes = {row.configuration.node for row in result.rows}
    assert nodes == {"n1 (part 1)", "n1 (part 2)"}
    assert all(row.comparison.paired for row in result.rows if row.level == "libomp")
