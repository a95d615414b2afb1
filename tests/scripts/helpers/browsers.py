# SPDX-License-Identifier: BSD-3-Clause
"""A real browser, for the tests of pages; where there is none, these are skipped."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
IN_A_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason=f"none of {', '.join(NAMES)} is installed"),
]
HOSTILE = "</script><script>alert(1)</script><b>x</b>"
DRAWN = "html[data-drawn]"


@contextmanager
def started_browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def open_page(context: Any, address: str, seen: list[str]) -> Any:  # noqa: ANN401
    """A page that has drawn all; its requests, messages, errors and dialogs are `seen`."""
    page = context.new_page()

    def dismiss(dialog: Any) -> None:  # noqa: ANN401
        seen.append(dialog.message)
        dialog.dismiss()

    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", dismiss)
    page.goto(address)
    page.wait_for_selector(DRAWN)
    return page
