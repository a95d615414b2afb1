# SPDX-License-Identifier: BSD-3-Clause
"""`pollux watch` on nights whose energy was measured: a series of its own for each speed."""

import json
from collections.abc import Mapping
from pathlib import Path

from histories import CELLS, name_of, replace_in, series, watch, write_nights


def test_energy_is_a_series_of_its_own(tmp_path: Path) -> None:
    write_nights(tmp_path, 12, lambda _: {"libgomp": 1.0}, CELLS[:1])
    for night in range(12):
        give_joules(tmp_path / name_of(night), {"libgomp": 20.0 if night < 7 else 26.0})
    found = series(tmp_path)
    (energy,) = (own for label, own in found.items() if " energy on " in label)
    assert energy["state"] == "slower" and energy["since"] == name_of(7)
    assert 0.76 < energy["ratio"] < 0.78  # of 1/J: below 1 is worse in all series
    assert "more energy by 30 % since" in watch(tmp_path).stdout.splitlines()[0]
    markdown = watch(tmp_path, "--format", "markdown").stdout
    (line,) = (line for line in markdown.splitlines() if " energy on " in line and line[0] == "|")
    assert "| 1.300 (" in line
    page = watch(tmp_path, "--format", "html").stdout
    assert "+30 %" in page and "-23 %" not in page


def test_a_night_whose_energy_was_not_measured_says_why(tmp_path: Path) -> None:
    write_nights(tmp_path, 2, lambda _: {"libgomp": 1.0}, CELLS[:1])
    assert not any(" energy on " in label for label in series(tmp_path))  # on no night
    for night in range(2):
        give_joules(tmp_path / name_of(night), {"libgomp": 20.0})
    measured = '"energy": {"status": "measured", "reason": null, "joules": 20.0'
    unread = '"energy": {"status": "unavailable", "reason": "not permitted", "joules": null'
    replace_in(tmp_path / name_of(1), measured, unread)
    (energy,) = (own for label, own in series(tmp_path).items() if " energy on " in label)
    assert energy["state"] == "not-run"
    assert energy["reason"] == "its energy was not measured: not permitted"


def test_energy_of_wrong_results_is_no_energy(tmp_path: Path) -> None:
    write_nights(tmp_path, 12, lambda _: {"libgomp": 1.0, "libomp": 1.0}, CELLS[:1])
    last = tmp_path / name_of(11)
    lines = last.read_text().splitlines()
    wrong = [s.replace('"digest":"00', '"digest":"10') if "libomp" in s else s for s in lines]
    last.write_text("\n".join(wrong) + "\n")
    for night in range(12):
        joules = 20.0 if night < 11 else 60.0
        give_joules(tmp_path / name_of(night), {"libgomp": joules, "libomp": joules})
    found = series(tmp_path)
    states = {label.partition(" threads ")[2]: own["state"] for label, own in found.items()}
    assert states["on libomp"] == "wrong" and states["energy on libomp"] == "not-run"
    reasons = {own["reason"] for label, own in found.items() if " energy on " in label}
    assert reasons == {"its results are wrong"}


def test_energy_is_as_right_as_its_speed(tmp_path: Path) -> None:
    def give(night: int, joules: float) -> None:
        give_joules(tmp_path / name_of(night), {"libgomp": joules, "libomp": joules / 2})

    def energy() -> set[tuple[str, str | None]]:
        found = series(tmp_path).items()
        return {(own["state"], own["reason"]) for label, own in found if " energy on " in label}

    write_nights(tmp_path, 12, lambda _: {"libgomp": 1.0, "libomp": 1.0}, CELLS[:1])
    for night in range(6, 12):  # from the first one on, digests are not those of the base line
        replace_in(tmp_path / name_of(night), '"digest":"00000000', '"digest":"10000000')
        give(night, 20.0)
    assert energy() == {("not-run", "its results are wrong")}
    watch("accept", tmp_path, "--reason", "the input has changed")
    assert energy() == {("steady", None)}


def give_joules(night: Path, joules: Mapping[str, float]) -> None:
    """The energy of all runs of these runtimes; of others it is not known."""
    lines = [json.loads(line) for line in night.read_text().splitlines()]
    for record in (r for line in lines for r in line.get("records", [])):
        if (own := joules.get(record["runtime"]["name"])) is not None:
            zone = {"source": "powercap", "name": "package-0", "path": None, "joules": own}
            zone |= {"status": "measured", "reason": None}
            record["energy"] = {"status": "measured", "reason": None, "joules": own}
            record["energy"] |= {"parts": ["powercap:package-0"], "zones": [zone], "virtual": False}
    night.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
