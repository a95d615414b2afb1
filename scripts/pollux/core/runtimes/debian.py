# SPDX-License-Identifier: BSD-3-Clause
"""Takes libomp out of Debian's and Ubuntu's packages, without installing them.

apt's index is signed and has the checksum of every archive, so that it vouches for a package whose
checksum is not pinned.
"""

import platform
import re
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path

from pollux.core.advice import GET_RUNTIME
from pollux.core.errors import MachineError
from pollux.core.executables.process import CannotStartError, run_process
from pollux.core.hashing import digest
from pollux.core.runtimes.prefix import Archive

PACKAGE = "libomp5-"
LIBRARY = "libomp.so.5"
SECONDS_LIMIT = 600.0
ARCHIVE_BYTES = 1 << 30  # of a package at most
# One line in plain words where the network is away, rather than minutes of silence.
APT_OPTIONS = ("-q", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30")


def versions() -> list[str]:
    """The N of every libomp5-N that apt knows; none where there is no apt."""
    try:
        names = output("apt-cache", "pkgnames", PACKAGE).split()
    except MachineError:
        return []
    numbers = [name.removeprefix(PACKAGE) for name in names]
    return sorted({n for n in numbers if re.fullmatch(r"\d+", n)}, key=int)


def fetch(
    package: str, version: str | None, pins: dict[str, str], given: str | None, folder: Path
) -> Archive:
    """Download a package of apt's into a folder, verify it, and unpack it there.

    `pins` has the checksums of `version` by architecture; `given` is the user's.
    """
    stanza = choose(package, version)
    index = stanza["SHA256"]
    pin = pins.get(stanza["Architecture"]) if stanza["Version"] == version else None
    vouched = "as pinned by Pollux" if pin else "as in apt's signed index"
    if given:
        vouched = "as given by --sha256"
    output("apt-get", *APT_OPTIONS, "download", f"{package}={stanza['Version']}", folder=folder)
    archive = next(folder.glob("*.deb"), None)
    if archive is None:
        raise MachineError(f"apt-get download {package} produced no archive")
    found = digest(archive)
    for wanted, whose in ((given, "--sha256"), (pin, "Pollux"), (index, "apt")):
        if wanted and found != wanted:
            raise MachineError(
                f"{archive.name} has SHA-256 {found}, not {wanted} as {whose} says; "
                "nothing is put in place"
            )
    tree = folder / "tree"
    output("dpkg-deb", "-x", str(archive), str(tree))
    library = next((p for p in sorted(tree.rglob(LIBRARY)) if not p.is_symlink()), None)
    if library is None:
        raise MachineError(f"{archive.name} holds no {LIBRARY}")
    return Archive(
        source="debian",
        package=package,
        package_version=stanza["Version"],
        archive=archive.name,
        sha256=found,
        vouched=vouched,
        library=library,
        soname=LIBRARY,
    )


def choose(package: str, version: str | None) -> dict[str, str]:
    """What apt's index says of a package: of the version wanted if it is there, else the newest."""
    text = output("apt-cache", "show", package, may_fail=True)
    stanzas = [dict(HeaderParser().parsestr(part).items()) for part in text.split("\n\n") if part]
    offered = [s for s in stanzas if {"Version", "Architecture", "SHA256", "Filename"} <= s.keys()]
    if not offered:
        raise MachineError(
            f"apt offers no {package} here; apt-get update (as root) fetches its lists, "
            "and another release of Debian may have it"
        )
    return next((s for s in offered if s["Version"] == version), offered[0])


def output(
    command: str, *arguments: str, folder: Path | None = None, may_fail: bool = False
) -> str:
    """What a command of dpkg or apt prints; its last error is an error of the machine."""
    try:
        ended = run_process(
            [command, *arguments],
            {"LC_ALL": "C.UTF-8"},
            SECONDS_LIMIT,
            file_bytes=ARCHIVE_BYTES,
            folder=folder,
        )
    except CannotStartError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        raise MachineError(
            f"there is no {command} on this {platform.system()}: Debian's libomp is not available; "
            f"{GET_RUNTIME} --list shows what is"
        ) from error
    if ended.status is None:
        raise MachineError(f"{command} did not finish within {SECONDS_LIMIT:g} s")
    if ended.status and not may_fail:
        raise MachineError(f"{command} failed: {last_error(ended.stderr.splitlines())}")
    return ended.stdout


def last_error(lines: Sequence[str]) -> str:
    """The first of apt's errors, else the last line; what apt fetched from where is left out."""
    errors = [line.removeprefix("E: ") for line in lines if line.startswith("E: ")]
    text = errors[0] if errors else next(reversed(lines), "it does not say why")
    return re.sub(r"^Failed to fetch \S+\s+", "cannot download: ", text).strip()
