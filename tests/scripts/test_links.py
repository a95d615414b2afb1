# SPDX-License-Identifier: BSD-3-Clause
"""Links of the documents lead to files and headings that exist, and the index names all pages."""

import re
from functools import cache
from pathlib import Path

import pytest
from project import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
INDEXES = [DOCS / name for name in ("index.md", "extending.md", "runtimes/README.md")]
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


def links(page: Path) -> list[tuple[Path, str, str]]:
    """The file that each link of a page leads to, and its two parts as they are written."""
    found = LINK.findall(FENCED.sub("", page.read_text()))
    return [((page.parent / name).resolve() if name else page, name, at) for name, at in found]


def broken(page: Path) -> list[str]:
    lost = []
    for target, name, heading in links(page):
        if not target.exists():
            lost.append(name)
        elif heading and heading not in headings(target):
            lost.append(f"{name}#{heading}")
    return lost


def not_named(pages: list[Path], indexes: list[Path]) -> list[Path]:
    """The pages that none of the indexes links to."""
    named = {target for index in indexes for target, _, _ in links(index)}
    return [page for page in pages if page not in named]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_link_to_nothing_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title, *emphasized*\n[a](#a-title-emphasized) [b](#b) [c](c.md)\n")
    assert broken(page) == ["#b", "c.md"]


def test_the_index_names_every_page() -> None:
    pages = [page for page in PAGES if page != INDEXES[0]]
    assert not_named(pages, INDEXES) == []


def test_a_page_that_no_index_names_is_found(tmp_path: Path) -> None:
    index, named, other = (tmp_path / name for name in ("index.md", "named.md", "other.md"))
    index.write_text("[a](named.md)\n")
    assert not_named([named, other], [index]) == [other]
