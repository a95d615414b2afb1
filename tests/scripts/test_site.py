# SPDX-License-Identifier: BSD-3-Clause
"""The documents as a site: the reference is that of the code; every page and link has its place.

All but the last test do without MkDocs, which scripts/site installs in build/site.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import dialect
import gallery
import outside
import pytest
import reference
import typer
import yaml
from pollux.core.cli import app
from project import ROOT

DOCS = ROOT / "docs"
PACKAGES = ROOT / "build/site/packages"
SCRIPT = ROOT / "scripts/site"
BLANK = re.compile(r"\{\{\w+\}\}(?!;)")  # as templates have it; C's initialisers end in ";"


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml; what it calls in Python is left out."""


Loader.add_multi_constructor(  # type: ignore[no-untyped-call]
    "tag:yaml.org,2002:python/", lambda *_: None
)


def test_every_command_and_option_is_in_the_reference_and_no_other() -> None:
    pages = reference.pages()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    others = {f"{reference.FOLDER}/index.md", reference.KEYS}
    assert {*pages} - others == {reference.command_page(name) for name in commands}
    for name, command in commands.items():
        page = pages[reference.command_page(name)]
        context = typer.Context(command, info_name=name)
        listed = {*re.findall(r"(?<=[ `])--[a-z][a-z-]*", rows(page, "Options"))}
        shown = [one for one in command.get_params(context) if not one.hidden]
        assert listed == {word for one in shown for word in one.opts if word.startswith("--")}
        assert f"[pollux {name}]({name}.md)" in pages[f"{reference.FOLDER}/index.md"]


def rows(page: str, title: str) -> str:
    """The first column of the table below a heading."""
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return "\n".join(re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE))


def keys(page: str, title: str) -> set[str]:
    return {*re.findall(r"`(.*)`", rows(page, title))}


def test_every_key_of_a_campaign_is_in_the_reference_and_no_other() -> None:
    schema: dict[str, Any] = json.loads((DOCS / "campaign.schema.json").read_text())
    page = reference.keys_text()
    tables = {"At the top": schema, r"\[grid\]": schema["$defs"]["Grid"]}
    tables |= {rf"\[{x}\]": schema["$defs"][x.title()] for x in ("blocks", "submit")}
    tables[r"\[runtimes.LABEL\]"] = schema["$defs"]["Runtime"]
    for title, table in tables.items():
        assert keys(page, title) == {*table["properties"]}
    for kind in ("include", "exclude"):
        section = page.partition(rf"## \[\[{kind}\]\]")[2].partition("\n## ")[0]
        assert r"The keys of \[grid\]." in section
    shown = len(re.findall(r"^## ", page, re.MULTILINE))
    assert shown == len(tables) + 2


def test_the_navigation_has_every_page_once() -> None:
    config = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)
    listed = [*leaves(config["nav"])]
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert {*listed} == pages
    assert len(listed) == len(pages)


def test_no_program_is_part_of_the_site() -> None:
    patterns = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["exclude_docs"].split()
    files = [path for path in (DOCS / "evaluation").iterdir() if path.is_file()]
    assert {p.suffix for p in files if not any(map(p.match, patterns))} == {".md"}


def test_no_page_has_a_place_that_is_still_to_be_filled_in() -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    assert {path.name: found for path, x in pages.items() if (found := BLANK.findall(x))} == {}


def leaves(entries: Any) -> Any:  # noqa: ANN401 (of YAML)
    """The pages of a navigation."""
    if isinstance(entries, str):
        yield entries
        return
    for entry in entries.values() if isinstance(entries, dict) else entries:
        yield from leaves(entry)


def test_a_link_out_of_docs_leads_to_a_page_that_shows_the_file() -> None:
    added = outside.pages()
    assert {"project/README.md", "project/campaigns/quick.toml.md"} <= {*added}
    pages = {path.relative_to(DOCS).as_posix(): path.read_text() for path in DOCS.rglob("*.md")}
    lost = []
    for uri, text in {**pages, **added}.items():
        shown = outside.rewritten(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), uri)
        for link in outside.LINK.finditer(shown):
            target = os.path.normpath(Path(uri).parent / link[1])
            if target not in added and not (DOCS / target).is_file():
                lost.append(f"{uri}: {link[1]}")
    assert lost == []


def test_links_in_examples_stay_as_they_are() -> None:
    text = "[a](../LICENSE)\n```\n[a](../LICENSE)\n```\n"
    assert outside.rewritten(text, "a.md") == text.replace("../LICENSE", "project/LICENSE.md", 1)


def test_what_belongs_to_a_numbered_item_is_indented_by_four() -> None:
    text = "1. a\n\n   ```c\n   b\n   ```\n\n   - c\n\nd\n   e\n```\n1. f\n   g\n```\n"
    wider = "1. a\n\n    ```c\n    b\n    ```\n\n    - c\n\nd\n   e\n```\n1. f\n   g\n```\n"
    assert dialect.for_python_markdown(text) == wider


@pytest.mark.slow
def test_every_figure_of_the_gallery_is_drawn_by_its_command(tmp_path: Path) -> None:
    drawn = gallery.draw(tmp_path)
    page = gallery.PAGE.read_text(encoding="utf-8")
    assert len(drawn) == len(gallery.commands(page)) >= 4
    names = [[path.name for path in paths] for paths in drawn]
    flat = [name for one in names for name in one]
    assert len({*flat}) == len(flat)
    for path in (path for paths in drawn for path in paths):
        assert path.read_text(encoding="utf-8").startswith("<?xml")
    shown = re.findall(r"!\[.*?\]\(gallery/(.*?)\)", gallery.with_figures(page, names))
    assert shown == flat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--output"], "--output needs a folder"),
        (["--none"], "unknown argument '--none'; the only option is --output"),
        (["--output", "FILE"], "is not a folder"),
        (["--output", "."], "has other files in it, which would be deleted; name a new folder"),
    ],
)
def test_wrong_use_of_the_script_is_a_line(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "FILE").touch()
    done = subprocess.run([SCRIPT, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("scripts/site: ") and line.endswith(message)


@pytest.mark.slow
@pytest.mark.skipif(not (PACKAGES / "complete").is_file(), reason="needs MkDocs: scripts/site")
def test_the_site_is_built_without_a_warning_and_names_no_file_of_this_machine(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGES}:{ROOT / 'scripts'}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reference/run.html").read_text(encoding="utf-8")
    assert "--until-decided SHARE" in page
    loaded = re.findall(r'<(?:script|link|img)[^>]*? (?:src|href)="(https?:[^"]*)"', page)
    assert loaded == []
    assert [x for x in tmp_path.rglob("*.html") if str(ROOT) in x.read_text("utf-8")] == []
