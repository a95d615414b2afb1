# SPDX-License-Identifier: BSD-3-Clause
"""`pollux bisect` on repositories whose truth is known."""

from collections.abc import Callable
from pathlib import Path

from pollux.core.cli import app
from pollux.core.paths import BUILDS
from pollux.nights.bisecting.building import Library
from pollux.nights.bisecting.measuring import Effort
from pollux.nights.bisecting.session import Session
from pollux.nights.bisecting.state import Answer, Measured, Plan, Symptom
from typer.testing import CliRunner, Result

SYMPTOM = Symptom(benchmark="cholesky", variant="depend", cell="cholesky depend", loss=0.1)


def plan_of(repository: Path, good: str, bad: str) -> Plan:
    return Plan(
        good=good,
        bad=bad,
        repository=str(repository),
        build="true",
        library="lib.so",
        preload=False,
        preset="libgomp",
        benchmark=["cholesky"],
        variant=["depend"],
        size=64,
        tile=32,
        threads=1,
    )


class Scripted(Session):
    """A session in which the truth is known without builds and campaigns."""

    truth: Callable[[str], Answer]
    asked: list[str]

    def library_of_end(self, commit: str, which: str) -> Library:
        return Library(Path(which), which)

    def measured(self, commit: str, good: Library) -> Measured:
        self.asked.append(commit)
        return Measured(answer=self.truth(commit), reason="as planted")


def session(
    folder: Path, plan: Plan, truth: Callable[[str], Answer], kind: type[Scripted] = Scripted
) -> Scripted:
    folder.mkdir(exist_ok=True)
    made = kind(folder, plan, Effort(0.03, "1s", folder), lambda _: None)
    made.truth, made.asked = truth, []
    bad = Measured(answer=Answer.BAD, reason="as planted")
    known = {"symptom": SYMPTOM, "commits": {plan.bad: bad, **made.state.commits}}
    made.state = made.state.model_copy(update=known)
    return made


def bisect(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["bisect", *map(str, arguments)], standalone_mode=False)


def bisect_with(
    repository: Path, state: Path, changed: dict[str, str], build_root: Path = BUILDS
) -> Result:
    options = {"--good": "HEAD~32", "--bad": "HEAD", "--repository": str(repository)}
    options |= {"--build": "true", "--library": "lib.so", "--state": str(state)}
    options |= {"--build-root": str(build_root), **changed}
    return bisect(*(word for pair in options.items() for word in pair))


def refusal(result: Result) -> tuple[int | None, str]:
    """The status and the line of the error that has ended the command."""
    error = result.exception
    return getattr(error, "exit_code", None), str(getattr(error, "message", ""))
