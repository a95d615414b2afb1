# SPDX-License-Identifier: BSD-3-Clause
"""A packaged runtime in its own prefix: complete or absent, with its provenance."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.hashing import digest
from pollux.core.models import Lenient
from pollux.core.runtimes.library import is_library
from pollux.core.runtimes.names import SONAMES

PROVENANCE = "provenance.json"
# What rename(2) says where something else is in the place of the new prefix.
OCCUPIED = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class Provenance(Lenient):
    """Where a prefix came from, kept in it."""

    name: str
    version: str
    source: Literal["debian", "pypi"]
    package: str
    package_version: str
    archive: str
    archive_sha256: str
    library: str  # path in the prefix
    library_sha256: str
    date: str


class Archive(BaseModel):
    """A verified archive and the library that was taken out of it."""

    source: Literal["debian", "pypi"]
    package: str
    package_version: str
    archive: str
    sha256: str
    vouched: str  # what the checksum was compared with, in words
    library: Path
    soname: str  # the name under which the library is put


def read_provenance(prefix: Path) -> Provenance | None:
    """A prefix's provenance; None if it has none that is valid."""
    try:
        return Provenance.model_validate_json((prefix / PROVENANCE).read_bytes())
    except (OSError, ValidationError):
        return None


def damage(prefix: Path, provenance: Provenance) -> str | None:
    """What is wrong with a prefix, if anything is."""
    library = prefix / provenance.library
    if not library.is_file():
        return f"{provenance.library} is missing"
    if digest(library) != provenance.library_sha256:
        return f"{provenance.library} was changed"
    for name in SONAMES:
        link = library.with_name(name)
        if not (link.exists() and link.samefile(library)):
            return f"lib/{name} does not lead to {provenance.library}"
    return None


def put_in_place(
    prefix: Path, name: str, version: str, fetch: Callable[[Path], Archive]
) -> tuple[Provenance, Archive]:
    """Make a prefix of what `fetch` gets into an empty folder that it is given.

    All is made next to `prefix` and then renamed. A prefix of the same kind that is damaged
    is replaced.
    """
    try:
        prefix.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{prefix.name}.", dir=prefix.parent) as drafts:
            draft, fetched = Path(drafts) / "prefix", Path(drafts) / "fetched"
            fetched.mkdir()
            archive = fetch(fetched)
            provenance = fill(draft, name, version, archive)
            if read_provenance(prefix) is not None:
                prefix.rename(Path(drafts) / "damaged")
            rename(draft, prefix)
    except OSError as error:
        raise MachineError(f"cannot write {prefix} ({error.strerror})") from error
    return provenance, archive


def rename(draft: Path, prefix: Path) -> None:
    """Move a finished prefix to its place, which is empty or does not exist."""
    try:
        draft.rename(prefix)
    except OSError as error:
        if error.errno not in OCCUPIED:
            raise
        raise occupied(prefix) from error


def occupied(prefix: Path) -> BadUsageError:
    return BadUsageError(
        f"{prefix} contains something else; remove it, or name another folder by --prefix"
    )


def is_free(prefix: Path) -> bool:
    """Whether a prefix can be put here: nothing is there, or an empty folder."""
    try:
        is_folder = stat.S_ISDIR(prefix.stat().st_mode)
        return is_folder and not any(prefix.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        raise MachineError(f"cannot read {prefix} ({error.strerror})") from error


def fill(draft: Path, name: str, version: str, archive: Archive) -> Provenance:
    """Put the library, its names and its provenance into a new folder."""
    if not is_library(archive.library):
        raise MachineError(f"{archive.archive} holds no library for this machine")
    folder = draft / "lib"
    folder.mkdir(parents=True)
    library = folder / archive.soname
    shutil.copyfile(archive.library, library)
    library.chmod(0o755)
    for other in SONAMES:
        if other != archive.soname:
            (folder / other).symlink_to(archive.soname)
    provenance = Provenance(
        name=name,
        version=version,
        source=archive.source,
        package=archive.package,
        package_version=archive.package_version,
        archive=archive.archive,
        archive_sha256=archive.sha256,
        library=str(library.relative_to(draft)),
        library_sha256=digest(library),
        date=date.today().isoformat(),
    )
    text = provenance.model_dump_json(indent=2) + "\n"
    (draft / PROVENANCE).write_text(text, encoding="utf-8")
    os.sync()  # so that what is renamed into place survives a power cut
    return provenance
