#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A batch system in a folder, FAKE_BATCH: takes the commands of Slurm, PBS, LSF and Flux.

Options, output and messages are those of the real commands; an option that they lack is refused. A
job is a folder by its number: what it was submitted with, its state, and the jobs it waits for. It
runs where that is asked for (`run`), so that nothing depends on time. A file `trouble` in
FAKE_BATCH has what is to go wrong: `down` (the server does not answer, so many times) or `lost`
(the job is there, but the answer was lost).
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

DOWN = {
    "sbatch": (1, "sbatch: error: Batch job submission failed: Unable to contact slurm controller"),
    "squeue": (1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"),
    "qsub": (111, "Connection refused\nqsub: cannot connect to server pbs (errno=111)"),
    "qstat": (111, "Connection refused\nqstat: cannot connect to server pbs (errno=111)"),
    "bsub": (255, "LSF is down. Please wait ..."),
    "bjobs": (255, "LSF is down. Please wait ..."),
    "flux": (1, "flux: ERROR: Unable to connect to Flux: Connection refused"),
}
LOST = {
    "sbatch": (1, "sbatch: error: Batch job submission failed: Socket timed out on send/recv"),
    "qsub": (1, "qsub: Communication failure"),
    "bsub": (255, "Batch system daemon not responding ... still trying"),
    "flux": (1, "flux-batch: ERROR: [Errno 110] Connection timed out"),
}
STATES = {
    "squeue": {"queued": "PENDING", "running": "RUNNING"},
    "qstat": {"queued": "Q", "running": "R"},
    "bjobs": {"queued": "PEND", "running": "RUN"},
    "flux": {"queued": "SCHED", "running": "RUN"},
}
NUMBER = {
    "squeue": "SLURM_JOB_ID",
    "qstat": "PBS_JOBID",
    "bjobs": "LSB_JOBID",
    "flux": "FLUX_ENCLOSING_ID",
}
LISTING = {"sbatch": "squeue", "qsub": "qstat", "bsub": "bjobs", "flux": "flux"}
OWN = {"qstat": "{}.pbs01", "flux": "\N{LATIN SMALL LETTER F WITH HOOK}{}"}  # numbers as written


def folder() -> Path:
    return Path(os.environ["FAKE_BATCH"])


def jobs() -> list[Path]:
    return sorted((p for p in folder().iterdir() if p.is_dir()), key=lambda p: int(p.name))


def in_trouble(program: str) -> str | None:
    """What goes wrong with this call; it is counted."""
    path = folder() / "trouble"
    if not path.exists():
        return None
    kind, count = path.read_text().split()
    if kind == "lost" and program not in LOST:
        return None
    if int(count) > 1:
        path.write_text(f"{kind} {int(count) - 1}")
    else:
        path.unlink()
    return kind


def fail(status: int, text: str) -> None:
    print(text, file=sys.stderr)
    sys.exit(status)


def options_of(program: str, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The options that matter of a submission, and the script with its shell."""
    parser = argparse.ArgumentParser(prog=program, allow_abbrev=False)
    match program:
        case "sbatch":
            for name in ("job-name", "time", "output", "nodes", "open-mode", "nodelist"):
                parser.add_argument(f"--{name}")
            for flag in ("exclusive", "requeue", "parsable", "quiet"):
                parser.add_argument(f"--{flag}", action="store_true")
            parser.add_argument("--dependency", dest="after")
            parser.add_argument("--partition")
        case "qsub":
            parser.add_argument("-V", action="store_true")
            for letter in "Nrjoq":
                parser.add_argument(f"-{letter}")
            parser.add_argument("-l", action="append")
            parser.add_argument("-W", dest="after")
        case "bsub":
            for flag in ("x", "r"):
                parser.add_argument(f"-{flag}", action="store_true")
            for letter in "JWomnqR":
                parser.add_argument(f"-{letter}")
            parser.add_argument("-w", dest="after")
        case "flux":
            for name in ("job-name", "time-limit", "output", "nodes", "requires", "queue"):
                parser.add_argument(f"--{name}")
            parser.add_argument("--exclusive", action="store_true")
            parser.add_argument("--dependency", dest="after")
    parser.add_argument("script", nargs=argparse.REMAINDER)
    found = vars(parser.parse_args(words))
    return found, found.pop("script")


def submit(program: str, words: list[str]) -> None:
    options, script = options_of(program, words)
    trouble = in_trouble(program)
    if trouble == "down":
        fail(*DOWN[program])
    number = len(jobs()) + 1
    job = folder() / str(number)
    job.mkdir()
    after = re.findall(r"[0-9]+", options["after"] or "")
    contents = {"program": program, "options": options, "script": script, "after": after}
    (job / "job").write_text(json.dumps(contents))
    (job / "state").write_text("queued")
    if trouble == "lost":
        fail(*LOST[program])
    written = OWN.get(LISTING[program], "{}").format(number)
    said = {
        "sbatch": f"Submitted batch job {number}",
        "bsub": f"Job <{number}> is submitted to default queue <normal>.",
    }
    if options.get("parsable"):
        print(f"{number};cluster")
    elif not options.get("quiet"):
        print(said.get(program, written))


def listing(program: str) -> None:
    if in_trouble(program) == "down":
        fail(*DOWN[program])
    alive = [
        (job.name, state) for job in jobs() if (state := (job / "state").read_text()) != "ended"
    ]
    if program == "bjobs" and not alive:
        fail(255, "No unfinished job found")
    if program == "qstat" and alive:
        print("Job id            Name             User              Time Use S Queue")
        print("----------------  ---------------- ----------------  -------- - -----")
    for number, state in alive:
        written, letter = OWN.get(program, "{}").format(number), STATES[program][state]
        if program == "squeue":
            print(f"{number}|{letter}|{'Priority' if state == 'queued' else 'None'}")
        elif program == "qstat":
            print(f"{written}   pollux-trial-1   user              00:00:01 {letter} workq")
        else:
            print(f"{written}|{letter}")


def log_of(options: dict[str, Any], number: str) -> Path:
    """The file of a job's output, as Slurm and LSF fill in its name."""
    text = str(options.get("output") or options["o"])
    return Path(re.sub("%([%jJ])", lambda found: "%" if found[1] == "%" else number, text))


def run(number: str) -> None:
    """Run a job to its end, as the node does."""
    job = folder() / number
    contents = json.loads((job / "job").read_text())
    for other in contents["after"]:
        assert (folder() / other / "state").read_text() == "ended"
    (job / "state").write_text("running")
    program = LISTING[contents["program"]]
    own = {NUMBER[program]: OWN.get(program, "{}").format(number)}
    words = contents["script"]
    if program == "bjobs":
        words = ["sh", "-c", " ".join(words)]
    with log_of(contents["options"], number).open("ab") as file:
        ended = subprocess.run(
            words,
            env={**os.environ, **own},
            stdout=file,
            stderr=file,
            check=False,
        )
    (job / "state").write_text("ended")
    sys.exit(ended.returncode)


def main() -> None:
    program, words = sys.argv[1], sys.argv[2:]
    if program == "flux":
        words = words[1:] if words[0] == "--parent" else words
        if words[0] == "batch":
            submit(program, words[1:])
        else:
            listing(program)
    elif program in STATES:
        listing(program)
    elif program == "run":
        run(words[0])
    else:
        submit(program, words)


if __name__ == "__main__":
    main()
