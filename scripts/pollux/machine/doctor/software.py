# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what can be measured: the builds, the BLAS they load, and runtimes for them."""

from collections.abc import Sequence
from pathlib import Path

from pollux.core.advice import build_command, rebuild_command
from pollux.core.executables.trees import where
from pollux.machine.doctor.builds import Blas, Build, Trial, find_builds
from pollux.machine.doctor.finding import Finding, bad, caution, good, not_applicable, unknown
from pollux.machine.doctor.machine import Machine

# Kernel sets of OpenBLAS for x86-64 (common/identity/blas_identity.c), by what they use at most.
BELOW_AVX2 = frozenset(
    "generic prescott katmai coppermine northwood banias yonah core2 penryn dunnington nehalem "
    "athlon opteron opteron_sse3 barcelona bobcat nano atom sandybridge bulldozer piledriver "
    "steamroller".split()
)
AVX2 = frozenset("haswell zen excavator".split())
OPENBLAS = "OpenBLAS"
AVX2_FLAGS = frozenset("avx2 fma".split())
AVX512_FLAGS = frozenset("avx512f avx512dq avx512bw avx512vl".split())
SERVED = ("libgomp", "libomp")  # what scripts/build makes without options
LOADER = ("LD_PRELOAD", "LD_LIBRARY_PATH")  # they bring other libraries in (ld.so(8))


def builds(machine: Machine) -> Finding:
    found = find_builds(machine)
    if not found:
        text = f"no executables in {where(machine.build_root)}"
        return bad(text, "nothing is built", build_command(*SERVED))
    text = "\n".join(f"{build.name}: {described(build)}" for build in found)
    broken = {b.name: b.tree for b in found if b.measures and (b.problems or b.missing)}
    if broken:
        preloaded = " ".join(name for name in LOADER if machine.environment.get(name))
        command = f"unset {preloaded}" if preloaded else rebuild_command(broken)
        return bad(text, f"builds that do not run: {' '.join(broken)}", command)
    runtimes = {b.trial.runtime.path: b.trial.runtime.name for b in found if b.trial and b.measures}
    if len(runtimes) < 2:
        others = [name for name in SERVED if name not in runtimes.values()]
        return caution(text, "nothing to compare with", build_command(others[0]))
    return good(text)


def described(build: Build) -> str:
    """Runtime, compiler and variants of a build, or what is wrong with it."""
    parts = [*build.problems]
    if build.missing:
        parts.append(f"lacks {', '.join(build.missing)}")
    if build.trial:
        runtime, compiler = build.trial.runtime, build.trial.compiler
        parts.append(f"{runtime.name} {runtime.version or ''}".strip())
        version = compiler.version.split("(")[0].strip()
        parts.append(version if compiler.name in version.lower() else f"{compiler.name} {version}")
    if not build.measures:
        parts.append(f"{build.type or 'no build type'}: not for measuring")
    available = [v for v in build.variants if v.available]
    if build.variants:
        parts.append(f"{len(available)} of {len(build.variants)} variants")
    parts += [
        f"no {v.benchmark} {v.variant} ({v.reason or v.needs or 'no reason given'})"
        for v in build.variants
        if not v.available
    ]
    if build.trial and (write := build.trial.concurrent_write):
        substitute = f"replaced by {write.clause}"
        parts.append(f"concurrent write {'native' if write.native else substitute}")
    return ", ".join(parts)


def blas(machine: Machine) -> Finding:
    """The kernels of each library; those of OpenBLAS are held against the processor."""
    measured = [(b, b.trial) for b in find_builds(machine) if b.trial and b.measures]
    if not measured:
        return unknown("no build to ask")
    found = "; ".join(dict.fromkeys(blas_text(trial.blas) for _, trial in measured))
    if trees := of_differing_kernels(measured):
        # One shell, one processor: they load different libraries. Building finds one for all.
        return bad(found, "builds use different BLAS kernels", rebuild_command(trees))
    trial = next((t for _, t in measured if t.blas.library == OPENBLAS), None)
    return good(found) if trial is None else openblas(machine, trial, found)


def of_differing_kernels(measured: Sequence[tuple[Build, Trial]]) -> dict[str, Path]:
    """The builds of a library, by label, that have several versions or kernel sets of it."""
    kernels: dict[str, set[tuple[str | None, str | None]]] = {}
    for _, trial in measured:
        kernels.setdefault(trial.blas.library, set()).add((trial.blas.version, trial.blas.core))
    return {b.name: b.tree for b, trial in measured if len(kernels[trial.blas.library]) > 1}


def openblas(machine: Machine, trial: Trial, found: str) -> Finding:
    """Whether the kernels of OpenBLAS, which the shell can choose, fit the processor."""
    core = trial.blas.core or ""
    asked = machine.environment.get("OPENBLAS_CORETYPE")
    repaired = trial.runtime.env_set.get("OPENBLAS_CORETYPE")
    if repaired:
        found += f"; its own choice does not fit this processor: executables ask for {repaired}"
    better = better_core(core, machine.flags)
    if better is None:
        return good(found)
    command = "unset OPENBLAS_CORETYPE" if asked else f"export OPENBLAS_CORETYPE={better}"
    brief = f"BLAS kernels {core} on a processor for {better}"
    verdict = bad if core.lower() in BELOW_AVX2 else caution
    return verdict(f"{found}; {better} would fit", brief, command)


def blas_text(found: Blas) -> str:
    version, core = found.version or "of unknown version", found.core or "unknown"
    return f"{found.library} {version}, {core} kernels, {found.threading} build"


def better_core(core: str, flags: frozenset[str]) -> str | None:
    """A kernel set that fits the processor better.

    Executables replace only kernels below AVX2 on a processor that has it (blas_core_for).
    """
    name = core.lower()
    if name in BELOW_AVX2 | AVX2 and flags >= AVX512_FLAGS:
        return "SkylakeX"
    if name in BELOW_AVX2 and flags >= AVX2_FLAGS:
        return "Haswell"
    return None


def other_runtimes(machine: Machine) -> Finding:
    """Runtime libraries that a build could be run under, but those it loads anyway."""
    loaded = {b.trial.runtime.path for b in find_builds(machine) if b.trial}
    files = [path for path in map(str, machine.runtime_files()) if path not in loaded]
    return good("\n".join(files)) if files else not_applicable("none except those that builds load")
