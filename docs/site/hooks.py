# SPDX-License-Identifier: BSD-3-Clause
"""Called by MkDocs (mkdocs.yml): adds the pages and figures that are made at build time."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files  # type: ignore[import-not-found]

sys.path.insert(0, str(Path(__file__).resolve().parent))
import dialect
import gallery
import outside
import reference


def on_config(config: Any) -> Any:  # noqa: ANN401 (MkDocs' configuration)
    """Add the reference to the navigation."""
    config.nav.append({"Reference": [*reference.pages()]})
    return config


def on_files(files: Files, *, config: Any) -> Files:  # noqa: ANN401 (MkDocs' configuration)
    """Add the reference, what pages link to outside docs/, and the figures of the gallery."""
    for uri, text in {**reference.pages(), **outside.pages()}.items():
        files.append(File.generated(config, uri, content=text))
    with tempfile.TemporaryDirectory() as folder:
        drawn = gallery.draw(Path(folder))
        config.extra["figures"] = [[path.name for path in paths] for paths in drawn]
        for path in (path for paths in drawn for path in paths):
            uri = f"{gallery.FOLDER}/{path.name}"
            files.append(File.generated(config, uri, content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: object) -> str:  # noqa: ANN401
    """The page with links to the site's pages, figures, and the indentation that is needed."""
    uri: str = page.file.src_uri
    if uri == gallery.PAGE.name:
        markdown = gallery.with_figures(markdown, config.extra["figures"])
    return dialect.for_python_markdown(outside.rewritten(markdown, uri))
