# SPDX-License-Identifier: BSD-3-Clause
"""The section of `pollux report` on rules: which runtimes it takes results of conform for."""

import json
from pathlib import Path

from conform_rules import Try
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.machine.conformance.results import TargetResult
from pollux.machine.conformance.show import finding_lines
from pollux.machine.report import conformance
from pollux.output.report.page import make_page
from run_record import record


def report_of(
    tmp_path: Path, results: list[TargetResult], build_id: str, sha256: str | None = None
) -> str:
    """The page on two records, whose runtime has that build-id and SHA-256."""
    compiler = results[0].compiler
    assert compiler is not None
    path = tmp_path / "records.jsonl"
    lines = []
    for preset in ("libgomp", "libomp"):
        made = record(("cholesky", "depend", 512, 64), preset, 1, 10.0)
        if preset == "libgomp":
            made["runtime"] |= {"build_id": build_id}
            made["compiler"] |= compiler.model_dump()
        lines.append(json.dumps(made))
    path.write_text("\n".join(lines) + "\n")
    dataset = load([path])
    if sha256:
        builds = {"builds": {"runtime": sha256}}
        ran = dataset.configurations.items()
        dataset.configurations.update({key: c.model_copy(update=builds) for key, c in ran})
    return make_page(compare(dataset), results)


def test_the_report_shows_the_rules_of_the_very_library_that_ran(
    tried: Try, tmp_path: Path
) -> None:
    result = tried("keeps breaks")
    assert result.runtime is not None
    page = report_of(tmp_path, [result], "ab12")
    assert '<section id="conformance">' in page
    assert '<td class="t bad" data-label="libgomp">broken' in page
    assert "<dt>libomp</dt><dd>not tried" in page
    assert "libgomp breaks: broken on 1, 2, 4 threads" in page
    assert '<section id="conformance">' not in report_of(tmp_path, [result], "cd34")


def test_the_report_tells_of_a_runtime_that_dies_in_its_first_team(
    tried: Try, tmp_path: Path
) -> None:
    page = report_of(tmp_path, [tried("faints", threads=(2,))], "ab12")
    assert '<td class="t bad" data-label="libgomp">crashed' in page


def hashed(result: TargetResult, sha256: str, label: str) -> TargetResult:
    """The results of a library whose file has that SHA-256."""
    assert result.runtime is not None
    runtime = result.runtime.model_copy(update={"sha256": sha256})
    return result.model_copy(update={"runtime": runtime, "label": label})


def test_the_report_takes_no_patched_library_for_the_original(tried: Try, tmp_path: Path) -> None:
    """Both have one build-id: the SHA-256 tells, or else the label."""
    original = hashed(tried("keeps"), "0a", "libgomp")
    patched = hashed(tried("breaks"), "0b", "gcc+mine")
    for sha256, is_patched in (("0a", False), ("0b", True), (None, False)):
        page = report_of(tmp_path, [patched, original], "ab12", sha256)
        assert '<section id="conformance">' in page
        assert ("gcc+mine breaks: broken" in page) == is_patched, sha256
    assert '<section id="conformance">' not in report_of(tmp_path, [patched], "ab12", "0a")


def test_two_libraries_of_one_label_keep_the_findings_of_both(tried: Try, tmp_path: Path) -> None:
    result = tried("breaks")
    assert result.runtime is not None and result.compiler is not None
    results, files = [], []
    for name, build_id in (("old", "ab12"), ("new", "cd34")):
        runtime = result.runtime.model_copy(update={"build_id": build_id})
        results.append(result.model_copy(update={"runtime": runtime}))
        made = record(("cholesky", "depend", 512, 64), "libgomp", 1, 10.0)
        made["runtime"] |= {"build_id": build_id}
        made["compiler"] |= result.compiler.model_dump()
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text(json.dumps(made) + "\n")
    found = conformance(load(files), results)
    assert found is not None
    assert [label for label, _ in found.tried] == ["libgomp (old)", "libgomp (new)"]
    assert len(found.findings) == 2 * len([*finding_lines(result)]) > 0
