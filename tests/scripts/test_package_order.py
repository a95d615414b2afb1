# SPDX-License-Identifier: BSD-3-Clause
"""Each folder of the package uses only those above it in the table of docs/design.md."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from project import ROOT

PACKAGE = ROOT / "scripts" / "pollux"
ROW = re.compile(r"^\| (`[a-z]+/`(?:, `[a-z]+/`)*) \|", re.MULTILINE)


def stated_order() -> list[str]:
    """The folders in the order of the table of section "One campaign"."""
    section = (ROOT / "docs" / "design.md").read_text().partition("## One campaign\n")[2]
    rows = ROW.findall(section.partition("\n## ")[0])
    return [name for row in rows for name in re.findall(r"`([a-z]+)/`", row)]


def imported(tree: ast.AST) -> Iterator[str]:
    """What a module imports of the package, wherever in it, as "part.module" or "part"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [node.module or ""]
            if node.module == "pollux":
                names = [f"pollux.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.partition(".")[2] for name in names if name.startswith("pollux."))


def upward(files: dict[str, str], order: list[str]) -> list[str]:
    """The imports that go up: of modules by their paths in the package, with their text."""
    places = {name: place for place, name in enumerate(order)}
    found = []
    for path, text in files.items():
        folder = path.partition("/")[0] if "/" in path else ""
        # What is next to the folders is below all of them, except the command line itself.
        own = len(order) if path == "cli.py" else places.get(folder, -1)
        for name in imported(ast.parse(text)):
            part = name.partition(".")[0]
            if places.get(part, -1) > own:
                found.append(f"{path} imports {name}")
    return found


def test_no_import_goes_up() -> None:
    files = {str(p.relative_to(PACKAGE)): p.read_text() for p in PACKAGE.rglob("*.py")}
    assert upward(files, stated_order()) == []


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(stated_order()) == sorted(folders)


def test_an_import_that_goes_up_is_found_wherever_it_stands() -> None:
    lazy = "def f() -> None:\n    from pollux.upper.b import x\n"
    checked = "if TYPE_CHECKING:\n    import pollux.upper.b\n"
    files = {"lower/a.py": lazy, "lower/c.py": checked, "base.py": "from pollux import lower\n"}
    files |= {"upper/b.py": "from pollux.lower.a import f\nimport pollux.base\n", "cli.py": lazy}
    assert upward(files, ["lower", "upper"]) == [
        "lower/a.py imports upper.b",
        "lower/c.py imports upper.b",
        "base.py imports lower",
    ]


def modules(files: dict[str, str]) -> dict[str, set[str]]:
    """Each module, and those that it imports, wherever it does so."""
    names = {path.removesuffix(".py").replace("/", "."): path for path in files}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        tree = ast.parse(files[path])
        parts = {
            f"{node.module}.{alias.name}".partition(".")[2]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        graph[name] = {other for other in {*imported(tree), *parts} if other in names}
    return graph


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {str(p.relative_to(PACKAGE)): p.read_text() for p in PACKAGE.rglob("*.py")}
    TopologicalSorter(modules(files)).prepare()  # CycleError names the circle


def test_a_circle_is_found_wherever_its_imports_stand() -> None:
    files = {
        "a.py": "def f() -> None:\n    from pollux import b\n",
        "b.py": "from pollux.part.c import x\n",
        "part/c.py": "if TYPE_CHECKING:\n    from pollux.a import y\n",
    }
    with pytest.raises(CycleError):
        TopologicalSorter(modules(files)).prepare()


def test_only_one_module_starts_processes() -> None:
    starting = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Import) and any(a.name == "subprocess" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "subprocess")
    }
    assert starting == {str(Path("executables/process.py"))}
