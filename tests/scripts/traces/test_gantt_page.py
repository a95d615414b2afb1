# SPDX-License-Identifier: BSD-3-Clause
"""The interactive chart in a real browser: what it draws, shows and filters; it loads nothing."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import HOSTILE, IN_A_BROWSER, open_page, started_browser
from matplotlib.colors import to_rgb
from pollux.energy.figures.power_below import Powers
from pollux.energy.meters.curve import PowerCurve
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.merge import read_runs
from pollux.insight.traces.model import Trace
from pollux.insight.traces.page import kernel_rows, make_gantt_page
from pollux.insight.traces.view import View, make_view, step_spans
from rank_traces import run_on_ranks, write_ranks
from task_graphs import graph_lines
from traces import trace_lines, write_lines

pytestmark = IN_A_BROWSER
LEFT, STEPS, MARGIN = 48, 44, 8  # of gantt_runs.js: where the lanes begin, in pixels
FADED = (233, 233, 230)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    """Two runs, the second with a name that would inject script."""
    lines = [
        trace_lines(graph_lines("lu", "depend", 5), threads=2),
        trace_lines(graph_lines("cholesky", "depend", 5), threads=3),
    ]
    path = write_lines(tmp_path_factory.mktemp("page") / "t.jsonl", *lines)
    return make_view(read_traces(path), ["first", HOSTILE])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as browser:
        yield browser


@pytest.fixture
def seen() -> list[str]:
    """Requests, messages, errors and dialogs of the page."""
    return []


@pytest.fixture
def page(browser: Any, view: View, seen: list[str], tmp_path: Path) -> Iterator[Any]:  # noqa: ANN401
    with browser.new_context(viewport={"width": 1200, "height": 1000}) as context:
        yield open_chart(context, make_gantt_page(view), seen, tmp_path)


def open_chart(context: Any, content: bytes, seen: list[str], folder: Path) -> Any:  # noqa: ANN401
    path = folder / "gantt.html"
    path.write_bytes(content)
    return open_page(context, path.as_uri(), seen)


def place_of(page: Any, view: View, run: int, event: int) -> tuple[float, float]:  # noqa: ANN401
    """The middle of an event, in pixels of its canvas."""
    trace = view.traces[run]
    box = page.locator(".run canvas").nth(run).bounding_box()
    middle = (trace.start[event] + trace.end[event]) / 2
    x = LEFT + middle / view.end * (box["width"] - LEFT - MARGIN)
    return x, STEPS + (trace.thread[event] + 0.5) * lane(page, run, trace)


def lane(page: Any, run: int, trace: Trace) -> float:  # noqa: ANN401
    height = page.locator(".run canvas").nth(run).bounding_box()["height"]
    return float((height - STEPS - 4) / trace.threads)


def colour_at(page: Any, run: int, place: tuple[float, float]) -> tuple[int, ...]:  # noqa: ANN401
    """What is drawn there, a little off the middle, where a step's number may be."""
    script = """([run, x, y]) => {
        const canvas = document.querySelectorAll(".run canvas")[run];
        return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
    }"""
    return tuple(page.evaluate(script, [run, round(place[0]), round(place[1] + 8)])[:3])


def settle(page: Any) -> None:  # noqa: ANN401
    """Wait for what the next frame draws."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def long_event(trace: Trace, kernel: str) -> int:
    """An event of a kernel that no other touches, so that its dots are its own."""
    own = np.flatnonzero(trace.kernel == trace.kernels.index(kernel))
    return int(own[len(own) // 2])


def test_it_loads_nothing_and_logs_nothing(page: Any, seen: list[str]) -> None:  # noqa: ANN401
    assert [text for text in seen if not text.startswith("file:")] == []
    assert len(seen) == 1
    assert page.locator(".run h2").nth(1).text_content() == HOSTILE
    assert page.locator("b").count() == 0


@pytest.mark.parametrize(("run", "kernel"), [(0, "gemm"), (0, "getrf"), (1, "trsm"), (1, "syrk")])
def test_a_kernel_has_its_colour_where_it_ran(page: Any, view: View, run: int, kernel: str) -> None:  # noqa: ANN401
    event = long_event(view.traces[run], kernel)
    colour = tuple(round(255 * c) for c in to_rgb(view.colours[kernel]))
    assert colour_at(page, run, place_of(page, view, run, event)) == colour


def test_hovering_shows_the_kernel(page: Any, view: View) -> None:  # noqa: ANN401
    trace = view.traces[0]
    event = long_event(trace, "trsm")
    x, y = place_of(page, view, 0, event)
    page.locator(".run canvas").nth(0).hover(position={"x": x, "y": y})
    text = page.locator("#tip").text_content()
    assert f"trsm ({trace.i[event]}, {trace.j[event]}), step {trace.step[event]}" in text
    assert f"thread {trace.thread[event]}, core {trace.core[event]}" in text


def test_kernels_and_steps_can_be_switched_off(page: Any, view: View) -> None:  # noqa: ANN401
    trace = view.traces[0]
    place = place_of(page, view, 0, event := long_event(trace, "gemm"))
    page.get_by_label("gemm").uncheck()
    settle(page)
    assert colour_at(page, 0, place) == FADED
    page.get_by_label("gemm").check()
    page.locator("#step-from").fill(str(trace.step[event] + 1))
    page.locator("#step-from").blur()
    settle(page)
    assert colour_at(page, 0, place) == FADED
    page.keyboard.press("Escape")
    settle(page)
    assert colour_at(page, 0, place) != FADED


def test_a_dragged_interval_fills_the_chart(page: Any, view: View) -> None:  # noqa: ANN401
    event = long_event(view.traces[0], "gemm")
    x, y = place_of(page, view, 0, event)
    box = page.locator(".run canvas").nth(0).bounding_box()
    trace = view.traces[0]
    inner = box["width"] - LEFT - MARGIN
    half = (trace.end[event] - trace.start[event]) / view.end * inner / 2 - 1
    page.mouse.move(box["x"] + x - half, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + half, box["y"] + y, steps=3)
    page.mouse.up()
    page.mouse.move(0, 0)
    settle(page)
    colour = tuple(round(255 * c) for c in to_rgb(view.colours["gemm"]))
    shown = f"gemm ({trace.i[event]}, {trace.j[event]}), step {trace.step[event]}"
    for share in (0.05, 0.5, 0.95):
        assert colour_at(page, 0, (LEFT + share * inner, y)) == colour
        page.locator(".run canvas").nth(0).hover(position={"x": LEFT + share * inner, "y": y})
        assert shown in page.locator("#tip").text_content()
    page.mouse.move(0, 0)
    page.get_by_role("button", name="whole").click()
    settle(page)
    assert colour_at(page, 0, (x, y)) == colour


def test_narrow_events_show_shares_with_idle_on_top(
    browser: Any,  # noqa: ANN401
    view: View,
    seen: list[str],
    tmp_path: Path,
) -> None:
    """20 000 kernels of half the time: the lower half of each lane has their colour."""
    many = 20_000
    like = view.traces[0]
    start = 60 * np.arange(many)
    zeros = np.zeros(many, np.int64)
    columns: dict[str, Any] = dict.fromkeys(("step", "i", "j", "thread", "core"), zeros)
    columns |= {"kernel": zeros + like.kernels.index("gemm"), "start": start, "end": start + 30}
    trace = replace(like, threads=1, region=60 * many, **columns)
    with browser.new_context(viewport={"width": 1000, "height": 800}) as context:
        own = make_view([trace])
        page = open_chart(context, make_gantt_page(own), seen, tmp_path)
        script = """() => {
            const canvas = document.querySelector(".run canvas");
            const pen = canvas.getContext("2d");
            const column = (x) => [...pen.getImageData(x, 46, 1, 24).data];
            return [300, 500, 700].map(column);
        }"""
        for column in page.evaluate(script):
            dots = np.array(column).reshape(-1, 4)[:, :3]
            white = (dots == 255).all(axis=1)
            assert white[:9].all()
            assert not white[-9:].any()


def test_late_messages_make_no_step_longer(browser: Any, seen: list[str], tmp_path: Path) -> None:  # noqa: ANN401
    run = run_on_ranks(graph_lines("cholesky", "depend", 5), ranks=3)
    late = replace(run.messages[-1], tile=(0, 0), sent=run.end - 90, received=run.end - 20)
    run.messages.append(late)
    [(_, trace)] = read_runs(write_ranks(tmp_path, run))
    with browser.new_context() as context:
        content = make_gantt_page(make_view([trace]).with_lanes())
        found = open_chart(context, content, seen, tmp_path).evaluate("runs[0].spans")
    spans = zip(*(column.tolist() for column in step_spans(trace)), strict=True)
    assert found == [[step, [first, last]] for step, first, last in spans]


def test_power_is_drawn_below_the_lanes_and_a_gap_where_it_is_not_known(
    browser: Any,  # noqa: ANN401
    view: View,
    seen: list[str],
    tmp_path: Path,
) -> None:
    end = view.traces[0].region
    curve = PowerCurve("wall", np.array([0, 0.5, 0.75, 1]) * end, np.array([300, 100, np.nan]))
    content = make_gantt_page(view, Powers((curve, None), []))
    with browser.new_context(viewport={"width": 1000, "height": 800}) as context:
        page = open_chart(context, content, seen, tmp_path)
        assert len(seen) == 1  # the page itself
        box = page.locator(".run canvas").nth(0).bounding_box()
        inner = (box["width"] - LEFT - MARGIN) * end / view.end

        def grey(share: float, above: float) -> bool:
            place = (LEFT + share * inner, box["height"] - 4 - above - 8)
            return colour_at(page, 0, place) == (228, 228, 226)

        heights = [[grey(share, above) for above in (8, 30)] for share in (0.2, 0.6, 0.9)]
        assert heights == [[True, True], [True, False], [False, False]]
        for share, text in ((0.2, "300 W\nwall, at"), (0.6, "100 W"), (0.9, "power not known")):
            place = {"x": LEFT + share * inner, "y": box["height"] - 20}
            page.locator(".run canvas").nth(0).hover(position=place)
            assert page.locator("#tip").text_content().startswith(text)


def test_tables_count_the_kernels(view: View) -> None:
    html = make_gantt_page(view).decode()
    for trace in view.traces:
        for number in np.unique(trace.kernel):
            row = html.index(f"</span>{trace.kernels[number]}</th>")
            assert "<td>" in html[row : row + 60]
    assert html.count('<tr><th scope="row">') == sum(
        len(np.unique(trace.kernel)) for trace in view.traces
    )


def test_times_of_a_column_are_in_one_unit(view: View) -> None:
    trace = view.traces[0]
    longest = np.arange(len(trace)) == len(trace) - 1  # 3 ms; the others take microseconds
    own = replace(trace, end=trace.start + np.where(longest, 3_000_000, 5_000))
    rows = [row for t in view.traces for row in kernel_rows(make_view([own, view.traces[1]]), t)]
    assert {row.longest.rpartition(" ")[2] for row in rows} == {"ms"}
    assert {row.median.rpartition(" ")[2] for row in rows} == {"ms"}


def test_long_runs_keep_their_times(view: View) -> None:
    """Times beyond 32 bits of nanoseconds are packed in coarser units, none is cut."""
    trace = view.traces[0]
    factor = 10**6
    long_ = replace(
        trace, start=trace.start * factor, end=trace.end * factor, region=trace.region * factor
    )
    text = make_gantt_page(make_view([long_])).decode()
    data = json.loads(text.split('type="application/json">')[1].split("</script>")[0])
    unit = data["traces"][0]["unit"]
    assert long_.region / unit < 2**31
    assert unit < 2 * long_.region / 2**31 + 1
