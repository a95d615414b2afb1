# SPDX-License-Identifier: BSD-3-Clause
"""Which packaged runtimes are available: those with pinned checksums, and what apt offers."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pollux.core.errors import BadUsageError
from pollux.core.models import Strict
from pollux.core.paths import PACKAGES_TABLE
from pollux.core.runtimes import debian

# Projects on PyPI whose versions are those of the runtime.
ON_PYPI = {"libomp": "cmeel-libomp", "libiomp5": "intel-openmp"}


class Package(Strict):
    """A package that holds a runtime, with the checksums that are known of its archives."""

    name: str
    version: str
    source: Literal["debian", "pypi"]
    package: str
    package_version: str | None  # None: the newest that apt offers
    sha256: dict[str, str]  # by Debian's architecture, or the machine's name

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def pinned(table: Path = PACKAGES_TABLE) -> list[Package]:
    contents = tomllib.loads(table.read_text(encoding="utf-8"))
    return [Package.model_validate(entry) for entry in contents["package"]]


def available(of_apt: Iterable[str]) -> list[Package]:
    """All available packages: those pinned, and each other libomp5-N whose N is one `of_apt`."""
    found = pinned()
    known = {package.package for package in found}
    return found + [p for p in map(of_debian, of_apt) if p.package not in known]


def of_debian(number: str) -> Package:
    return Package(
        name="libomp",
        version=number,
        source="debian",
        package=f"{debian.PACKAGE}{number}",
        package_version=None,
        sha256={},
    )


def choose(name: str, version: str, sha256: str | None) -> Package:
    """The package of a runtime's version; BadUsageError says what there is."""
    for package in pinned():
        same = version in (package.version, package.package_version)
        if package.name == name and same:
            return package
    of_apt = debian.versions()
    if name == "libomp" and version in of_apt:
        return of_debian(version)
    if name in ON_PYPI and sha256 and re.fullmatch(r"\d+(\.\d+)+", version):
        project = ON_PYPI[name]
        return Package(
            name=name,
            version=version,
            source="pypi",
            package=project,
            package_version=version,
            sha256={},
        )
    there = ", ".join(map(str, available(of_apt)))
    more = ""
    if name in ON_PYPI and re.fullmatch(r"\d+(\.\d+)+", version):
        more = f"; another release of {ON_PYPI[name]} on PyPI needs --sha256 with its checksum"
    raise BadUsageError(f"{name} {version} is not packaged; choose from {there}{more}")
