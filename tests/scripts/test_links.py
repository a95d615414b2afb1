# SPDX-License-Identifier: BSD-3-Clause
"""Every link of the documents leads to a file that there is, and to a heading that it has."""

import re
from functools import cache
from pathlib import Path

import pytest
from project import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


@cache
def headings(page: Path) -> frozenset[str]:
    """Of a page, as GitHub writes them in links, and the anchors that it names itself."""
    text = FENCED.sub("", page.read_text())
    named = re.findall(r'<a id="([^"]+)">', text)
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return frozenset(
        [*named, *(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in found)]
    )


def broken(page: Path) -> list[str]:
    lost = []
    for name, heading in LINK.findall(FENCED.sub("", page.read_text())):
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            lost.append(name)
        elif heading and heading not in headings(target):
            lost.append(f"{name}#{heading}")
    return lost


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_link_to_nothing_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title, *emphasized*\n[a](#a-title-emphasized) [b](#b) [c](c.md)\n")
    assert broken(page) == ["#b", "c.md"]
