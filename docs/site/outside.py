# SPDX-License-Identifier: BSD-3-Clause
"""What pages link to outside docs/, as pages of the site: the README, campaigns, recipes.

The site has no repository to link to, so it contains what its pages name.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FOLDER = "project"  # of these pages in the site
LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^ *(```|~~~)")
LANGUAGES = {".toml": "toml", ".py": "python", ".yml": "yaml", ".txt": "cmake", ".conf": "ini"}
HIDDEN = "---\nsearch:\n  exclude: true\n---\n"


def origin(uri: str) -> Path:
    """The file that a page of the site shows, or the one that it would be in docs/."""
    if not uri.startswith(f"{FOLDER}/"):
        return DOCS / uri
    path = ROOT / uri.removeprefix(f"{FOLDER}/")
    return path if path.exists() else path.with_suffix("")


def uri_of(path: Path) -> str:
    """The page or file of the site that shows a file of the project."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f"{FOLDER}/{name}" if path.suffix == ".md" else f"{FOLDER}/{name}.md"


def rewritten(markdown: str, uri: str) -> str:
    """The page with its links to files outside docs/ led to the pages that show them."""
    lines, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= bool(FENCE.match(line))
        lines.append(line if fenced else LINK.sub(lambda link: relinked(link, uri), line))
    return "\n".join(lines)


def relinked(link: re.Match[str], uri: str) -> str:
    """One link."""
    target = Path(os.path.normpath(origin(uri).parent / link[1]))
    if target.is_dir() and (target / "README.md").is_file():
        target /= "README.md"
    shown_there = uri.startswith(f"{FOLDER}/") or not target.is_relative_to(DOCS)
    if not shown_there or not target.exists():
        return link[0]  # MkDocs reports those that lead nowhere
    return f"]({os.path.relpath(uri_of(target), os.path.dirname(uri))}{link[2] or ''})"  # noqa: PTH120


def targets(text: str, folder: Path) -> Iterator[Path]:
    """The files and folders outside docs/ that a page links to."""
    for name, _ in LINK.findall(text):
        path = Path(os.path.normpath(folder / name))
        if path.exists() and path.is_relative_to(ROOT) and not path.is_relative_to(DOCS):
            yield path / "README.md" if (path / "README.md").is_file() else path


def pages() -> dict[str, str]:
    """The Markdown of each such page, by its path in the site; those that they link to as well."""
    found: dict[str, str] = {}
    to_do = [ROOT / "README.md"]
    for page in sorted(DOCS.rglob("*.md")):
        to_do += targets(page.read_text(encoding="utf-8"), page.parent)
    while to_do:
        path = to_do.pop()
        if (uri := uri_of(path)) not in found:
            found[uri] = shown(path)
            to_do += targets(found[uri], origin(uri).parent)
    return found


def shown(path: Path) -> str:
    """A file or a folder as a page."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        files = [f"- [{x.name}]({path.name}/{x.name})" for x in sorted(path.iterdir())]
        return "\n".join([f"# {name}/", "", *files, ""])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    language = LANGUAGES.get(path.suffix, "text")
    return f"{HIDDEN}# {name}\n\n````{language}\n{text.rstrip()}\n````\n"
