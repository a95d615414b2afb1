# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for a conformance program; its rule's name says what it sees or how it goes wrong.

Called as: fake_rule.py RULE OPTION…; "breaks@4" does so on four threads only.
"""

import os
import sys

from quick_json import dumps

TRIALS = 3  # that it runs of those that it may
BUILD_ID = os.environ.get("FAKE_BUILD_ID", "ab12")
LIBRARY = os.environ.get("FAKE_LIBRARY", "/lib/libgomp.so.1")


def say(line: dict[str, object]) -> None:
    print(dumps(line), flush=True)


def introduce(rule: str, threads: int) -> None:
    runtime = {"name": "libgomp", "version": "12", "path": LIBRARY, "abi": "GOMP"}
    say(
        {
            "schema": "pollux-conformance/1",
            "rule": rule,
            "statement": f"A runtime {rule}.",
            "source": "OpenMP 5.2, 15.9.5",
            "threads": threads,
            "runtime": runtime | {"build_id": BUILD_ID, "expected": "libgomp"},
            "compiler": {"name": "gcc", "version": "12.2.0"},
        }
    )


def begin_team(rule: str) -> None:
    """What happens before the first trial: a smaller team is refused, or the runtime dies."""
    if rule == "stints":
        print("stints: the runtime gave a team of 1", file=sys.stderr)
        sys.exit(3)
    if rule == "faints":
        os.abort()


def end_badly(rule: str) -> None:
    """What happens within a trial, after its seed was printed."""
    if rule.startswith(("keeps", "breaks", "collapses")):
        return
    import signal  # slow to load

    if rule == "hangs":
        signal.pause()
    if rule == "crashes":
        print("about to go\nfree(): invalid pointer", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGSEGV)
    if rule == "fills":
        print("fills: cannot write to standard output: No space left on device", file=sys.stderr)
        sys.exit(3)
    if rule == "tears":
        print('{"seed": 1, "verd', end="", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if rule == "misses":
        program, library = sys.argv[0], "version VERSION"
        print(
            f"{program}: symbol lookup error: undefined symbol: __kmpc_x, {library}",
            file=sys.stderr,
        )
        sys.exit(127)
    if rule == "gives-up":
        print(
            "[0.1] [FATAL] five dependences, /usr/src/a.c:7\nplease report this error",
            file=sys.stderr,
        )
        sys.exit(1)


def verdict(rule: str, threads: int, trial: int) -> str:
    if rule == "meets-once":  # on several threads, in one trial of all
        return "kept" if (threads, trial) == (4, 1) else "serialised"
    if rule in ("breaks-late", "collapses"):
        return "broken" if trial == 2 else "kept"
    known = {"breaks": "broken", "serialises": "serialised", "ignores": "ignored"}
    return known.get(rule, "kept")


REFUSALS = {
    "refuses": (3, "refuses: this is libomp, not libgomp"),
    "lacks": (3, "lacks: bolt (/b.so) cannot run this program: it lacks __kmpc_y"),
    "dates": (2, "dates: '--seconds' is not an option"),
    "ages": (1, "ages: /b.so: version `OMP_5.0.1' not found (required by ages)"),
}
HEEDED = ("OMP_WAIT_POLICY", "LD_LIBRARY_PATH")


def refuse(rule: str) -> int | None:
    """The status of a program that does not start; "shows" prints what it was started with.

    The runtime of "falls" dies when it is loaded.
    """
    if rule == "falls":
        os.abort()
    settings = " ".join(f"{name}={os.environ.get(name)}" for name in HEEDED)
    status, words = (REFUSALS | {"shows": (3, settings)}).get(rule, (None, ""))
    if status is not None:
        print(words, file=sys.stderr)
    return status


def main(name: str, *arguments: str) -> int:
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    threads, seed = int(options["--threads"]), int(options["--seed"])
    rule, _, count = name.partition("@")
    if count and int(count) != threads:
        rule = "keeps"
    refusal = refuse(rule)
    if refusal is not None:
        return refusal
    introduce(name, threads)
    if rule == "idles":
        return 0
    begin_team(rule)
    for trial in range(min(TRIALS, int(options["--trials"]))):
        say({"begin": seed + trial})
        end_badly(rule)
        seen = verdict(rule, threads, trial)
        say({"seed": seed + trial, "verdict": seen, "detail": "" if seen == "kept" else "saw it"})
        if rule == "collapses" and seen == "broken":
            os.abort()
        if seen == "broken":
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
