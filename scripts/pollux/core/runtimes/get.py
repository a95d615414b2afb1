# SPDX-License-Identifier: BSD-3-Clause
"""`scripts/get-runtime`: unpacks a packaged OpenMP runtime into a prefix, verified, and says how
to use it; the system is left alone.
"""

import json
import platform
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pollux.core import streams
from pollux.core.advice import GET_RUNTIME
from pollux.core.console import echo
from pollux.core.errors import BadUsageError, InterruptedByUserError, report_internal_error
from pollux.core.hashing import digest
from pollux.core.interruption import run_app
from pollux.core.paths import BUILDS, IN_SOURCE, ROOT, from_home
from pollux.core.runtimes import debian, pypi
from pollux.core.runtimes.names import COMPILERS, library_label
from pollux.core.runtimes.packaged import Package, available, choose
from pollux.core.runtimes.places import prefixes, runtimes_folder
from pollux.core.runtimes.prefix import (
    Archive,
    Provenance,
    damage,
    is_free,
    occupied,
    put_in_place,
    read_provenance,
)

Name = Annotated[str | None, typer.Argument(metavar="NAME", help="libomp or libiomp5.")]
Version = Annotated[str | None, typer.Argument(metavar="VERSION", help="Such as 19 or 2026.2.0.")]
List = Annotated[bool, typer.Option("--list", help="Show what is available and what is installed.")]
Prefix = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder to create; default: NAME-VERSION in the folder for runtimes."
    ),
]
Sha256 = Annotated[
    str | None, typer.Option(metavar="HEX", help="Checksum that the archive must have.")
]

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def get_runtime(
    name: Name = None,
    version: Version = None,
    *,
    list_: List = False,
    prefix: Prefix = None,
    sha256: Sha256 = None,
) -> int:
    """Unpack and verify a packaged OpenMP runtime, without changing the system.

    Without a name: lists what is available and what is installed. POLLUX_RUNTIMES names the folder
    for runtimes; default: runtimes/ of a source tree, else pollux/runtimes in XDG_DATA_HOME, which
    is ~/.local/share unless it is set.

    Exit status: 0 it is installed, 2 bad usage, 3 it is not available on this machine.

    Example: pollux-get-runtime libomp 19
    """
    if list_ or name is None:
        if name or prefix or sha256:
            raise BadUsageError(
                "--list stands alone; NAME VERSION unpacks a runtime"
                if list_
                else "--prefix and --sha256 need NAME VERSION, the runtime to unpack"
            )
        for line in listing():
            echo(line)
        return 0
    if version is None:
        known = available(debian.versions())
        there = [p for p in known if p.name == name] or known
        raise BadUsageError(f"which version of {name}? choose from {', '.join(map(str, there))}")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise BadUsageError(f"--sha256 {sha256}: must be a SHA-256, 64 hexadecimal digits")
    package = choose(name, version, sha256)
    place = from_home(prefix).absolute() if prefix else default_prefix(package)
    for line in provide(package, place, sha256.lower() if sha256 else None):
        echo(line)
    return 0


def default_prefix(package: Package) -> Path:
    return runtimes_folder(ROOT) / f"{package.name}-{package.version}"


def provide(package: Package, prefix: Path, sha256: str | None) -> Iterator[str]:
    """Make a prefix unless it exists; yields lines on what was done and how to use it."""
    known = read_provenance(prefix)
    if known is not None and (known.name, known.version) != (package.name, package.version):
        raise BadUsageError(
            f"{prefix} holds {known.name} {known.version}; name another folder by --prefix"
        )
    if known is not None and sha256 and known.archive_sha256 != sha256:
        raise BadUsageError(
            f"{prefix} was made of an archive with SHA-256 {known.archive_sha256}; remove it, "
            "or name another folder by --prefix"
        )
    if known is None and not is_free(prefix):
        raise occupied(prefix)
    harm = damage(prefix, known) if known else None
    if known is not None and harm is None:
        yield f"{describe(known)} is in {prefix}, intact"
        yield from how_to_use(known, prefix)
        return
    if harm is not None:
        yield f"{prefix} is unpacked again: {harm}"
    fetch = partial(fetch_archive, package, sha256)
    made, archive = put_in_place(prefix, package.name, package.version, fetch)
    yield f"{describe(made)} is in {prefix}"
    yield f"  SHA-256 {made.archive_sha256} of {made.archive}, {archive.vouched}"
    yield from how_to_use(made, prefix)


def fetch_archive(package: Package, sha256: str | None, folder: Path) -> Archive:
    if package.source == "debian":
        pinned = package.package_version
        return debian.fetch(package.package, pinned, package.sha256, sha256, folder)
    pin = package.sha256.get(platform.machine())
    checksum = sha256 or pin
    if checksum is None:
        raise BadUsageError(
            f"no checksum of {package} is pinned for {platform.machine()}; --sha256 gives it"
        )
    vouched = "as given by --sha256" if sha256 else "as pinned by Pollux"
    return pypi.fetch(
        package.package, package.package_version or package.version, checksum, vouched, folder
    )


def describe(made: Provenance) -> str:
    whose = {"debian": "Debian's", "pypi": "PyPI's"}[made.source]
    return f"{made.name} {made.version} ({whose} {made.package} {made.package_version})"


def how_to_use(made: Provenance, prefix: Path) -> Iterator[str]:
    """The lines to type: under what is built, and as a build of its own."""
    label = label_of(made, prefix)
    own = runtimes_folder(ROOT)
    if prefix.parent == own:
        labels = ",".join(f"{compiler}+{label}" for compiler in COMPILERS)
        yield f"  under what is built:  pollux run quick --runtime libgomp,libomp,{labels}"
    else:
        library = json.dumps(str(prefix / made.library), ensure_ascii=False)  # TOML's, too
        yield f"  in a campaign:  library = {library}, or a link to the prefix in {own}"
    tree, root = f"build/{label}", shlex.quote(str(prefix))
    if IN_SOURCE:
        yield (
            f"  as a build of its own:  cmake --preset {made.name} -B {tree} "
            f"-D POLLUX_RUNTIME_ROOT={root} && cmake --build {tree}"
        )


def label_of(made: Provenance, prefix: Path) -> str:
    """The label under which `pollux runtimes` lists the library; several may ask for one label.

    Where the machine cannot be searched, as with a POLLUX_BUILDS that has no build, the usual one.
    """
    from pollux.core.runtimes.found import look

    wanted = (prefix / made.library).resolve()
    found = None
    with suppress(BadUsageError):
        same = (x for x in look(ROOT, BUILDS).libraries if not x.problem)
        found = next((x.label for x in same if digest(x.path) == digest(wanted)), None)
    return found or library_label(made.name, made.version)


def listing() -> Iterator[str]:
    """What is available, and what is installed."""
    folder = runtimes_folder(ROOT)
    there = {p.name: read_provenance(p) for p in prefixes(folder)}
    of_apt = debian.versions()
    known_packages = available(of_apt)
    rows = [row_of(package, of_apt) for package in known_packages]
    made = {default_prefix(package).name for package in known_packages}
    rows += [
        (describe(known) if known else name, "", f"here: {folder / name}")
        for name, known in there.items()
        if name not in made
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for what, source, here in rows:
        yield f"{what:{widths[0]}}  {source:{widths[1]}}  {here}".rstrip()


def row_of(package: Package, of_apt: list[str]) -> tuple[str, str, str]:
    prefix = default_prefix(package)
    known = read_provenance(prefix)
    whose = {"debian": "apt", "pypi": "PyPI"}[package.source]
    source = f"{whose}: {package.package} {package.package_version or ''}".rstrip()
    is_debian = package.source == "debian"
    if not (package.version in of_apt if is_debian else platform.machine() in package.sha256):
        source += " (not offered here)"
    if known is None:
        here = f"here, without provenance: {prefix}" if prefix.exists() else ""
    else:
        harm = damage(prefix, known)
        here = f"here: {prefix}" + (f" ({harm})" if harm else "")
    return str(package), source, here


def main() -> None:
    """Run the command line; never returns."""
    streams.install()
    try:
        status = run_app(app)
        streams.finish()
    except typer.TyperException as error:
        echo(f"{GET_RUNTIME}: {error.format_message()}", to_stderr=True)
        status = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        echo(f"{GET_RUNTIME}: interrupted", to_stderr=True)
        status = InterruptedByUserError.exit_code
    except Exception as error:
        status = report_internal_error(error)
    sys.exit(streams.finish_quietly(status))


if __name__ == "__main__":
    main()
