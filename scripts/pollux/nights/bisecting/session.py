# SPDX-License-Identifier: BSD-3-Clause
"""The search for a commit: build, measure, answer, until git has found it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pollux.core.analysis.result import Verdict
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.models import keep
from pollux.core.text import cut
from pollux.nights.bisecting.building import (
    LOG,
    Library,
    NotBuiltError,
    build,
    kept_library,
)
from pollux.nights.bisecting.changes import Changed, what_changed
from pollux.nights.bisecting.measuring import (
    Effort,
    candidate_rows,
    find_symptom,
    grid_of,
    judge,
    measure,
    why_wrong,
)
from pollux.nights.bisecting.repository import Commit, Repository
from pollux.nights.bisecting.starting import check_starts
from pollux.nights.bisecting.state import (
    NAME,
    REMEDY,
    Answer,
    Bisection,
    Measured,
    Plan,
    Symptom,
    read_or_begin,
)

SMALLEST_MARGIN = 0.005


@dataclass(frozen=True)
class Outcome:
    """What a search has found."""

    commits: list[Commit]  # one, or those that could not be told apart
    bisection: Bisection
    builds: int  # of this command


class Session:
    """One `pollux bisect`, from where an earlier one has stopped."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        effort: Effort,
        say: Callable[[str], None],
        locks: Sequence[int] = (),
    ) -> None:
        """In a folder that nobody else works in; what git and builds are given keeps its locks."""
        self.folder, self.plan, self.effort, self.say = folder, plan, effort, say
        self.locks = locks
        self.repository = Repository(Path(plan.repository), folder / "tree", locks)
        self.state = read_or_begin(folder, plan)
        self.builds = 0
        self.is_open = False  # whether the bad commit is slower
        self.tried: set[str] = set()

    def run(self) -> Outcome | None:
        """Search; None where the bad commit is not shown to be slower than the good one."""
        self.repository.prepare()
        self.note()
        good = self.library_of_end(self.plan.good, "good")
        if self.state.symptom is not None:
            self.say_asked(self.state.symptom)
        elif not self.show_symptom(good):
            return None
        found = self.repository.start(self.plan.good, self.plan.bad)
        while isinstance(found, str):
            answer = self.try_commit(found, good)
            found = self.repository.answer(found, str(answer.answer))
        commits = [self.repository.describe(commit) for commit in found]
        return Outcome(commits, self.state, self.builds)

    def changed(self, commit: Commit, budget: str) -> tuple[Commit, Changed] | None:
        """The commit before the first bad one, and what has changed since; None if nothing has.

        Where that one is not built, the good commit stands for it. Raises NotBuiltError.
        """
        symptom, bad = self.state.symptom, self.library(commit.id)
        before = self.repository.parent(commit.id)
        try:
            if self.was_not_built(before):
                raise NotBuiltError(self.state.commits[before].reason)
            good = self.library(before)
        except (NotBuiltError, MachineError):
            before = self.plan.good
            good = self.library(before)
        assert symptom is not None
        if good.digest == bad.digest:
            return None
        effort = replace(self.effort, margin=margin_of(symptom), budget=budget)
        found = what_changed(
            self.place(commit.id) / before[:12], self.plan, (good, bad), symptom, effort
        )
        return self.repository.describe(before), found

    def was_not_built(self, commit: str) -> bool:
        """Whether it is known that another try would not build a commit."""
        known = self.state.commits.get(commit)
        if known is None or known.answer is not Answer.SKIP or known.library is not None:
            return False
        return not known.is_undecided or commit in self.tried

    def say_asked(self, symptom: Symptom) -> None:
        """Say that another --relevant than the one that a symptom was found at comes too late."""
        now, then = self.effort.margin, symptom.relevant
        if then is not None and then != now:
            self.say(
                f"--relevant {100 * now:.4g}% has no effect: {symptom.cell} was found to be slower "
                f"with --relevant {100 * then:.4g}%; {REMEDY}"
            )

    def show_symptom(self, good: Library) -> bool:
        """Measure the bad commit beside the good one, and keep where it is slower."""
        bad = self.library_of_end(self.plan.bad, "bad")
        if bad.digest == good.digest:
            raise BadUsageError("the builds of --good and --bad are the same, byte for byte")
        stem = self.place(self.plan.bad) / "first"
        grid = grid_of(self.plan, None)
        result = measure(stem, self.plan, (good, bad), self.effort, grid)
        wrong = why_wrong(result)
        if wrong is not None:
            raise BadUsageError(
                f"the bad commit fails: {wrong}; --bad takes one that is right, and slow"
            )
        symptom = find_symptom(result)
        if symptom is None:
            self.say(result.headline)
            noisy = (Verdict.TOO_NOISY, Verdict.TOO_FEW)
            rows = candidate_rows(result)
            self.is_open = any(row.comparison.verdict in noisy for row in rows)
            return False
        symptom = symptom.model_copy(update={"relevant": self.effort.margin})
        measured = judge(result, bad, symptom.cell)
        self.say(f"bad: {symptom.cell}: {measured.reason}")
        self.note(symptom=symptom, commits={**self.state.commits, self.plan.bad: measured})
        return True

    def note(self, **known: object) -> None:
        """Know more, also on the disk."""
        self.state = self.state.model_copy(update=known)
        keep(self.folder / NAME, self.state)

    def try_commit(self, commit: str, good: Library) -> Measured:
        """What a commit is, and on the disk before the search goes on."""
        known = self.state.commits.get(commit)
        if known is not None and (not known.is_undecided or commit in self.tried):
            return known
        self.tried.add(commit)
        found = self.measured(commit, good)
        self.note(commits={**self.state.commits, commit: found})
        self.say(f"{self.repository.describe(commit).words}: {found.answer}, {found.reason}")
        return found

    def measured(self, commit: str, good: Library) -> Measured:
        try:
            library = self.library(commit)
        except NotBuiltError as error:
            return Measured(answer=Answer.SKIP, reason=str(error), may_pass=error.may_pass)
        if library.digest == good.digest:
            reason = "its library is the good one, byte for byte"
            return Measured(answer=Answer.GOOD, reason=reason, library=library.digest)
        if (same := self.state.alike(library.digest)) is not None and not same.is_undecided:
            return same
        symptom = self.state.symptom
        assert symptom is not None
        effort = replace(self.effort, margin=margin_of(symptom))
        stem, grid = self.place(commit) / "symptom", grid_of(self.plan, symptom)
        result = measure(stem, self.plan, (good, library), effort, grid)
        return judge(result, library, symptom.cell)

    def library_of_end(self, commit: str, which: str) -> Library:
        """The library of the good or the bad commit, without which there is nothing to search."""
        try:
            return self.library(commit)
        except NotBuiltError as error:
            where = "" if self.kept(commit) else f"; see {self.place(commit) / LOG}"
            raise BadUsageError(f"--{which} {cut(commit, 12)}: {error}{where}") from error

    def library(self, commit: str) -> Library:
        """Build a commit, unless an earlier command has, and see that programs start with it."""
        found = self.kept(commit)
        if found is None:
            self.repository.check_out(commit)
            self.builds += 1
            tree, seconds = self.repository.tree, self.effort.build_seconds
            found = build(tree, self.plan, self.place(commit), seconds, self.locks)
        check_starts(found, self.plan, self.folder, self.effort.build_root)
        return found

    def kept(self, commit: str) -> Library | None:
        return kept_library(self.place(commit), Path(self.plan.library).name)

    def place(self, commit: str) -> Path:
        return self.folder / "commits" / commit[:12]


def margin_of(symptom: Symptom) -> float:
    return round(max(SMALLEST_MARGIN, symptom.margin), 3)
