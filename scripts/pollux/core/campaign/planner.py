# SPDX-License-Identifier: BSD-3-Clause
"""Makes the configurations of a campaign: the grid expanded, each checked and completed."""

from collections import defaultdict
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from pollux.core.campaign.axes import options_of, variables_of
from pollux.core.campaign.choices import NO_BENCHMARK
from pollux.core.campaign.grid import (
    count,
    is_sequential,
    matches,
    mixed_sets,
    parts,
    points,
    runtimes_of,
)
from pollux.core.campaign.grid_check import GridCheck, unless_overridden
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.model import Axes, Campaign
from pollux.core.campaign.needs import with_needs
from pollux.core.campaign.runtimes import runtime_variables
from pollux.core.campaign.tuned import Entry, Target, by_target, lookup
from pollux.core.campaign.values import ranks_in
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.builds import find_tool
from pollux.core.executables.launcher import Launcher
from pollux.core.executables.listing import Asked, CrashedError, Executables, unable
from pollux.core.executables.parameters import own_parameters
from pollux.core.executables.variables import binding, fitting_threads, threads_of_environment
from pollux.core.executables.variants import why_not
from pollux.core.limits import CONFIGURATIONS_MAX, RUNS_MAX
from pollux.core.listings import Listing, Quantity, Variant
from pollux.core.runtimes.found import DROP_INS
from pollux.core.runtimes.library import find_library
from pollux.core.shares import shown
from pollux.core.text import first_lines
from pollux.core.tiles import FASTEST, Tile

ALL = "all"  # quantities
NO_PRIORITY = "no-priority"  # option of benchmarks whose tasks have priorities


def is_to_be_decided(quantity: Quantity, asked: list[str] | None) -> bool:
    """By the names that are asked for; without any, the terms."""
    return quantity.term if asked is None else ALL in asked or quantity.quantity in asked


class Planner:
    """Makes the configurations of one campaign."""

    def __init__(self, campaign: Campaign, executables: Executables, state: Path) -> None:
        self.campaign = campaign
        self.executables = executables
        self.state = state
        self.parts = [p for p in parts(campaign) if p.axes.benchmark != [NO_BENCHMARK]]
        presets = tuple(campaign.runtimes[label].preset for label in self.labels())
        self.benchmarks = Benchmarks(executables, presets)
        self.answers: dict[tuple[str, str], Asked] = {}
        self.fitting_threads = fitting_threads()  # read once, from many small files
        self.launcher = self.find_launcher()
        self.variables = {label: self.prepare_runtime(label) for label in self.labels()}
        self.lacking = self.without_priorities_in_force()
        self.without_priorities = campaign.priorities == "off" or bool(self.lacking)

    def terms(self, campaign: Campaign) -> dict[str, list[str]]:
        """The further quantities of each benchmark that the campaign is to decide."""
        asked, line = campaign.decide, partial(campaign.source.problem, ("decide",))
        if campaign.until_decided is None:
            for key, message in campaign.without_use():
                raise campaign.source.problem(key, message)
            return {}
        names = dict.fromkeys(
            chain.from_iterable(p.benchmarks(self.benchmarks) for p in self.parts)
        )
        listed = {name: self.benchmarks.listing(name).quantities for name in names}
        known = list(dict.fromkeys(q.quantity for own in listed.values() for q in own))
        if wrong := next((name for name in asked or [] if name not in (*known, ALL)), None):
            raise line(f"{shown(wrong)} is no quantity here; choose from {', '.join(known)}, {ALL}")
        return {
            name: [q.quantity for q in own[1:] if is_to_be_decided(q, asked)]
            for name, own in listed.items()
        }

    def find_launcher(self) -> Launcher:
        """What starts the processes of runs; MachineError where it is not here."""
        text = self.campaign.launcher
        launcher = Launcher() if text is None else Launcher.parse(text)
        if (program := launcher.missing()) is not None:
            message = f"{shown(program)} is not a program that can be found"
            raise MachineError(self.campaign.source.line(("launcher",), message))
        return launcher

    def labels(self) -> list[str]:
        """The runtimes that the grids use."""
        used = {label for part in self.parts for label in runtimes_of(self.campaign, part.axes)}
        return [label for label in self.campaign.runtimes if label in used]

    def prepare_runtime(self, label: str) -> dict[str, str]:
        """The variables of a runtime, those that load its library included."""
        runtime = self.campaign.runtimes[label]
        key = ("runtimes", label, "library")
        source = self.campaign.source
        try:
            return runtime_variables(runtime, source.folder(key), self.state / DROP_INS)
        except ValueError as error:
            raise source.problem(key, str(error)) from error

    def without_priorities_in_force(self) -> list[str]:
        """The runtimes for whose sake `priorities = "equal"` switches priorities off."""
        if self.campaign.priorities != "equal":
            return []
        every = chain.from_iterable(part.benchmarks(self.benchmarks) for part in self.parts)
        heeding = (b for b in every if self.benchmarks.listing(b).has(NO_PRIORITY))
        if (benchmark := next(heeding, None)) is None:
            return []
        answers = {label: self.ask(label, benchmark) for label in self.variables}
        return [label for label, asked in answers.items() if not asked.priorities_in_force]

    def ask(self, label: str, benchmark: str) -> Asked:
        """What a benchmark's executable reports about itself under a runtime."""
        if (label, benchmark) not in self.answers:
            self.answers[label, benchmark] = self.first_answer(label, benchmark)
        return self.answers[label, benchmark]

    def first_answer(self, label: str, benchmark: str) -> Asked:
        runtime = self.campaign.runtimes[label]
        executable = self.executables.path(runtime.preset, benchmark)
        try:
            asked = self.executables.ask(executable, self.variables[label])
        except CrashedError as error:
            return unable(executable, self.benchmarks.listing(benchmark), error.format_message())
        except (BadUsageError, MachineError) as error:
            raise self.runtime_problem(label, error.format_message()) from error
        if runtime.library is not None:
            self.check_library(label, executable, asked.runtime)
        return asked

    def runtime_problem(self, label: str, message: str) -> MachineError:
        return MachineError(self.campaign.source.line(("runtimes", label), message))

    def check_library(self, label: str, executable: Path, loaded: Path | None) -> None:
        """The library that a campaign names is the one that is loaded, whatever its name."""
        key = ("runtimes", label, "library")
        source = self.campaign.source
        library = find_library(self.campaign.runtimes[label].library or "", source.folder(key))
        if loaded is None or not (loaded.exists() and loaded.samefile(library)):
            message = f"{executable} loads {loaded or 'another runtime'} instead of {library}"
            raise MachineError(source.line(key, message))

    def files(self, point: Configuration) -> dict[str, str]:
        """The files that a run of a configuration loads, with their SHA-256."""
        preset = self.campaign.runtimes[point.runtime].preset
        executable = self.executables.path(preset, point.benchmark)
        if self.ask(point.runtime, point.benchmark).crashed:
            return {}
        return self.executables.files(executable, self.variables[point.runtime])

    def variants(self, benchmark: str) -> dict[str, dict[str, Variant]]:
        """The variants of a benchmark by name, for each runtime."""
        return {
            label: {v.variant: v for v in self.ask(label, benchmark).variants}
            for label in self.variables
        }

    def expand(self) -> list[Configuration]:
        """The points of all grids, without those that are excluded."""
        checked = GridCheck(self.campaign.source, self.parts, self.benchmarks, self.known_variants)
        if wrong := checked.problems():
            raise BadUsageError("\n".join(wrong))
        variants = [
            {b: self.known_variants(b) for b in part.benchmarks(self.benchmarks)}
            for part in self.parts
        ]
        self.check_count(variants)
        found: dict[tuple[object, ...], Configuration] = {}
        for part, known in zip(self.parts, variants, strict=True):
            new = {c.name(): c for c in points(self.campaign, part, self.benchmarks, known)}
            if part.key[0] == "include" and new.keys() <= found.keys() and self.is_whole(part.axes):
                wrong += unless_overridden(
                    self.campaign.source, part.key, "adds no new configuration"
                )
            found |= without(new, found)
        kept = self.exclude(list(found.values()), wrong)
        wrong += [self.campaign.source.line(("grid",), text) for text in mixed_sets(kept)]
        if wrong:
            raise BadUsageError("\n".join(wrong))
        if not kept:
            raise self.campaign.source.problem(("grid",), "nothing is left to run")
        return kept

    def check_count(self, variants: list[dict[str, list[str]]]) -> None:
        """Refuse grids that are too large, before they are expanded."""
        source, processes = self.campaign.source, self.campaign.processes
        several = zip(self.parts, variants, strict=True)
        points = sum(count(self.campaign, part, self.benchmarks, known) for part, known in several)
        if points > CONFIGURATIONS_MAX:
            message = f"{points} configurations are too many; at most {CONFIGURATIONS_MAX} are run"
            raise source.problem(("grid",), message)
        if points * processes > RUNS_MAX:
            message = (
                f"{points} configurations with {processes} processes each are too many runs; at "
                f"most {RUNS_MAX} are possible"
            )
            raise source.problem(("processes",), message)

    def known_variants(self, benchmark: str) -> list[str]:
        """The names that a benchmark has on any runtime."""
        return list(dict.fromkeys(n for names in self.variants(benchmark).values() for n in names))

    def exclude(self, found: list[Configuration], wrong: list[str]) -> list[Configuration]:
        """Leave out what rules match; a rule that matches nothing is probably a mistake."""
        for index, rule in enumerate(self.campaign.exclude):
            if not any(matches(rule, c) for c in found) and self.is_whole(rule):
                wrong += unless_overridden(
                    self.campaign.source, ("exclude", index), "matches no configuration"
                )
        return [c for c in found if not any(matches(r, c) for r in self.campaign.exclude)]

    def is_whole(self, axes: Axes) -> bool:
        """Whether none of the runtimes that a table names was left out."""
        return {*(axes.runtime or [])} <= {"all", *self.campaign.runtimes}

    def complete(
        self, expanded: list[Configuration]
    ) -> tuple[list[Configuration], list[tuple[Configuration, str]]]:
        """Determine how each configuration is run, and which cannot be run."""
        able, unable, untuned = [], [], []
        for point in expanded:
            asked = self.ask(point.runtime, point.benchmark)
            variant = next((v for v in asked.variants if v.variant == point.variant), None)
            preset = self.campaign.runtimes[point.runtime].preset
            missing = (
                f"the build {preset} has no variant of this name"
                if variant is None
                else why_not(asked.listing, variant, point.kernels)
            )
            runnable = missing is None
            wanted = runnable and point.tile_asked == "tuned"
            tuned = self.tuned_tile(point, asked.listing) if wanted else None
            if runnable and point.tile_asked == "tuned" and tuned is None:
                untuned.append(self.untuned(point))
            done = self.command(point, asked, variant, tuned)
            if missing is None:
                able.append(done)
            else:
                unable.append((done, missing))
        if untuned:
            raise BadUsageError("\n".join(first_lines(list(dict.fromkeys(untuned)))))
        self.check_runtimes(expanded)
        return with_needs(able, self.campaign.check), unable

    def check_runtimes(self, expanded: list[Configuration]) -> None:
        """Refuse a runtime under which every executable crashes: it is not set up rightly."""
        asked: dict[str, dict[str, Asked]] = defaultdict(dict)
        for point in expanded:
            asked[point.runtime][point.benchmark] = self.ask(point.runtime, point.benchmark)
        for label, answers in asked.items():
            if all(answer.crashed for answer in answers.values()):
                first = next(iter(answers.values())).variants[0]
                raise self.runtime_problem(label, first.reason or "")

    @cached_property
    def tuned(self) -> dict[Target, list[Entry]]:
        """All that was tuned, read once for all configurations."""
        return by_target(self.state / "tuned.json")

    def tuned_tile(self, point: Configuration, listing: Listing) -> tuple[Tile, int | None] | None:
        """What was tuned for the runtime's label, or else for its build."""
        labels = (point.runtime, self.campaign.runtimes[point.runtime].preset)
        own = {name: [value] for name, value in point.parameters.items()}
        threads = point.threads or threads_of_environment(self.variables_of(point))
        found = (
            lookup(
                self.tuned,
                benchmark=point.benchmark,
                variant=point.variant,
                kernels=point.kernels,
                size=point.size,
                parameters=own_parameters(listing, point.variant, own)[0],
                threads=threads,
                runtime=label,
            )
            for label in labels
        )
        return next((tile for tile in found if tile is not None), None)

    def untuned(self, point: Configuration) -> str:
        """What to do about a tile size that has not been tuned."""
        number = point.threads or threads_of_environment(self.variables_of(point))
        threads = f" --threads {number}" if number else ""
        own = point.own_words.replace(" ", ",")
        preset = self.campaign.runtimes[point.runtime].preset
        message = (
            f"no tuned tile for {point.benchmark} {point.variant}, {point.kernels} kernels, "
            f"N = {point.size}{f', {own}' if own else ''}, on {point.runtime}; run: "
            "pollux tune --benchmark "
            f"{point.benchmark} --variant {point.variant} --kernels {point.kernels} "
            f"--size {point.size}{f' --parameters {own}' if own else ''}{threads} "
            f"--runtime {preset}"
        )
        return self.campaign.source.line(("grid", "tile"), message)

    def command(
        self,
        point: Configuration,
        asked: Asked,
        variant: Variant | None,
        tuned: tuple[Tile, int | None] | None,
    ) -> Configuration:
        """A point with the executable, arguments and variables that it stands for."""
        runtime = self.campaign.runtimes[point.runtime]
        tile, inner = tuned or (point.tile, None)
        variables = self.variables_of(point)
        threads = point.threads or threads_of_environment(variables) or self.fitting_threads
        return point.model_copy(
            update={
                "tile": tile,
                "seed": self.campaign.seed,
                "digest_group": variant.digest_group if variant else None,
                "arguments": self.arguments(point, tile, point.inner or inner),
                "executable": str(self.executables.path(runtime.preset, point.benchmark)),
                "launcher": self.launcher.before({"threads": threads, "ranks": self.ranks(point)}),
                "variables": variables,
                "builds": asked.builds,
                "files": self.files(point),
                "algorithm": asked.listing.algorithm,
                "default_variant": asked.listing.default_variant,
            }
        )

    def ranks(self, point: Configuration) -> int:
        """The processes of a run; several have to be started by the launcher."""
        ranks = ranks_in(point.settings.get("grid"))
        if ranks > 1 and not self.launcher.starts("ranks"):
            message = (
                f"{point.settings['grid']} are {ranks} ranks, which a launcher has to start: give "
                'one, such as launcher = "mpirun -n {ranks}"'
            )
            raise self.campaign.source.problem(("grid", "grid"), message)
        return ranks

    def arguments(self, point: Configuration, tile: Tile | None, inner: int | None) -> list[str]:
        """The executable's arguments, all but the seed."""
        campaign = self.campaign
        listing = self.benchmarks.listing(point.benchmark)
        alone = point.threads == 1 and is_sequential(listing, point.variant)
        return arguments(
            variant=point.variant,
            kernels=point.kernels,
            size=point.size if listing.has("size") else None,
            rows=point.rows,
            tile=FASTEST if point.tile_asked == FASTEST else tile,
            inner=inner,
            parameters=point.parameters,
            threads=None if alone else point.threads,
            settings=options_of(point.settings),
            repeat=campaign.repetitions,
            warmup=campaign.warmup,
            check=campaign.check if listing.has("check") else None,
            format="json",
            no_priority=self.without_priorities and listing.has(NO_PRIORITY),
        )

    def variables_of(self, point: Configuration) -> dict[str, str]:
        """Those of the environment that the campaign sets."""
        return {
            **self.environment(point.environment),
            **variables_of(point.settings),
            **self.variables[point.runtime],
        }

    def environment(self, name: str) -> dict[str, str]:
        """The variables of an environment; binding variables set in the user's shell are kept."""
        return {**binding(), **self.campaign.environments.get(name, {})}

    def calibration(self) -> Path | None:
        """The calibration program of the reference's build, or of the first that has one."""
        labels = [self.campaign.reference_runtime(), *self.variables]
        presets = [self.campaign.runtimes[label].preset for label in labels]
        return find_tool(self.executables.build_root, presets, "calibration")


def without(
    new: dict[tuple[object, ...], Configuration], old: dict[tuple[object, ...], Configuration]
) -> dict[tuple[object, ...], Configuration]:
    return {name: c for name, c in new.items() if name not in old}
