# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of one node on this machine, in a folder of its own, with munge for its messages.

It needs root, and Debian's packages slurm-wlm and munge.
"""

import os
import secrets
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from math import inf
from pathlib import Path

PORT = 26817  # of the controller; the daemon of the node has the next one
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
SECONDS = 30.0  # until what was asked of it must have happened
PERIOD = 0.2  # seconds between two looks
CONFIGURATION = """\
ClusterName=trial
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller}
SlurmdPort={node}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=5
MinJobAge=300
ReturnToService=2
NodeName=trial-node NodeHostname=localhost NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """The programs that this machine lacks."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


class SlurmNode:
    """The daemons; leaving its context ends them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "munge", "spool"):
            (folder / name).mkdir(exist_ok=True)
        key = folder / "munge/key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        text = CONFIGURATION.format(
            folder=folder, controller=PORT, node=PORT + 1, cpus=os.cpu_count()
        )
        (folder / "slurm.conf").write_text(text)
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def __enter__(self) -> "SlurmNode":
        try:
            self.begin()
        except BaseException:  # those that have started would stay, and keep their ports
            self.__exit__()
            raise
        return self

    def begin(self) -> None:
        munge = self.folder / "munge"
        files = [f"--{name}-file={munge}/{name}" for name in ("key", "pid", "seed", "log")]
        self.start("munged", "--foreground", "--force", f"--socket={munge}/socket", *files)
        self.until("munge's socket", (munge / "socket").exists)
        self.start_controller()
        self.start("slurmd", "-D", "-N", "trial-node", "-f", str(self.folder / "slurm.conf"))
        self.until("the node is idle", lambda: "idle" in self.said("sinfo", "-h", "-o", "%T"))

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self.running)):
            self.stop(name)

    def start(self, name: str, *options: str) -> None:
        path = shutil.which(name) or name
        log = (self.folder / f"{name}.output").open("ab")
        self.running[name] = subprocess.Popen(
            [path, *options], stdout=log, stderr=log, start_new_session=True
        )

    def stop(self, name: str, number: int = signal.SIGTERM) -> None:
        process = self.running.pop(name)
        process.send_signal(number)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def start_controller(self) -> None:
        self.start("slurmctld", "-D", "-f", str(self.folder / "slurm.conf"))
        self.until("the controller answers", lambda: bool(self.said("sinfo", "-h")))

    def said(self, *command: str) -> str:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended.stdout if ended.returncode == 0 else ""

    def until(self, what: str, holds: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait until it holds; TimeoutError where it does not within the time."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds:.0f} s: {what}")
            self.watch(PERIOD)

    def watch(self, seconds: float) -> None:
        """The daemons for so long; RuntimeError where one of them ends."""
        with ExitStack() as stack:
            ends = {os.pidfd_open(each.pid): name for name, each in self.running.items()}
            for descriptor in ends:
                stack.callback(os.close, descriptor)
            ended, _, _ = select.select([*ends], [], [], seconds)
        if ended:
            names = ", ".join(ends[descriptor] for descriptor in ended)
            raise RuntimeError(f"{names} has ended; its output is in {self.folder}")

    def running_job(self) -> str | None:
        """The number of a job that runs."""
        return self.said("squeue", "-h", "-t", "R", "-o", "%i").strip().partition("\n")[0] or None

    def seconds_left(self) -> float:
        """Of the job that runs, before Slurm ends it; infinite where there is none."""
        end = self.said("squeue", "-h", "-t", "R", "-o", "%e").strip().partition("\n")[0]
        return datetime.fromisoformat(end).timestamp() - time.time() if end else inf
