# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that is killed again and again ends with the samples of one that was not."""

import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from project import ROOT

pytestmark = pytest.mark.slow

ENDURANCE = ROOT / "tests/endurance"
BUILT = [ROOT / "build" / runtime / "bin/lu" for runtime in ("libgomp", "libomp")]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 (a module)
    monkeypatch.syspath_prepend(str(ENDURANCE))
    return import_module("killed_campaign")


@pytest.mark.skipif(not all(p.exists() for p in BUILT), reason="needs libgomp's and libomp's build")
def test_nothing_is_lost_doubled_or_changed_by_kills() -> None:
    command = [sys.executable, str(ENDURANCE / "killed_campaign.py"), "--seed", "1"]
    done = subprocess.run(
        [*command, "--runs", "24", "--kills", "4"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^4 kills .* with 24 samples: none lost, none twice", done.stdout, re.M)


def test_the_proof_sees_what_is_lost_doubled_or_changed(script: Any) -> None:  # noqa: ANN401
    first = ("cafe", 0, 0, ((42, "aa"),))
    second = ("cafe", 1, 0, ((43, "bb"),))
    changed = ("cafe", 1, 0, ((43, "b0"),))
    whole = script.Records(Counter([first, second]), 0)

    def found(*samples: object) -> list[str]:
        lines: list[str] = script.differences(whole, script.Records(Counter(samples), 0))
        return lines

    assert found(second, first) == []
    assert [line.split(":")[0] for line in found(first)] == ["lost or changed"]
    assert [line.split(":")[0] for line in found(first, second, second)] == ["taken 2 times"]
    assert [line.split(":")[0] for line in found(first, changed)] == ["lost or changed", "new"]


def test_a_torn_line_is_counted_and_not_read(script: Any, tmp_path: Path) -> None:  # noqa: ANN401
    records = tmp_path / "torn.jsonl"
    sample = (
        '{"event": "sample", "configuration": "cafe", "round": 0, "attempt": 0,'
        ' "records": [{"seed": 42, "digest": "aa"}]}'
    )
    records.write_text(f'{{"event": "start"}}\n{sample[:30]}\n{sample}\n')
    read = script.read_records(records)
    assert (read.samples.total(), read.torn) == (1, 1)
