# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a campaign's file besides its grids: runtimes, blocks, and jobs that run it."""

from typing import Literal, Self

from pydantic import Field, model_validator

from pollux.core.batch.systems import SYSTEMS
from pollux.core.campaign.values import Label, Line, Share, Span, Variables
from pollux.core.limits import SECONDS_MAX
from pollux.core.models import Table
from pollux.core.runtimes.names import RUNTIMES

JOBS_MAX = 1000


class Runtime(Table):
    """An OpenMP runtime: a build, and optionally another library that its executables run under."""

    preset: Label = Field(description="Build whose executables are run: its folder in build/.")
    library: Line | None = Field(
        default=None,
        min_length=1,
        description="Runtime library to load instead of the one the build was linked with: a "
        "path, a pattern that one file matches, a file name found as the dynamic linker would, "
        "or a label that `pollux runtimes` lists. A relative path is relative to the campaign "
        "file's folder.",
    )
    expect: Literal[RUNTIMES] | None = Field(  # type: ignore[valid-type]
        default=None,
        description="Runtime that this library is, as records name it; default: deduced from the "
        "library's file name.",
    )
    variables: Variables = Field(
        default={}, description="Environment variables of this runtime's processes only."
    )
    optional: bool = Field(
        default=False,
        description="Left out, with a message, where its build or library is missing.",
    )


class Blocks(Table):
    """Runs between two calibrations: a block that was disturbed is repeated as a whole."""

    seconds: float = Field(
        default=20.0, gt=0, le=86400, description="Length of a block to aim for, in s."
    )
    calibration_margin: Share = Field(
        default=0.10,
        description="A block is disturbed if a calibration before or after it is slower than the "
        "campaign's median by more than this share, or the two differ by more.",
    )
    foreign_cpu: Share = Field(
        default=0.10,
        description="A block is disturbed if other processes used more than this share of the "
        "processors' time.",
    )
    repeat_budget: Share = Field(
        default=0.50,
        description="Samples that may be repeated because of disturbed blocks, as a share of "
        "those planned.",
    )


class Submit(Table):
    """Jobs of a batch system that run the campaign."""

    system: Literal[tuple(SYSTEMS)] = Field(  # type: ignore[valid-type]
        description="The batch system: slurm, pbs, lsf or flux."
    )
    time: Span = Field(
        ge=1,
        le=SECONDS_MAX,
        description='Time limit of a job, such as "1h". A job that reaches it submits the next '
        "one, which goes on.",
    )
    margin: Span | None = Field(
        default=None,
        ge=0,
        le=SECONDS_MAX,
        description="Time at the end of a job in which nothing is measured; default: a tenth of "
        "`time`, from 10 s to 2 min.",
    )
    jobs: int = Field(
        default=1,
        ge=1,
        le=JOBS_MAX,
        description="Jobs at a time, each on a node, with a file of records of its own.",
    )
    cells: Literal["dealt", "all"] = Field(
        default="dealt",
        description='What each of several jobs runs: "dealt", its share of the cells, or "all" of '
        "them, which shows how nodes differ.",
    )
    options: list[Line] = Field(
        default=[], description='Further options of the system\'s command, such as "--partition=x".'
    )
    setup: list[Line] = Field(
        default=[],
        description="Commands of bash before each job, a line each, such as "
        '"module load gcc"; one that fails ends the job.',
    )

    @model_validator(mode="after")
    def check_margin(self) -> Self:
        if self.margin is not None and self.margin >= self.time:
            raise ValueError("`margin` must be shorter than `time`")
        return self
