# SPDX-License-Identifier: BSD-3-Clause
"""What decides which factors are right, where verified runs disagree: commands to paste."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.digests import matrix
from pollux.core.analysis.result import Disagreement
from pollux.core.campaign.variants import algorithm_of
from pollux.core.executables.arguments import arguments

OUTPUT = "sequential.jsonl"
BLAS = ("OPENBLAS_", "BLIS_", "MKL_")  # variables with these prefixes determine the factors too
NEAR = 16  # between two seeds, so that one command has both
SEQUENTIAL = "none of them is trusted until a sequential run decides which factors are right:"
FULL = (
    "none of them is trusted; no variant of {} is known to run without OpenMP, so repeat the runs "
    "with --check full (campaigns: --set check=full), which those that are wrong may fail"
)


def deciding_lines(dataset: Dataset, disagreements: Sequence[Disagreement]) -> Iterator[str]:
    """For everything that is not decided, what would decide it; commands are indented."""
    whole = dataset.whole or dataset
    works: dict[tuple[str, str], list[Disagreement]] = {}
    for d in disagreements:
        if d.right is None:
            works.setdefault((d.group, d.tiling), []).append(d)
    commands = []
    for (group, _), found in works.items():
        key, seeds = found[0].keys[0], [d.seed for d in found]
        own = own_parameters(whole, key)
        if own:
            yield FULL.format(f"{group} with {', '.join(own)}")
        elif group == algorithm_of(whole.configurations[key]):
            commands += [sequential_run(whole, key, *ends) for ends in spans(seeds)]
        else:
            yield FULL.format(group)
    if commands:
        yield SEQUENTIAL
        yield from (f"    {command}" for command in commands)
        yield f"    pollux compare {shlex.join(map(str, whole.paths))} {OUTPUT}"


def spans(seeds: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of seeds near each other: a run takes all that are between."""
    found: list[tuple[int, int]] = []
    for seed in sorted(seeds):
        if found and seed - found[-1][1] <= NEAR:
            found[-1] = found[-1][0], seed
        else:
            found.append((seed, seed))
    return found


def own_parameters(dataset: Dataset, key: str) -> list[str]:
    """The parameters that are not seen of all variants: the sequential one may lack them."""
    own = dataset.configurations[key]
    others = [
        dict(identity.parameters)
        for k, c in dataset.configurations.items()
        if algorithm_of(c) == algorithm_of(own) and c.variant != own.variant
        for identity in dataset.identities.get(k, [])
    ]
    names = dict(dataset.identities[key][0].parameters)
    return [name for name in names if not others or not all(name in other for other in others)]


def sequential_run(dataset: Dataset, key: str, first: int, last: int) -> str:
    """The variant without OpenMP on the same matrices, with the full check."""
    c, identity = dataset.configurations[key], dataset.identities[key][0]
    algorithm = algorithm_of(c)
    folder = Path(c.executable).parent if c.executable else Path("build/PRESET/bin")
    variables = [f"{n}={v}" for n, v in sorted(c.variables.items()) if n.startswith(BLAS)]
    options = arguments(
        variant="seq",
        size=identity.n,
        rows=identity.m if identity.m != identity.n else None,
        tile=identity.tile,
        inner=identity.ib,
        parameters=dict(identity.parameters),
        seed=first,
        repeat=last - first + 1,
        warmup=0,
        check="full",
    )
    kernels = ["--kernels", identity.kernels] if identity.kernels is not None else []
    given = matrix(c)
    options += [*kernels, *([] if given == "random" else ["--matrix", given])]
    command = [str(folder / algorithm), *options, "--output", OUTPUT]
    return shlex.join(["env", *variables, *command] if variables else command)
