# SPDX-License-Identifier: BSD-3-Clause
"""The report in a real browser: it draws, asks for nothing, fits a phone, and works without it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsers import HOSTILE, IN_A_BROWSER, open_page, started_browser
from micro_campaigns import configuration, write_micro_campaign
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import Outcome
from pollux.output.report.page import make_page
from run_record import record
from synthetic import append, write_campaign

pytestmark = IN_A_BROWSER
ROUNDS = 8


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with every kind of plot that its axes allow, a failure, and a hostile name."""
    folder = tmp_path_factory.mktemp("report")
    write_campaign(
        folder / "trial.jsonl",
        {"libgomp": 1.0, "libomp": 1.1, HOSTILE: 0.9},
        [
            ("lu", v, n, nb)
            for v in ("seq", "depend", "cw")
            for n in (1024, 2048)
            for nb in (64, 96)
        ],
        rounds=ROUNDS,
        outcomes={("libomp", "cw"): Outcome.HANG},
        disturbed_rounds=(3, 6),
    )
    html = make_page(compare(load([folder / "trial.jsonl"])))
    (folder / "trial.html").write_text(html, "utf-8")
    return (folder / "trial.html").as_uri()


@pytest.fixture(scope="module")
def seen() -> list[str]:
    """Requests, messages, errors and dialogs of the page."""
    return []


@pytest.fixture(scope="module")
def page(browser: Any, address: str, seen: list[str]) -> Iterator[Any]:  # noqa: ANN401
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield open_page(context, address, seen)


@pytest.fixture
def own_page(browser: Any, address: str, seen: list[str]) -> Iterator[Any]:  # noqa: ANN401
    """For a test that changes what is shown."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield open_page(context, address, seen)


@contextmanager
def report_of(records: Path, browser: Any, *others: Path) -> Iterator[Any]:  # noqa: ANN401
    """The report on a file, or on several, opened."""
    html = records.with_suffix(".html")
    html.write_text(make_page(compare(load([records, *others]))), "utf-8")
    with browser.new_context() as context:
        yield open_page(context, html.as_uri(), [])


def points(page: Any, chart: str) -> int:  # noqa: ANN401
    count: int = page.locator(f"#chart-{chart} .js-plotly-plot .scatterlayer .point").count()
    return count


def test_all_plots_draw_and_nothing_else_is_loaded(
    page: Any,  # noqa: ANN401
    address: str,
    seen: list[str],
) -> None:
    assert points(page, "speeds") == 3 * (ROUNDS + 1)
    assert points(page, "ratios") == 2 * 12 - 4
    assert points(page, "tile") == 3 * (2 + 1)  # a ring around the best
    assert points(page, "size") == 3 * 2
    assert points(page, "drift") > (36 - 4) * ROUNDS
    assert page.locator("#chart-threads").count() == 0
    shaded = "document.querySelector('#chart-drift .chart').layout.shapes.length"
    assert page.evaluate(shaded) == 2
    assert page.locator("#no-charts").count() == 0
    assert set(seen) == {address}


def test_names_stay_text_in_plots(page: Any) -> None:  # noqa: ANN401
    ticks = page.locator("#chart-speeds .ytick text").all_text_contents()
    assert HOSTILE in ticks


def test_plots_follow_the_selection(own_page: Any) -> None:  # noqa: ANN401
    own_page.locator("#selection").get_by_label("variant").select_option("cw")
    assert points(own_page, "speeds") == 2 * (ROUNDS + 1)  # libomp hangs
    own_page.locator("#selection").get_by_label("NB").select_option("96")
    assert "NB 96" in own_page.locator("#chart-speeds figcaption").inner_text()


def test_every_plot_says_in_words_what_it_shows(page: Any) -> None:  # noqa: ANN401
    charts = page.locator(".chart")
    for i in range(charts.count()):
        assert charts.nth(i).get_attribute("role") == "img"
        assert len(charts.nth(i).get_attribute("aria-label")) > 20


def test_tables_sort_and_filter(own_page: Any) -> None:  # noqa: ANN401
    table = own_page.locator("#filter ~ .scroll table")
    heading = table.locator("thead th").nth(3)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    tiles = list(map(int, table.locator("tbody td:nth-child(4)").all_text_contents()))
    assert tiles == sorted(tiles)
    ratios = table.locator("thead th").nth(6)
    for order in ("ascending", "descending"):
        ratios.locator("button").click()
        assert ratios.get_attribute("aria-sort") == order
        cells = table.locator("tbody td:nth-child(7)").all_text_contents()
        are_numbers = [cell.strip()[:1].isdigit() for cell in cells]
        assert 0 < sum(are_numbers) < len(cells)
        assert are_numbers == sorted(are_numbers, reverse=True)
    times = table.locator("tbody td:nth-child(4)")
    for place, text in enumerate(("\u22122.5 %", "1 %", "\u221210 %")):
        times.nth(place).evaluate("(cell, text) => (cell.textContent = text)", text)
    heading.locator("button").click()
    assert times.all_text_contents()[:3] == ["\u221210 %", "\u22122.5 %", "1 %"]
    own_page.get_by_label("Show rows").fill("cw libomp")
    visible = [row.inner_text() for row in table.locator("tbody tr:visible").all()]
    assert len(visible) == 4
    assert all("cw" in text and "libomp" in text for text in visible)


def test_the_page_fits_a_phone(browser: Any, address: str, seen: list[str]) -> None:  # noqa: ANN401
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = open_page(context, address, seen)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_figures_of_times_share_the_width_and_scroll_on_a_phone(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    sides = [(configuration(name, "chain"), 400.0) for name in ("libgomp", "libomp")]
    write_micro_campaign(tmp_path / "t.jsonl", sides)
    html = tmp_path / "t.html"
    html.write_text(make_page(compare(load([tmp_path / "t.jsonl"]))), "utf-8")
    places = "[...document.querySelectorAll('.figures img')].map(i => i.getBoundingClientRect())"
    for width, columns in ((1400, 2), (900, 1), (400, 1)):
        with browser.new_context(viewport={"width": width, "height": 900}) as context:
            page = context.new_page()
            page.goto(html.as_uri())
            boxes = page.evaluate(f"{places}.map(b => [b.x, b.width])")
            assert len({x for x, _ in boxes}) == columns
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if columns == 2:
                assert sum(own for _, own in boxes[:2]) > 0.9 * width
            assert all(own > 500 for _, own in boxes)  # as large as its text asks for


def test_plots_are_dark_where_the_page_is(browser: Any, address: str, seen: list[str]) -> None:  # noqa: ANN401
    with browser.new_context(color_scheme="dark") as context:
        page = open_page(context, address, seen)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        paper = page.locator("#chart-speeds .main-svg").first
        assert paper.evaluate("node => getComputedStyle(node).backgroundColor") == ground
        assert ground != "rgb(253, 253, 251)"


def test_efficiency_is_speed_over_that_of_the_threads_alone(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    records = tmp_path / "plain.jsonl"
    for seed in range(6):
        for threads, gflops in ((1, 10.0), (2, 16.0), (4, 24.0)):
            made = record(("lu", "depend", 512, 64), "libgomp", seed, gflops, threads=threads)
            append(records, made)
    with report_of(records, browser) as page:
        traces = page.evaluate("document.querySelector('#chart-threads .chart').data")
    assert [(trace["x"], trace["y"]) for trace in traces] == [
        ([1, 2, 4], [10, 16, 24]),
        ([1, 2, 4], [1, 0.8, 0.6]),
    ]


def test_tall_tiles_stand_one_after_another(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    records = tmp_path / "tall.jsonl"
    tiles: list[int | str] = [128, 64, "1024x64", "512x128"]
    for seed in range(6):
        for place, tile in enumerate(tiles):
            append(records, record(("lu", "depend", 2048, tile), "libgomp", seed, 10.0 + place))
    with report_of(records, browser) as page:
        chart = "document.querySelector('#chart-tile .chart')"
        points, ring = page.evaluate(f"{chart}.data")
        assert page.evaluate(f"{chart}.layout.xaxis.ticktext") == [64, 128, "512x128", "1024x64"]
    assert (points["mode"], points["x"], points["y"]) == ("markers", [0, 1, 2, 3], [11, 10, 13, 12])
    assert (ring["x"], ring["text"]) == ([2], ["512x128"])


def test_rings_at_one_tile_have_one_label(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    records = tmp_path / "rings.jsonl"
    for seed in range(6):
        for level, gflops in (("libgomp", 10.0), ("libomp", 10.1)):
            for tile, times in ((64, 1), (128, 2)):
                append(records, record(("lu", "depend", 2048, tile), level, seed, times * gflops))
    with report_of(records, browser) as page:
        drawn = page.evaluate("document.querySelector('#chart-tile .chart').data")
    modes = {line["name"]: line["mode"] for line in drawn if line["x"] == [128]}
    assert modes == {"libgomp": "markers", "libomp": "markers+text"}


def test_a_line_over_n_keeps_the_shape_of_the_matrix(browser: Any, tmp_path: Path) -> None:  # noqa: ANN401
    records = tmp_path / "shapes.jsonl"
    for seed in range(6):
        for n, times, gflops in ((512, 1, 1.0), (1024, 1, 2.0), (512, 2, 3.0), (1024, 2, 4.0)):
            made = record(("lu", "depend", n, 64), "libgomp", seed, gflops, m=times * n)
            append(records, made)
    with report_of(records, browser) as page:
        chart = "document.querySelector('#chart-size .chart')"
        (line,) = page.evaluate(f"{chart}.data")
        assert (line["x"], line["y"]) == ([512, 1024], [1, 2])
        page.locator("#selection select").first.select_option("1024×512")
        (line,) = page.evaluate(f"{chart}.data")
        assert (line["x"], line["y"]) == ([512, 1024], [3, 4])


@pytest.mark.parametrize("how", ["no JavaScript", "an old browser"])
def test_text_and_tables_need_no_plots(browser: Any, address: str, how: str) -> None:  # noqa: ANN401
    with browser.new_context(java_script_enabled=how != "no JavaScript") as context:
        context.add_init_script("delete window.DecompressionStream")
        page = context.new_page()
        page.goto(address)
        assert page.locator("#answer").is_visible()
        assert page.locator("#alert").is_visible()
        assert page.locator("#speeds tbody tr").count() >= 36
        assert page.locator("#speeds tbody tr").last.is_visible()
        assert page.locator("#no-charts").is_visible()
        assert page.locator("#charts").is_hidden()


@pytest.mark.parametrize(("nights", "has_legend"), [(2, True), (13, False)])
def test_a_legend_of_many_names_leaves_the_plot_its_room(
    browser: Any,  # noqa: ANN401
    tmp_path: Path,
    nights: int,
    has_legend: bool,
) -> None:
    paths = [tmp_path / f"{night:02}.jsonl" for night in range(nights)]
    for path in paths:
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=2)
    with report_of(paths[0], browser, *paths[1:]) as page:
        legends = page.locator("#chart-drift .legend").count()
        height = page.locator("#chart-drift .nsewdrag").bounding_box()["height"]
    assert bool(legends) is has_legend and height > 200
