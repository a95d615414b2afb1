# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux doctor` makes of builds, their BLAS and runtimes, and what it prints and returns."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Unpack

import pytest
import typer
from machines.builds import Changes, answering, put_builds
from machines.recorded import finding, recorded
from pollux.core.executables.process import Ended
from pollux.core.runtimes.added import add
from pollux.machine.commands import doctor as command
from pollux.machine.doctor import machine as machine_module
from pollux.machine.doctor.checkup import CHECKS, Row, examine
from pollux.machine.doctor.finding import Finding, Verdict
from pollux.machine.doctor.machine import Machine, run_command
from pollux.machine.doctor.show import WIDTH, as_json, commands, show_table
from pollux.machine.doctor.software import AVX2, BELOW_AVX2
from project import ROOT
from runtime_machine import library, make_machine
from typer.testing import CliRunner

GOOD, CARE, BAD = Verdict.GOOD, Verdict.CAUTION, Verdict.BAD
ASKED = {"OPENBLAS_CORETYPE": "Nehalem"}
TWO_SETS = {"libgomp": "Haswell", "libomp": "Zen"}


def with_builds(
    folder: Path, *presets: str, on: str = "server", **changes: Unpack[Changes]
) -> Machine:
    machine = recorded(on, folder, run=answering(**changes))
    put_builds(machine.build_root, *presets)
    return machine


def test_builds_are_reported_with_runtime_variants_and_concurrent_write(tmp_path: Path) -> None:
    result = finding(with_builds(tmp_path, "libgomp", "libomp"), "builds")
    assert result.verdict == GOOD
    assert "libomp: libomp 1, gcc 12.2.0, 4 of 4 variants, concurrent write native" in result.found


def test_a_substitute_for_concurrent_write_is_named(tmp_path: Path) -> None:
    result = finding(with_builds(tmp_path, "libgomp", native=False), "builds")
    assert "replaced by depend(in)" in result.found


def test_variants_that_cannot_run_are_named_with_the_reason(tmp_path: Path) -> None:
    result = finding(with_builds(tmp_path, "libgomp", available=False), "builds")
    assert "no qr depend (needs a newer compiler)" in result.found


def test_without_builds_nothing_can_be_run(tmp_path: Path) -> None:
    result = finding(recorded("server", tmp_path), "builds")
    assert (result.verdict, result.fix) == (BAD, "scripts/build libgomp libomp")


def test_one_runtime_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    result = finding(with_builds(tmp_path, "libgomp"), "builds")
    assert (result.verdict, result.fix) == (CARE, "scripts/build libomp")


def test_two_libraries_of_one_runtime_can_be_compared(tmp_path: Path) -> None:
    result = finding(with_builds(tmp_path, "libomp", "clang-libomp", runtime="libomp"), "builds")
    assert result.verdict == GOOD


def test_builds_that_are_not_for_measuring_do_not_count(tmp_path: Path) -> None:
    machine = with_builds(tmp_path, "libgomp", "libomp", build_type="RelWithDebInfo")
    result = finding(machine, "builds")
    assert result.verdict == CARE
    assert "not for measuring" in result.found


def test_builds_with_sanitizers_are_not_even_started(tmp_path: Path) -> None:
    machine = with_builds(tmp_path, "libgomp", "libomp")
    put_builds(machine.build_root, "sanitize")
    cache = "# CMake\nCMAKE_BUILD_TYPE:STRING=RelWithDebInfo\n"
    (machine.build_root / "sanitize/CMakeCache.txt").write_text(cache)

    def run(*words: str) -> Ended | None:
        assert "/sanitize/" not in words[0]
        return answering()(*words)

    result = finding(replace(machine, run=run), "builds")
    assert result.verdict == GOOD
    assert "sanitize: RelWithDebInfo: not for measuring" in result.found.splitlines()


def test_a_preloaded_library_is_to_be_unset_before_anything_is_built(tmp_path: Path) -> None:
    variables = {"LD_PRELOAD": "libomp.so"}
    failing = recorded("server", tmp_path, run=lambda *_: Ended(3, "", ""), environment=variables)
    put_builds(failing.build_root, "libgomp")
    assert finding(failing, "builds").fix == "unset LD_PRELOAD"


def test_a_runtime_that_does_not_load_is_reported_in_the_loader_s_words(tmp_path: Path) -> None:
    problem = "libomp.so.5: cannot open shared object file"

    def run(*words: str) -> Ended:
        loader = f"{words[0]}: error while loading shared libraries: {problem}\n"
        return Ended(127, "", loader)

    machine = recorded("server", tmp_path, run=run)
    put_builds(machine.build_root, "libomp")
    result = finding(machine, "builds")
    assert (result.verdict, result.fix) == (BAD, "scripts/build libomp")
    assert result.found.count(problem) == 1


@pytest.mark.parametrize(
    ("ran", "text"),
    [
        (None, "cannot be started, or does not end"),
        (Ended(-11, "", ""), "killed by SIGSEGV"),
        (Ended(3, "", "lu: there is no hwloc\n"), "there is no hwloc"),
        (Ended(0, "usage: …", ""), "another format"),
    ],
)
def test_a_build_that_does_not_run_is_bad(tmp_path: Path, ran: Ended | None, text: str) -> None:
    machine = recorded("server", tmp_path, run=lambda *_: ran)
    put_builds(machine.build_root, "libgomp")
    result = finding(machine, "builds")
    assert result.verdict == BAD
    assert text in result.found


def test_a_program_that_fails_where_others_run_is_named(tmp_path: Path) -> None:
    def run(*words: str) -> Ended | None:
        return Ended(-11, "", "") if words[0].endswith("/lu") else answering()(*words)

    machine = recorded("server", tmp_path, run=run)
    put_builds(machine.build_root, "libgomp", "libomp")
    result = finding(machine, "builds")
    assert "libomp: lu: killed by SIGSEGV" in result.found


def test_a_build_that_lacks_executables_is_bad(tmp_path: Path) -> None:
    machine = with_builds(tmp_path, "libgomp", "libomp")
    (machine.build_root / "libomp/bin/lu-cw").unlink()
    result = finding(machine, "builds")
    assert (result.verdict, result.fix) == (BAD, "scripts/build libomp")
    assert "lacks lu-cw" in result.found


class Kernels(NamedTuple):
    machine: str
    core: str | dict[str, str]
    environment: dict[str, str]
    verdict: Verdict
    fix: str = ""


@pytest.mark.parametrize(
    "case",
    [
        Kernels("server", "Haswell", {}, GOOD),
        Kernels("server", "Zen", {}, GOOD),
        Kernels("server", "Nehalem", ASKED, BAD, "unset OPENBLAS_CORETYPE"),
        Kernels("laptop", "SkylakeX", {}, GOOD),
        Kernels("laptop", "Haswell", {}, CARE, "export OPENBLAS_CORETYPE=SkylakeX"),
        Kernels("here", "Cooperlake", {}, GOOD),
        Kernels("raspberry", "CORTEXA72", {}, GOOD),
        Kernels("server", TWO_SETS, {}, BAD, "scripts/build libgomp libomp"),
    ],
)
def test_the_kernels_of_blas_are_held_against_the_processor(tmp_path: Path, case: Kernels) -> None:
    run = answering(core=case.core)
    machine = recorded(case.machine, tmp_path, run=run, environment=case.environment)
    put_builds(machine.build_root, "libgomp", "libomp")
    result = finding(machine, "BLAS")
    assert (result.verdict, result.fix) == (case.verdict, case.fix)


LABELS = ("libgomp", "libgomp-blis", "libomp")
BLIS = {"libgomp-blis": "BLIS"}


def test_builds_over_several_libraries_are_each_of_their_own_kernels(tmp_path: Path) -> None:
    core = {"libgomp": "Haswell", "libgomp-blis": "zen3", "libomp": "Haswell"}
    machine = with_builds(tmp_path, *LABELS, core=core, blas=BLIS)
    result = finding(machine, "BLAS")
    assert (result.verdict, result.found) == (
        GOOD,
        "OpenBLAS 0.3.21, Haswell kernels, pthread build; BLIS 0.3.21, zen3 kernels, pthread build",
    )
    differing = answering(core=core | TWO_SETS, blas=BLIS)
    result = finding(replace(machine, run=differing), "BLAS")
    assert (result.verdict, result.fix) == (BAD, "scripts/build libgomp libomp")


def test_kernels_are_chosen_for_openblas_alone(tmp_path: Path) -> None:
    only = with_builds(tmp_path, "libgomp-blis", core="nehalem", blas=BLIS)
    assert finding(only, "BLAS").verdict == GOOD


def test_a_tree_that_is_no_preset_is_built_where_it_is(tmp_path: Path) -> None:
    core = {"libgomp": "Haswell", "my blas": "Zen"}
    machine = with_builds(tmp_path, *core, core=core)
    tree = machine.build_root / "my blas"
    (tree / "CMakeCache.txt").touch()
    build = f"cmake --build '{tree}'"
    assert finding(machine, "BLAS").fix == f"scripts/build libgomp && {build}"
    (tree / "bin/lu-cw").unlink()
    assert finding(machine, "builds").fix == build


def test_kernels_for_avx_512_need_all_of_its_parts(tmp_path: Path) -> None:
    files: dict[str, str | None] = {"proc/cpuinfo": "flags : avx avx2 fma avx512f avx512cd"}
    machine = recorded("server", tmp_path, files, run=answering(core="Haswell"))
    put_builds(machine.build_root, "libgomp")
    assert finding(machine, "BLAS").verdict == GOOD


def test_a_repaired_choice_of_kernels_is_reported(tmp_path: Path) -> None:
    repaired = {"OPENBLAS_CORETYPE": "Haswell"}
    result = finding(with_builds(tmp_path, "libgomp", env_set=repaired), "BLAS")
    assert result.verdict == GOOD
    assert "executables ask for Haswell" in result.found


def test_the_levels_of_kernels_are_those_that_the_executables_know() -> None:
    source = (ROOT / "common/identity/blas_identity.c").read_text()
    levels: dict[str, set[str]] = {}
    for core, level in re.findall(r'\{"(\w+)", SIMD_(\w+)\}', source):
        levels.setdefault(level, set()).add(core.lower())
    assert levels["SSE"] | levels["AVX"] == BELOW_AVX2
    assert levels["AVX2"] == AVX2


def test_other_runtimes_are_listed_without_those_that_builds_load(tmp_path: Path) -> None:
    files = [Path("/usr/lib/libomp.so"), Path("/opt/intel/libiomp5.so")]
    machine = recorded("server", tmp_path, run=answering(), runtime_files=lambda: files)
    put_builds(machine.build_root, "libomp")
    assert finding(machine, "other runtimes").found == "/opt/intel/libiomp5.so"


def test_other_runtimes_are_searched_where_pollux_runtimes_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_machine(tmp_path, monkeypatch)
    monkeypatch.setattr(machine_module, "ROOT", tmp_path)
    modules = library(tmp_path / "modules" / "libiomp5.so", "libiomp5", "2026", "GOMP KMP")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(modules.parent))
    bolt = library(made.runtimes / "bolt" / "lib" / "libbolt.so", "bolt", None, "GOMP KMP")
    mine = library(tmp_path / "mine" / "libomp.so", "libomp", "23", "GOMP KMP")
    add(made.runtimes, "mine", mine)
    (tmp_path / "llvm-19" / "lib" / "libomp.so").symlink_to("libomp.so")  # a circle
    of_llvm = tmp_path / "llvm-19" / "lib" / "libomp.so.5"
    found = machine_module.find_runtimes()
    assert found == [modules, of_llvm, bolt, mine]
    assert {*found} <= {x.path for x in made.find().values()}


def test_the_table_fits_and_commands_are_not_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = examine(recorded("laptop", tmp_path))
    show_table(rows, container=False)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    mending = commands(rows, container=False)
    table = printed.partition(mending[0])[0]
    assert max(map(len, table.splitlines())) <= WIDTH
    lines = printed.splitlines()
    assert all(f"  {row.finding.fix}" in lines for row in rows if row.finding.fix)
    assert lines[-1].startswith("not fit: nothing is built")


def test_long_commands_stay_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command_ = f"echo {'x ' * WIDTH}end"
    show_table([Row(CHECKS[0], Finding(BAD, "found", "brief", command_))], container=False)
    assert f"  {command_}" in capsys.readouterr().out.splitlines()


def test_what_was_found_may_have_several_lines(capsys: pytest.CaptureFixture[str]) -> None:
    show_table([Row(CHECKS[0], Finding(BAD, "first\nsecond \x1b[31m", "brief"))], container=False)
    found = [line for line in capsys.readouterr().out.splitlines() if "first" in line]
    assert len(found) == 1 and "second" not in found[0] and "\\n" not in found[0]


def test_in_a_container_sudo_belongs_to_the_host(tmp_path: Path) -> None:
    rows = examine(recorded("container", tmp_path))
    assert "on the host" in commands(rows, container=True)[0]
    assert "on the host" not in commands(rows, container=False)[0]


def test_json_contains_every_check_and_the_summary(tmp_path: Path) -> None:
    examined = json.loads(as_json(examine(recorded("container", tmp_path))))
    assert [check["name"] for check in examined["checks"]] == [check.name for check in CHECKS]
    assert examined["fitness"] == "not fit"
    quota = next(check for check in examined["checks"] if check["name"] == "CPU quota")
    assert (quota["verdict"], quota["brief"]) == ("bad", "CPU quota 1.5 of 8")


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--strict"], 1)])
def test_only_strict_makes_a_bad_verdict_an_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], status: int
) -> None:
    recording = recorded("container", tmp_path)
    monkeypatch.setattr(machine_module, "this_machine", lambda *_: recording)
    done = CliRunner().invoke(application(), [*options, "--format", "json"], standalone_mode=False)
    assert done.return_value == status
    assert json.loads(done.stdout)["fitness"] == "not fit"


def test_strict_lets_a_good_machine_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = with_builds(tmp_path, "libgomp", "libomp")
    monkeypatch.setattr(machine_module, "this_machine", lambda *_: fit)
    done = CliRunner().invoke(application(), ["--strict"], standalone_mode=False)
    assert done.return_value == 0
    assert done.stdout.splitlines()[-1] == "fit to measure"


def test_a_folder_of_builds_that_is_none_is_bad_usage(tmp_path: Path) -> None:
    options = ["--build-root", str(tmp_path / "nowhere")]
    done = CliRunner().invoke(application(), options, standalone_mode=False)
    assert isinstance(done.exception, typer.TyperException)
    assert done.exception.exit_code == 2
    assert "is not a folder" in done.exception.format_message()


def application() -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(command.doctor)
    return app


def test_this_machine_can_be_examined(tmp_path: Path) -> None:
    machine = machine_module.this_machine(ROOT, tmp_path, seconds=0.05)
    rows = examine(machine)
    assert not [row for row in rows if "cannot be determined" in row.finding.found]


def test_programs_that_are_missing_or_fail_do_not_stop_the_checks() -> None:
    assert run_command("no-such-program-anywhere") is None
    ended = run_command("sh", "-c", "echo out; echo err >&2; exit 4")
    assert ended
    assert (ended.status, ended.stdout, ended.stderr) == (4, "out\n", "err\n")
