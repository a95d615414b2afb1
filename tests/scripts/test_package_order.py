# SPDX-License-Identifier: BSD-3-Clause
"""Each folder of the package uses only those above it in the table of docs/design.md."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from project import ROOT

PACKAGE = ROOT / "scripts" / "pollux"
FOLDER = r"`[a-z]+/[a-z]+/`"
ROW = re.compile(rf"^\| ({FOLDER}(?:, {FOLDER})*) \|", re.MULTILINE)


def stated_order() -> list[str]:
    """The folders in the order of the table of section "One campaign"."""
    section = (ROOT / "docs" / "design.md").read_text().partition("## One campaign\n")[2]
    rows = ROW.findall(section.partition("\n## ")[0])
    return [name for row in rows for name in re.findall(r"`([a-z]+/[a-z]+)/`", row)]


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def imported(tree: ast.AST) -> Iterator[str]:
    """What a module imports of the package, wherever in it, as "part.module" or "part"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [node.module or ""]
            if (node.module or "").count(".") < 2:  # a part, which has modules and folders
                names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.partition(".")[2] for name in names if name.startswith("pollux."))


def folder_of(path: str, order: Iterable[str]) -> str:
    """The folder of the order that a module is in, by its path; else its part."""
    return next((name for name in order if path.startswith(f"{name}/")), path.partition("/")[0])


def upward(files: dict[str, str], order: list[str]) -> list[str]:
    """The imports that go up: of modules by their paths in the package, with their text.

    What is next to the folders of the core is below all of them, except the command line itself;
    what is next to those of an add-on is above all of these.
    """
    places = {name: place for place, name in enumerate(order)}
    parts = {name.partition("/")[0] for name in order}
    tops = {part: max(places[n] for n in order if n.startswith(f"{part}/")) for part in parts}
    places |= {part: top for part, top in tops.items() if part != "core"}
    places["core"] = -1
    found = []
    for path, text in files.items():
        own = tops["core"] if path == "core/cli.py" else places[folder_of(path, order)]
        for name in imported(parsed(text)):
            if places[folder_of(f"{name.replace('.', '/')}/", order)] > own:
                found.append(f"{path} imports {name}")
    return found


def modules_of_the_package() -> dict[str, str]:
    every = (path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
    return {str(path.relative_to(PACKAGE)): path.read_text() for path in every}


def test_no_import_goes_up() -> None:
    assert upward(modules_of_the_package(), stated_order()) == []


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {str(p.parent.relative_to(PACKAGE)) for p in PACKAGE.glob("*/*/__init__.py")}
    assert sorted(stated_order()) == sorted(folders)


def test_the_core_imports_no_other_part() -> None:
    core = {p: t for p, t in modules_of_the_package().items() if p.startswith("core/")}
    wrong = [
        (path, name)
        for path, text in core.items()
        for name in imported(parsed(text))
        if name.partition(".")[0] != "core"
    ]
    assert len(core) > 50 and wrong == []


def test_an_import_that_goes_up_is_found_wherever_it_stands() -> None:
    lazy = "def f() -> None:\n    from pollux.core.upper.b import x\n"
    checked = "if TYPE_CHECKING:\n    import pollux.other.any.b\n"
    files = {"core/lower/a.py": lazy, "core/lower/c.py": checked, "core/cli.py": lazy}
    files |= {"core/base.py": "from pollux.core import lower\n", "other/part.py": lazy}
    files |= {"core/upper/b.py": "from pollux.core.lower.a import f\nimport pollux.core.base\n"}
    assert upward(files, ["core/lower", "core/upper", "other/any"]) == [
        "core/lower/a.py imports core.upper.b",
        "core/lower/c.py imports other.any.b",
        "core/base.py imports core.lower",
    ]


def modules(files: dict[str, str]) -> dict[str, set[str]]:
    """Each module, and those that it imports, wherever it does so."""
    names = {path.removesuffix(".py").replace("/", "."): path for path in files}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        tree = parsed(files[path])
        parts = {
            f"{node.module}.{alias.name}".partition(".")[2]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        graph[name] = {other for other in {*imported(tree), *parts} if other in names}
    return graph


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(modules(modules_of_the_package())).prepare()  # CycleError names the circle


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
        for node in ast.walk(parsed(path.read_text()))
        if (isinstance(node, ast.Import) and any(a.name == "subprocess" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "subprocess")
    }
    assert starting == {str(Path("core/executables/process.py"))}
