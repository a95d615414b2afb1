# SPDX-License-Identifier: BSD-3-Clause
"""`pollux watch` on folders of nights: states, exit statuses, accepted base lines, files."""

import json
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import run_record
from histories import CELLS, name_of, replace_in, series, watch, write_nights
from pollux.core.campaign.lines import Outcome, PartOf
from pollux.core.campaign.older import put_aside
from pollux.core.locks import lock_file
from pollux.nights.history import base_line, index
from pollux.nights.history.night import Night, read_night
from pollux.nights.showing.document import LABEL_MOST
from pollux.nights.watching import accepting
from pollux.nights.watching.accepting import to_accept
from pollux.nights.watching.series import FORGOTTEN
from synthetic import append, write_campaign
from typer.testing import Result

NIGHTS, CHANGE = 14, 9
SLOWER = "cholesky depend N=2048 NB=192 2 threads on libomp"


def status(result: Result) -> int:
    error = result.exception
    return int(getattr(error, "exit_code", result.return_value if error is None else -1))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runtimes; from one night on, the second is slower in all that it runs."""

    def speeds(night: int) -> dict[str, float]:
        return {"libgomp": 1.0, "libomp": 1.1 if night < CHANGE else 1.02}

    return write_nights(tmp_path_factory.mktemp("nights") / "history", NIGHTS, speeds)


@pytest.fixture
def folder(history: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(history, tmp_path / "a folder"))


def test_the_first_line_is_the_answer_and_the_status_a_gate(folder: Path) -> None:
    result = watch(folder)
    assert result.return_value == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith("2 slower of 4 series") and f"since {name_of(CHANGE)}" in first


def test_json_has_a_state_for_each_series(folder: Path) -> None:
    found = series(folder)
    assert {own["state"] for label, own in found.items() if "libgomp" in label} <= {
        "steady",
        "too-noisy",
    }
    slower = found[SLOWER]
    assert slower["state"] == "slower" and slower["since"] == name_of(CHANGE)
    assert slower["low"] < slower["ratio"] < slower["high"] < 1
    assert abs(slower["ratio"] - 1.02 / 1.1) < 0.02


def test_a_quiet_history_passes(folder: Path) -> None:
    for night in range(CHANGE, NIGHTS):
        (folder / name_of(night)).unlink()
    result = watch(folder)
    assert result.return_value == 0
    assert result.stdout.startswith("Nothing slower or wrong of 4 series")


def test_accepting_moves_the_base_line_and_keeps_the_reason(folder: Path) -> None:
    accepted = watch("accept", folder, "--series", "cholesky", "--reason", "a known trade")
    assert accepted.return_value == 0 and SLOWER in accepted.stdout
    kept = json.loads((folder / "base-line.json").read_text())
    (entry,) = kept["accepted"]
    assert entry["reason"] == "a known trade" and entry["first"] == name_of(CHANGE)
    assert entry["date"][:4].isdigit()
    assert series(folder)[SLOWER]["state"] in ("steady", "too-noisy")
    assert watch(folder).return_value == 1  # lu is not accepted
    assert watch("accept", folder, "--reason", "this one too").return_value == 0
    assert watch(folder).return_value == 0


def test_what_another_command_accepts_meanwhile_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "a label with the path of a matrix" * 150
    read = base_line.read_base_line
    locked: list[bool] = []

    def meanwhile(*given: Any) -> list[base_line.Accepted]:  # noqa: ANN401
        found = to_accept(*given)
        base_line.add(folder, [entry.model_copy(update={"series": other}) for entry in found])
        return found

    def noting(where: Path) -> base_line.BaseLine:
        descriptor = os.open(where, os.O_RDONLY)
        locked.append(not lock_file(descriptor))
        os.close(descriptor)
        return read(where)

    monkeypatch.setattr(accepting, "to_accept", meanwhile)
    monkeypatch.setattr(base_line, "read_base_line", noting)
    watch("accept", folder, "--series", "cholesky", "--reason", "a known trade")
    assert [own.series for own in read(folder).accepted] == [other, SLOWER]
    assert locked == [True, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["accept", "{}"], "needs --reason"),
        (["accept", "{}", "--reason", "x", "--series", "nothing"], "no such series"),
        (["{}", "--reason", "x"], "are for watch accept"),
        (["{}", "{}"], "one folder"),
        (["{}/none"], "does not exist"),
        (["{}/2026-01-01.jsonl"], "is not a folder"),
        (["{}", "--relevant", "0"], "not a share"),
    ],
)
def test_wrong_use_is_refused_in_a_line(folder: Path, arguments: list[str], words: str) -> None:
    result = watch(*(text.format(folder) for text in arguments))
    assert status(result) == 2
    assert words in str(getattr(result.exception, "message", ""))


def test_a_folder_without_nights_or_records_is_bad_usage(tmp_path: Path) -> None:
    assert status(watch(tmp_path)) == 2
    (tmp_path / "1.jsonl").write_bytes(os.urandom(2000))
    (tmp_path / "2.jsonl").write_text("")
    result = watch(tmp_path)
    assert status(result) == 2 and "has records" in str(getattr(result.exception, "message", ""))


@pytest.mark.parametrize("name", [name_of(3), "base-line.json", ".pollux-nights.sqlite"])
def test_an_output_that_replaces_what_is_read_is_refused(folder: Path, name: str) -> None:
    assert watch("accept", folder, "--reason", "a new compiler").return_value == 0
    before = (folder / name).read_bytes()
    result = watch(folder, "--output", folder / name)
    assert status(result) == 2 and "which is read" in str(getattr(result.exception, "message", ""))
    assert (folder / name).read_bytes() == before
    for _ in range(2):  # an earlier page is nothing that is read
        assert watch(folder, "--output", folder / "page.html", "--format", "html").exception is None


def test_series_that_no_longer_run_are_counted(folder: Path) -> None:
    for night in range(NIGHTS, NIGHTS + FORGOTTEN):
        cells = CELLS if night == NIGHTS else CELLS[:1]
        write_campaign(folder / name_of(night), {"libgomp": 1.0, "libomp": 1.0}, cells, rounds=8)
    assert "no longer watched" not in watch(folder).stdout
    write_campaign(folder / name_of(night + 1), {"libgomp": 1.0, "libomp": 1.0}, CELLS[:1])
    told = "2 series that ran in none of the last 14 nights are no longer watched"
    assert told in watch(folder).stdout.splitlines()


def test_nothing_to_accept_is_said_of_those_that_were_chosen(folder: Path) -> None:
    steady = watch("accept", folder, "--series", "on libgomp", "--reason", "x")
    assert steady.stdout == "nothing to accept: none of these series has left its base line\n"
    watch("accept", folder, "--reason", "x")
    again = watch("accept", folder, "--reason", "x")
    assert again.stdout == "nothing to accept: no series has left its base line\n"


def test_equal_nights_have_no_deviation(folder: Path) -> None:
    for night in range(1, NIGHTS - 1):
        shutil.copy(folder / name_of(0), folder / name_of(night))
    speeds = {"libgomp": 1.0, "libomp": 0.6}
    write_campaign(folder / name_of(NIGHTS - 1), speeds, CELLS, rounds=8)
    assert series(folder)[SLOWER]["state"] == "slower"


def test_records_that_were_put_aside_are_no_night(folder: Path) -> None:
    before = series(folder)
    again = folder / name_of(5)
    shutil.copy2(again, folder / "kept")
    put_aside(again)
    shutil.copy2(folder / "kept", again)  # of the same second
    put_aside(again)
    assert len(list(folder.glob("2026-01-06-*.jsonl"))) == 2
    write_campaign(folder / name_of(5), {"libgomp": 1.0, "libomp": 1.1}, CELLS, rounds=8, seed=6)
    assert series(folder).keys() == before.keys()
    assert f"the last of {NIGHTS} nights" in watch(folder).stdout


def test_a_part_of_a_campaign_is_no_night(tmp_path: Path) -> None:
    part = PartOf(campaign="abc", number=1, of=2, node="n1")
    write_campaign(tmp_path / name_of(0), {"libgomp": 1.0, "libomp": 1.0}, part=part)
    result = watch(tmp_path)
    assert status(result) == 2
    assert "one of 2 parts of a campaign" in str(getattr(result.exception, "message", ""))


def test_one_night_is_steady(tmp_path: Path) -> None:
    write_nights(tmp_path, 1, lambda _: {"libgomp": 1.0, "libomp": 1.0})
    found = series(tmp_path)
    assert {own["state"] for own in found.values()} == {"steady"}
    assert all(own["ratio"] is None for own in found.values())


def test_a_damaged_night_did_not_run_and_an_earlier_one_is_named(folder: Path) -> None:
    (folder / name_of(3)).write_bytes(b"\x00\xff not a record\n" * 20)
    assert series(folder)[SLOWER]["state"] == "slower"
    assert "1 earlier night could not be read completely" in watch(folder).stdout
    (folder / name_of(NIGHTS)).write_text("{")
    found = series(folder)
    assert {own["state"] for own in found.values()} == {"not-run"}
    assert {own["since"] for own in found.values()} == {name_of(NIGHTS)}


def test_a_night_that_was_cut_off_is_used_and_named(folder: Path) -> None:
    path = folder / name_of(NIGHTS - 1)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    result = watch(folder)
    assert "was cut off" in result.stdout and "2 slower" in result.stdout


def test_failed_checks_crashes_and_other_digests_are_wrong(folder: Path) -> None:
    failed = {("libomp", "depend"): Outcome.CRASH}
    write_campaign(
        folder / name_of(NIGHTS), {"libgomp": 1.0, "libomp": 1.0}, CELLS, rounds=8, outcomes=failed
    )
    found = series(folder)
    assert found[SLOWER]["state"] == "wrong" and found[SLOWER]["since"] == name_of(NIGHTS)
    assert "crash" in found[SLOWER]["reason"]
    assert found[SLOWER]["earliest"] is None and found[SLOWER]["latest"] is None
    (folder / name_of(NIGHTS)).unlink()
    replace_in(folder / name_of(NIGHTS - 1), '"digest":"00000000', '"digest":"10000000')
    found = series(folder)
    assert {own["state"] for own in found.values()} == {"wrong"}
    assert "differs from the base line's" in found[SLOWER]["reason"]
    page = watch(folder, "--format", "html").stdout
    assert page.count(f"{name_of(NIGHTS - 1)}: digest ") == len(found)
    watch("accept", folder, "--reason", "the input has changed")
    assert {own["state"] for own in series(folder).values()} & {"wrong"} == set()


def test_nights_that_were_wrong_are_no_part_of_a_level(tmp_path: Path) -> None:
    def speeds(night: int) -> dict[str, float]:
        return {"libgomp": 1.0, "libomp": 0.7 if 6 <= night < 10 else 1.0}

    folder = write_nights(tmp_path / "nights", NIGHTS, speeds, CELLS[:1])
    assert series(folder)[SLOWER]["changes"] == [name_of(6), name_of(10)]
    for night in range(6, 10):
        replace_in(folder / name_of(night), '"digest":"00000000', '"digest":"10000000')
    found = series(folder)[SLOWER]
    assert (found["state"], found["changes"]) == ("steady", [])
    for digit in "23":  # two base lines that are accepted, each the first of its nights
        add_night(folder, {"libgomp": 1.0, "libomp": 1.0}, digit)
        watch("accept", folder, "--reason", "the input has changed")
    found = series(folder)[SLOWER]
    assert (found["state"], found["changes"]) == ("steady", [])


def test_a_level_has_the_nights_of_all_base_lines_of_results(tmp_path: Path) -> None:
    write_nights(tmp_path, 6, lambda _: {"libgomp": 1.0, "libomp": 1.0}, CELLS[:1])
    for digit in "22222233":
        add_night(tmp_path, {"libgomp": 1.0, "libomp": 0.7}, digit)
        if series(tmp_path)[SLOWER]["state"] == "wrong":
            watch("accept", tmp_path, "--reason", "the input has changed")
    found = series(tmp_path)[SLOWER]
    assert (found["state"], found["changes"]) == ("slower", [name_of(6)])


def add_night(folder: Path, speeds: Mapping[str, float], digit: str) -> None:
    """A further night, whose digests begin with a digit."""
    night = len(list(folder.glob("*.jsonl")))
    write_campaign(folder / name_of(night), speeds, CELLS[:1], rounds=8, seed=night + 1)
    replace_in(folder / name_of(night), '"digest":"00000000', f'"digest":"{digit}0000000')


def test_another_runtime_under_the_same_label_is_left_out(folder: Path) -> None:
    replace_in(folder / name_of(4), '"name":"libomp"', '"name":"libiomp5"')
    notes = series(folder)[SLOWER]["notes"]
    assert any("1 night left out: the runtime was libiomp5" in note for note in notes)


def test_a_night_of_another_machine_is_no_change(folder: Path) -> None:
    for night in range(CHANGE, NIGHTS):
        (folder / name_of(night)).unlink()
    path = folder / name_of(CHANGE)
    write_campaign(path, {"libgomp": 0.5, "libomp": 0.3}, CELLS, rounds=8)
    replace_in(path, '"hostname":"node"', '"hostname":"another"')
    assert watch(folder).return_value == 0
    for own in series(folder).values():
        assert own["state"] == "too-noisy" and "first night on this machine" in own["notes"][0]


def test_a_night_without_the_reference_is_compared_with_nothing(tmp_path: Path) -> None:
    write_nights(tmp_path, 12, lambda _: {"libgomp": 1.0, "libomp": 1.0}, CELLS[:1])
    write_campaign(tmp_path / name_of(11), {"libomp": 0.7}, CELLS[:1], rounds=8)
    (own,) = (own for label, own in series(tmp_path).items() if label.endswith(" on libomp"))
    assert (own["state"], own["since"], own["reference"]) == ("not-run", name_of(11), None)
    assert own["reason"] == "no round with libgomp, to which other nights are compared"


def test_matrices_of_files_are_series_of_their_own(tmp_path: Path) -> None:
    for matrix, gflops in (("random", 3.0), ("a.mtx", 2.0), ("b.mtx", 1.0)):
        for seed in range(3):
            made = run_record.record(CELLS[0], "libgomp", seed, gflops, matrix=matrix)
            append(tmp_path / name_of(0), made)
    night = read_night(tmp_path / name_of(0))
    found = {
        value.label.partition(" threads ")[2]: value.samples
        for value in night.values
        if value.samples
    }
    assert found == {"on libgomp": 3, "a.mtx on libgomp": 3, "b.mtx on libgomp": 3}


def test_the_index_changes_nothing_and_is_not_trusted(folder: Path) -> None:
    first = watch(folder, "--format", "json").stdout
    file = folder / index.NAME
    assert file.is_file()
    assert watch(folder, "--format", "json").stdout == first
    replace_in(folder / name_of(2), '"digest":"00000000', '"digest":"20000000')
    changed = watch(folder, "--format", "json").stdout
    file.unlink()
    assert watch(folder, "--format", "json").stdout == changed
    for damage in (b"no database", b"", file.read_bytes()[: file.stat().st_size // 2]):
        file.write_bytes(damage)
        assert watch(folder, "--format", "json").stdout == changed
        assert watch(folder, "--format", "json").stdout == changed
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE nights SET night = '{}'")
    assert watch(folder, "--format", "json").stdout == changed


def test_only_new_nights_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch(folder)
    read: list[str] = []

    def noting(path: Path) -> Any:  # noqa: ANN401
        read.append(path.name)
        return read_night(path)

    monkeypatch.setattr(index, "read_night", noting)
    watch(folder)
    assert read == []
    shutil.copy(folder / name_of(0), folder / name_of(NIGHTS))
    watch(folder)
    assert read == [name_of(NIGHTS)]


def test_a_night_that_could_not_be_read_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        unread = Night(name=name_of(2), problems=["the server of files does not answer"])
        patched.setattr(index, "read_night", lambda _: unread)
        assert unread.problems[0] in str(getattr(watch(folder).exception, "message", ""))
    assert watch(folder).stdout.startswith("2 slower of 4 series")


def test_a_read_only_folder_is_watched_without_an_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "NAME", "no/such/folder.sqlite")
    assert watch(folder).return_value == 1
    assert not any(folder.glob("*.sqlite"))


def test_junit_markdown_and_the_page_show_the_same(folder: Path, tmp_path: Path) -> None:
    (folder / name_of(CHANGE)).with_suffix(".note").write_text("commit <b>1234abc</b>\nmore\n")
    suite = ElementTree.fromstring(watch(folder, "--format", "junit").stdout)
    assert suite.get("tests") == "4" and suite.get("failures") == "2"
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert SLOWER in failed
    markdown = watch(folder, "--format", "markdown").stdout
    assert markdown.startswith("**2 slower of 4 series") and "&lt;b>1234abc" in markdown
    page = tmp_path / "page.html"
    assert watch(folder, "--format", "html", "--output", page).return_value == 1
    text = page.read_text()
    assert text.count("<svg") == 4 and "&lt;b&gt;1234abc" in text and "<b>1234abc" not in text
    assert "http" not in text
    assert text.count("speed relative to libgomp: change from the base line") == 2
    assert text.count(f">{name_of(0)}<") == text.count(f">{name_of(NIGHTS - 1)}<") == 4


def test_junit_tells_runtimes_of_long_labels_apart(tmp_path: Path) -> None:
    cells = [("cholesky", "v" * 130, 2048, 192)]
    write_nights(tmp_path, 2, lambda _: {"libgomp": 1.0, "libomp": 1.0}, cells)
    suite = ElementTree.fromstring(watch(tmp_path, "--format", "junit").stdout)
    names = [case.get("name") or "" for case in suite]
    assert [name.rpartition(" on ")[2] for name in names] == ["libgomp", "libomp"]
    assert all(len(name) == LABEL_MOST and name.startswith("cholesky vvv") for name in names)


def test_a_base_line_that_is_none_is_refused(folder: Path) -> None:
    (folder / "base-line.json").write_text('{"schema": "pollux-base-line/1", "accepted": 3}')
    result = watch(folder)
    assert status(result) == 2 and "base-line.json" in str(result.exception.message)  # type: ignore[union-attr]
