# SPDX-License-Identifier: BSD-3-Clause
"""Records survive random faults: a few here, 500 by hand with tests/endurance/random_faults.py."""

import json
import random
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
BUILT = ROOT / "build/libgomp/bin/lu"


@pytest.mark.skipif(not BUILT.exists(), reason="needs libgomp's build")
def test_random_faults_lose_no_record_and_double_none() -> None:
    command = [sys.executable, str(ENDURANCE / "random_faults.py"), "--seed", "1"]
    each_kind = ["--faults", "24", "--processes", "3"]
    done = subprocess.run([*command, *each_kind], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "none lost, none twice" in done.stdout


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    monkeypatch.syspath_prepend(str(ENDURANCE))
    return import_module("faults_of_campaigns"), import_module("faults_of_executables")


def sample(round_: int, digest: str | None = "aa") -> str:
    records = [{"seed": round_, "digest": digest}] if digest else []
    line = {"event": "sample", "configuration": "c", "round": round_, "attempt": 0}
    return json.dumps(line | {"records": records}) + "\n"


def test_lost_doubled_and_unfinished_samples_are_seen(
    tmp_path: Path,
    modules: Any,  # noqa: ANN401
) -> None:
    faults = modules[0].CampaignFaults.__new__(modules[0].CampaignFaults)
    faults.records = tmp_path / "a.jsonl"
    faults.records.write_text(sample(0) + sample(1))
    before = faults.known()

    def found(text: str) -> list[str]:
        faults.records.write_text(text)
        return [line.partition(":")[0] for line in faults.compare(before)]

    assert found(sample(1) + sample(0) + sample(2)) == []
    assert found(sample(0)) == ["1 earlier samples lost"]
    assert found(sample(0) + sample(1) + sample(1, None)) == ["taken 2 times"]
    assert found(sample(0) + sample(1) + sample(2)[:9]) == ["1 unfinished lines"]


def test_lost_doubled_and_unfinished_records_are_seen(
    tmp_path: Path,
    modules: Any,  # noqa: ANN401
) -> None:
    faults = modules[1].ExecutableFaults(tmp_path / "a.jsonl", random.Random(1))
    first, second, third = '{"a": 1}', '{"a": 2}', '{"a": 3}'
    (tmp_path / "struck.out").write_text(f"{third}\n{first[:4]}")
    before = Counter([first, second])

    def found(*lines: str) -> list[str]:
        faults.file.write_text("".join(f"{line}\n" for line in lines))
        return list(faults.compare(before))

    assert found(first, second, third) == []
    assert found(first, third) == ["1 earlier records lost"]
    assert found(first, second) == ["1 records printed but not in the file"]
    assert found(first, second, third, third) == ["1 records twice"]
    faults.file.write_text(first)
    with pytest.raises(ValueError, match="unfinished line"):
        faults.lines()
