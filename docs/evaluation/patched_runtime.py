#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether four commands answer what the author of a patched runtime asks.

The patched runtime is a copy of the library under another path; a library between program and
runtime, which both sides load, changes the copy alone (tests/doubles/costly.c, forgetful.c). Each
trial runs one command of docs/own-runtime.md and reads its answer:

- right: `pollux conform --against` fails on a rule of the kind that was broken;
- slower: `pollux run quick` for one benchmark says so, where each of its tasks costs so much more
  that a factorization takes 5 % longer;
- where: `pollux run terms` names the part of a task that costs --cost more, or ten times that in
  the wake-up of a thread, which takes so long that --cost is lost in it. Where several parts are
  slower, since a delay also changes what follows it, that which grew most is named;
- why: `pollux explain` names the overhead that grew, and by how much: by what was planted in all
  tasks, within 20 %. (The whole need not grow by that: what one thread loses, another may gain.)

Exit status: 0 as many answers were right as each question's bound asks, 1 not so.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neighbours import CONDITIONS, neighbours
from pollux.core.paths import ROOT
from pollux.core.runtimes.found import look

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import POLLUX
from surroundings import environment, kernels_chosen

NAME = "patched"
COMPILERS = {"libgomp": "gcc", "libomp": "clang"}
BUDGET = 90  # seconds for an answer
SHARE = 0.05  # by which a factorization is slower
SIZE, TILE = 1024, 64
SHARE_TOLERANCE = 0.20
PARTS = ("creating", "uncreated", "dispatch", "lack", "ready")  # of explain's split
TERMS = {"item": "per_item", "creation": "creation", "release": "release"}
ITEMS = 8  # of a task of `terms` that has several: its creation contains so many
WAKE = "wake"  # of a thread, not of each task
SLOWER = re.compile(  # a term, and what it takes on both sides
    r"(\w+) slower by [\d.]+ % \((?:geometric means: )?([\d.]+) ns against ([\d.]+)\)"
)


@dataclass(frozen=True)
class Patched:
    """A runtime and its patched copy."""

    build: str
    build_root: Path
    folder: Path  # for everything that is written

    @property
    def target(self) -> str:
        return f"{COMPILERS[self.build]}+{NAME}"

    @property
    def pair(self) -> str:
        return f"{self.build},{self.target}"

    def double(self, name: str) -> Path:
        return self.build_root / self.build / f"tests/doubles/{name}.so"

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """A command of pollux, with the settings of a double."""
        variables = settings | {
            "POLLUX_RUNTIMES": str(self.folder / "runtimes"),
            "POLLUX_BUILDS": str(self.build_root),
            "POLLUX_DOUBLE_ONLY": str(self.folder / NAME),
        }
        command = [str(POLLUX), *arguments]
        env = environment(**kernels_chosen(), **variables)
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def patch(build: str, build_root: Path, folder: Path) -> Patched:
    """Copy the library of a build, and register the copy."""
    patched = Patched(build, build_root, folder)
    found = look(ROOT, build_root)
    library = next(library for library in found.libraries if library.name.startswith(build))
    (folder / NAME).mkdir()
    shutil.copy(library.path.resolve(), folder / NAME / library.path.name)
    added = patched.run("runtimes", "add", str(folder / NAME), "--as", NAME)
    if added.returncode:
        sys.exit(added.stderr)
    return patched


@dataclass(frozen=True)
class Answer:
    is_right: bool
    said: str  # in a line


@dataclass(frozen=True)
class Question:
    name: str
    plant: str
    ask: Callable[[Patched, float], Answer]
    bound: float = 0.9  # share of the answers that are to be right, in time


def first_line(done: subprocess.CompletedProcess[str], start: str = "") -> str:
    lines = [line for line in done.stdout.splitlines() if line.startswith(start)]
    return lines[0] if lines else done.stderr.strip()[-200:]


def is_conforming(turn: str, every: int, rules: str) -> Callable[[Patched, float], Answer]:
    def ask(patched: Patched, _cost: float) -> Answer:
        with tempfile.TemporaryDirectory() as kept:
            done = patched.run(
                *("conform", patched.target, "--against", patched.build, "--threads", "2,4"),
                *("--seconds", "0.2", "--conformance", kept),
                LD_PRELOAD=str(patched.double("forgetful")),
                POLLUX_DOUBLE_TURN=turn,
                POLLUX_DOUBLE_EVERY=str(every),
            )
        said = first_line(done)
        broken = re.search(rf"new failures? \(.*{rules}", said)
        return Answer(done.returncode == 1 and broken is not None, said[:150])

    return ask


def costs(patched: Patched, planted_ns: Mapping[str, float]) -> dict[str, str]:
    """Settings of the double that adds costs; the tasks of both sides take the same path."""
    settings = {f"POLLUX_DOUBLE_{term.upper()}": str(ns) for term, ns in planted_ns.items()}
    return settings | {"LD_PRELOAD": str(patched.double("costly"))}


def campaign(patched: Patched, *words: str, **settings: str) -> str:
    """The first line of a campaign's answer."""
    with tempfile.TemporaryDirectory() as kept:
        done = patched.run(
            *("run", *words, "--runtime", patched.pair, "--budget", f"{BUDGET - 10}s"),
            *("--output", str(Path(kept) / "records.jsonl")),
            **settings,
        )
    return first_line(done, patched.target)


def is_slower(benchmark: str) -> Callable[[Patched, float], Answer]:
    def ask(patched: Patched, _cost: float) -> Answer:
        ns = cost_of_a_share(patched, benchmark)
        words = ("quick", "--benchmark", benchmark, "--variant", "depend", "--size", str(SIZE))
        planted = costs(patched, {"release": ns})
        said = campaign(patched, *words, "--tile", str(TILE), **planted)
        return Answer(f"{patched.target} is slower than" in said, said[:150])

    return ask


def cost_of_a_share(patched: Patched, benchmark: str) -> float:
    """What each task must cost more, in ns, for the whole to take SHARE longer."""
    program = patched.build_root / patched.build / "bin" / benchmark
    options = ("-v", "depend", "-n", str(SIZE), "-b", str(TILE), "-r", "15", "-f", "json")
    env = environment(**kernels_chosen())
    done = subprocess.run([program, *options], capture_output=True, text=True, check=True, env=env)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    seconds = min(record["seconds"] for record in records)  # the others were disturbed
    return float(SHARE * seconds * 1e9 * records[0]["threads"] / records[0]["tasks"])


def where(term: str, factor: int = 1) -> Callable[[Patched, float], Answer]:
    def ask(patched: Patched, cost: float) -> Answer:
        said = campaign(patched, "terms", **costs(patched, {"wake": 0.0, term: factor * cost}))
        named = most_grown(said)
        return Answer(named == term, f"{named}: {said[:400]}")

    return ask


def most_grown(answer: str) -> str | None:
    """The part of a task that explains most of what its parts grew by, else the wake-up."""
    slower = {quantity: float(new) - float(old) for quantity, new, old in SLOWER.findall(answer)}
    grown = {name: slower[quantity] for name, quantity in TERMS.items() if quantity in slower}
    if "item" in grown:
        grown["item"] *= ITEMS
    if "creation" in grown:
        grown["creation"] -= grown.get("item", 0.0)
    if grown:
        return max(grown, key=lambda name: grown[name])
    return WAKE if "wake_up" in slower else None


def why(term: str, part: str) -> Callable[[Patched, float], Answer]:
    """Whether explain says that this part grew by the planted cost of all tasks."""

    def ask(patched: Patched, cost: float) -> Answer:
        with tempfile.TemporaryDirectory() as kept:
            done = patched.run(
                *("explain", "cholesky", "--size", str(SIZE), "--tile", "32"),
                *("--runtime", patched.build, "--runtime", patched.target),
                *("--until-decided", "3%", "--budget", f"{BUDGET - 10}s"),
                *("--output", f"{kept}/traces", "--format", "json"),
                **costs(patched, {term: cost}),
            )
        if done.returncode:
            return Answer(False, done.stderr[-200:])
        return judged(json.loads(done.stdout), part, cost)

    return ask


def judged(split: dict[str, Any], part: str, cost: float) -> Answer:
    """Compare the growth of a part with what was planted, and with that of the whole."""
    grown = {
        name: split["difference"]["terms"][name]["median"]
        for name in PARTS
        if split["difference"]["verdicts"][name] == "more"
    }
    named = max(grown, key=lambda name: grown[name], default=None)
    tasks = sum(kernel["calls"] for kernel in split["sides"][0]["kernels"])
    of_whole = grown.get(part, 0.0) / split["difference"]["total"]["median"]
    of_planted = grown.get(part, 0.0) / (tasks * cost)
    said = f"{named}, {of_whole:.2f} of the difference, {of_planted:.2f} of what was planted"
    return Answer(named == part and abs(of_planted - 1) <= SHARE_TOLERANCE, said)


QUESTIONS = [
    Question(
        "right", "a dependence in 50 dropped", is_conforming("any:nothing", 50, "depend"), 1.0
    ),
    Question(
        "right", "mutexinoutset not exclusive", is_conforming("mutexinoutset:in", 1, "mutex"), 1.0
    ),
    Question("slower", "Cholesky by 5 %", is_slower("cholesky")),
    Question("slower", "LU by 5 %", is_slower("lu")),
    *(Question("where", term, where(term)) for term in TERMS),
    Question("where", WAKE, where(WAKE, factor=10)),
    Question("why", "creation", why("creation", "creating")),
    Question("why", "release", why("release", "dispatch")),
]


def chosen(args: argparse.Namespace) -> Iterator[Question]:
    for question in QUESTIONS:
        if question.name in args.questions and args.plant in (None, question.plant):
            yield question


def trial(patched: Patched, question: Question, cost: float) -> bool:
    """One answer, printed; whether it was right and in time."""
    start = time.monotonic()
    answer = question.ask(patched, cost)
    seconds = time.monotonic() - start
    word = "right" if answer.is_right else "wrong"
    print(
        f"{patched.build} {question.name} {question.plant}: {word}, {seconds:.0f} s: {answer.said}",
        flush=True,
    )
    return answer.is_right and seconds <= BUDGET


def answers_of(args: argparse.Namespace, build: str, folder: Path) -> bool:
    """All trials on one runtime; whether enough answers were right."""
    patched = patch(build, args.builds.resolve(), folder)
    counts = dict.fromkeys(chosen(args), 0)
    for _ in range(args.trials):
        for question in counts:
            counts[question] += trial(patched, question, args.cost)
    for question, right in counts.items():
        print(f"{build} {question.name} {question.plant}: {right} of {args.trials}", flush=True)
    return all(right >= q.bound * args.trials for q, right in counts.items())


def main() -> int:
    names = list(dict.fromkeys(question.name for question in QUESTIONS))
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--builds", type=Path, default=ROOT / "build", help="with tests")
    parser.add_argument("--runtimes", nargs="+", choices=COMPILERS, default=list(COMPILERS))
    parser.add_argument("--questions", nargs="+", choices=names, default=names)
    parser.add_argument("--plant", help="the only one of those questions' plants that is tried")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--cost", type=float, default=200.0, help="ns")
    parser.add_argument("--condition", choices=CONDITIONS, default="wandering")
    args = parser.parse_args()
    results = []
    with neighbours(args.condition, seed=20261):
        for build in args.runtimes:
            with tempfile.TemporaryDirectory() as folder:
                results.append(answers_of(args, build, Path(folder)))
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
