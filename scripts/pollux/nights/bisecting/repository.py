# SPDX-License-Identifier: BSD-3-Clause
"""A repository under bisection: a copy that shares its objects, and git's search in it.

The user's checkout, its branches and its own bisections are not touched.
"""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import Ended, run_process
from pollux.core.text import cut, one_line

SECONDS = 600.0  # of a git command
QUIET = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ADVICE": "0"}
# Versions of git differ in whether the words for good and bad are in quotes.
FOUND = re.compile(r"^([0-9a-f]{40,64}) is the first '?bad'? commit", re.MULTILINE)
BAD_BASE = re.compile(r"^The merge base ([0-9a-f]{40,64}) is '?bad'?", re.MULTILINE)
LEFT = re.compile(r"^([0-9a-f]{40,64})$", re.MULTILINE)
ONLY_SKIPPED = "There are only 'skip'ped commits left to test"


@dataclass(frozen=True)
class Commit:
    """A commit, as a user recognises it."""

    id: str
    subject: str
    date: str

    @property
    def words(self) -> str:
        return f"{self.id[:12]} ({cut(self.subject)})"


class Repository:
    """The copy in which commits are checked out and built."""

    def __init__(self, original: Path, tree: Path, locks: Sequence[int] = ()) -> None:
        """A git that outlives this process keeps the locks."""
        self.original, self.tree, self.locks = original, tree, locks

    def commit(self, revision: str, option: str) -> Commit:
        """What a revision of the user's repository is; `option` named it."""
        if not self.original.is_dir():
            raise BadUsageError(f"--repository {self.original}: no such folder")
        asked = self.git_any(self.original, "rev-parse", "--git-dir")
        if asked.status != 0:
            why = cut(" ".join((asked.stderr or asked.failure).split()), 300)
            raise BadUsageError(f"--repository {self.original}: git refuses it: {one_line(why)}")
        found = self.git_any(
            self.original,
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )
        if found.status != 0:
            shown = cut(one_line(revision))
            raise BadUsageError(f"{option} {shown}: no commit of {self.original}")
        return self.describe(found.stdout.strip())

    def describe(self, commit: str) -> Commit:
        how = "--no-show-signature", "--no-patch", "--format=%H%n%cs%n%s"
        shown = self.git(self.original, "show", *how, commit)
        identity, date, subject = shown.split("\n", 2)
        return Commit(identity, one_line(subject.strip()), date)

    def prepare(self) -> None:
        """Make the copy, unless an earlier command has; what a killed git has left is removed."""
        own = self.tree / ".git"
        for lock in own.rglob("*.lock"):
            if "objects" not in lock.relative_to(own).parts:
                lock.unlink()
        if self.tree.is_dir():
            return
        draft = self.tree.with_name("tree.new")
        shutil.rmtree(draft, ignore_errors=True)
        source = str(self.original.resolve())
        options = "--quiet", "--shared", "--no-checkout"
        self.git(draft.parent, "clone", *options, source, str(draft.resolve()))
        draft.rename(self.tree)

    def check_out(self, commit: str) -> None:
        """Change to a commit; what a build has left that git does not know stays."""
        self.git(self.tree, "checkout", "--quiet", "--force", "--detach", commit)

    def start(self, good: str, bad: str) -> str | list[str]:
        """Begin git's search, which leaves the copy's files alone; the commit to try first.

        A list is how a search ended: one commit, or several that could not be told apart.
        """
        self.check_out(bad)
        return self.next(self.git_any(self.tree, "bisect", "start", "--no-checkout", bad, good))

    def answer(self, commit: str, word: str) -> str | list[str]:
        """Tell the search what a commit is: good, bad or skip; what comes next, as of `start`."""
        ended = self.git_any(self.tree, "bisect", word, commit)
        found = self.next(ended)
        if found == commit:
            raise MachineError(
                f"git bisect asks for {commit[:12]} again: {cut(one_line(ended.stdout), 200)}"
            )
        return found

    def next(self, ended: Ended) -> str | list[str]:
        if (found := FOUND.search(ended.stdout)) is not None:
            return [found[1]]
        if ONLY_SKIPPED in ended.stdout:
            return LEFT.findall(ended.stdout)
        if (base := BAD_BASE.search(ended.stderr)) is not None:
            raise BadUsageError(
                f"--good: {self.describe(base[1]).words}, from which --good and --bad have "
                "branched off, is bad already; --good takes an ancestor of that"
            )
        if ended.status != 0:
            raise MachineError(f"git bisect: {one_line(ended.failure)}")
        if (commit := self.nearest_to_middle()) is not None:
            return commit
        return self.git(self.tree, "rev-parse", "BISECT_HEAD").strip()

    def nearest_to_middle(self) -> str | None:
        """Where commits were skipped, of the others the one that splits those left most evenly.

        Git tries one at random then, which may be far from the middle.
        """
        skipped = self.git(
            self.tree, "for-each-ref", "--format=%(objectname)", "refs/bisect/skip-*"
        )
        if not skipped:
            return None
        sides = "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*"
        left = self.git(self.tree, "rev-list", "--bisect-all", *sides).splitlines()
        return next((c for c in (line.split()[0] for line in left) if c not in skipped), None)

    def parent(self, commit: str) -> str:
        """The first of those that a commit was made from."""
        return self.git(self.original, "rev-parse", f"{commit}^").strip()

    def between(self, good: str, bad: str) -> int:
        """How many commits can be the first bad one."""
        return int(self.git(self.original, "rev-list", "--count", bad, f"^{good}"))

    def forget_others(self) -> None:
        """Remove from the environment what names a repository to git, as hooks and others set it.

        Git and the builds use those in which they run. The configuration stays.
        """
        listed = self.run_git(Path(), "rev-parse", "--local-env-vars").stdout.split()
        for name in listed:
            if not name.startswith("GIT_CONFIG"):
                os.environ.pop(name, None)

    def run_git(self, folder: Path, *arguments: str) -> Ended:
        return run_process(
            ["git", *arguments],
            QUIET,
            SECONDS,
            file_bytes=None,
            folder=folder,
            descriptors=self.locks,
        )

    def git(self, folder: Path, *arguments: str) -> str:
        """What git prints; MachineError where it fails."""
        ended = self.git_any(folder, *arguments)
        if ended.status != 0:
            raise MachineError(f"git {arguments[0]}: {cut(one_line(ended.failure), 200)}")
        return ended.stdout

    def git_any(self, folder: Path, *arguments: str) -> Ended:
        """How git ended, with whatever status of its own."""
        ended = self.run_git(folder, *arguments)
        if ended.status is None or ended.status < 0:
            raise MachineError(f"git {arguments[0]}: {ended.how}")
        return ended
