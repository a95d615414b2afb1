# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands of another copy of Pollux in one process: its modules are loaded once."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from forked import Ended

PROGRAM = """\
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pollux.core.start import main
for line in sys.stdin:
    sys.argv = ["pollux", *json.loads(line)]
    written = [TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with redirect_stdout(written[0]), redirect_stderr(written[1]):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    texts = [stream.buffer.getvalue().decode() for stream in written]
    print(json.dumps([status, *texts]), flush=True)
"""


@dataclass(frozen=True)
class Answering:
    """The process."""

    process: "subprocess.Popen[str]"

    def pollux(self, *arguments: object) -> Ended:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([*map(str, arguments)]), file=self.process.stdin, flush=True)
        return Ended(*json.loads(self.process.stdout.readline()))


@contextmanager
def answering(python: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[Answering]:
    """That of an interpreter, standing in a folder."""
    process = subprocess.Popen(
        [python, "-c", PROGRAM],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield Answering(process)
