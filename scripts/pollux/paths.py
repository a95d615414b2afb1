# SPDX-License-Identifier: BSD-3-Clause
"""Where the project keeps what commands read and write by default."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDS = ROOT / "build"  # one build tree per preset
RESULTS = ROOT / "results"
SHIPPED = ROOT / "campaigns"
DOCS = ROOT / "docs"
