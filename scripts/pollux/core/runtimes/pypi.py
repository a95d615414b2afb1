# SPDX-License-Identifier: BSD-3-Clause
"""Takes a runtime's library out of a wheel, by pip, with a checksum that must hold."""

import re
import sys
import zipfile
from pathlib import Path, PurePosixPath

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import run_process
from pollux.core.hashing import digest
from pollux.core.runtimes.prefix import Archive

# The name under which each project's wheels hold the library, which is its soname.
LIBRARIES = {"cmeel-libomp": "libomp.so", "intel-openmp": "libiomp5.so"}
SECONDS_LIMIT = 900.0
ARCHIVE_BYTES = 1 << 30  # of a wheel at most
PIP = (
    "download --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: "
    "--require-hashes --retries 1 --timeout 30"
).split()


def fetch(project: str, version: str, sha256: str, vouched: str, folder: Path) -> Archive:
    """Download a wheel into a folder and take the library out of it."""
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{project}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
    download(folder, requirement, f"{project} {version}", sha256)
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None or digest(wheel) != sha256:
        raise MachineError(f"pip produced no archive of {project} with SHA-256 {sha256} behind")
    return Archive(
        source="pypi",
        package=project,
        package_version=version,
        archive=wheel.name,
        sha256=sha256,
        vouched=vouched,
        library=take_out(wheel, LIBRARIES[project], folder),
        soname=LIBRARIES[project],
    )


def download(folder: Path, requirement: Path, what: str, sha256: str) -> None:
    command = [sys.executable, "-m", "pip", *PIP]
    command += ["--dest", str(folder), "--requirement", str(requirement)]
    ended = run_process(command, {}, SECONDS_LIMIT, file_bytes=ARCHIVE_BYTES)
    if ended.status is None:
        raise MachineError(f"pip did not finish within {SECONDS_LIMIT:g} s")
    if ended.status:
        raise failure(ended.stderr, what, sha256)


def failure(errors: str, what: str, sha256: str) -> BadUsageError | MachineError:
    """Pip's messages, summarized in one line."""
    if got := re.search(r"^\s*Got\s+([0-9a-f]{64})", errors, re.MULTILINE):
        return MachineError(
            f"the archive of {what} for this machine has SHA-256 {got[1]}, not {sha256}; "
            "nothing is put in place"
        )
    if re.search(r"connection broken|Connection|timed out|Name or service", errors):
        return MachineError(f"cannot download {what}: pip reaches no package index")
    if versions := re.search(r"\(from versions: (.*)\)", errors):
        there = versions[1] if versions[1] != "none" else "none for this machine"
        return BadUsageError(f"PyPI has no {what}; versions there: {there}")
    lines = [line for line in errors.splitlines() if line.strip()]
    reason = next(reversed(lines), "it does not say why").removeprefix("ERROR: ")
    return MachineError(f"pip cannot download {what}: {reason}")


def take_out(wheel: Path, name: str, folder: Path) -> Path:
    """Write the library that a wheel holds into the folder."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            entry = next(
                (n for n in archive.namelist() if PurePosixPath(n).name == name),
                None,
            )
            if entry is None:
                raise MachineError(f"{wheel.name} holds no {name}")
            taken = folder / name
            with archive.open(entry) as source, taken.open("wb") as target:
                while part := source.read(1 << 20):
                    target.write(part)
    except zipfile.BadZipFile as error:
        raise MachineError(f"{wheel.name} is no wheel") from error
    return taken
