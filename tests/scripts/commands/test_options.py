# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501 (a table)
"""The command line as a whole: names of options, help, and what help does not load."""

import re
import subprocess
import sys
from collections import defaultdict

import pytest
import typer
from pollux.core.cli import app
from project import POLLUX
from typer.core import TyperOption

GROUP = typer.main.get_command(app)
COMMANDS = GROUP.commands  # type: ignore[attr-defined]

# Every option, with what it means, and the commands that take it. What means the same has one row.
TABLE = """
--alone           traces of one thread                     explain
--against         results that new ones are compared with  conform
--as              name of a library that is added          runtimes
--apart           one process after the other              run
--attach          follow the jobs that there are           run
--bad             commit that is slow                      bisect
--bandwidth       memory that simulated workers share      simulate
--benchmark       benchmarks                               bisect compare energy plot run tune
--budget          time until all has to be decided         bisect diff explain run
--build           what builds a commit                     bisect
--build-limit     time that a build may take               bisect
--build-root      where builds are                         bisect builds conform diff doctor explain gantt graph power run runtimes simulate tune
--by              axis that is compared                    compare report run
--check           look for missing dependences             graph
--conformance     where conformance results are kept       conform report
--cpu             processors whose levers are set          levers
--creation        cost of creating a task                  simulate
--cstates         idle states                            run
--decide          further quantities that are decided  run
--dispatch        cost of starting a task                  simulate
--document        write the page of results                conform
--dry-run         plan only                                run
--duration        time until the last sample               power
--epp             energy-performance preferences         run
--explain         time to measure what a commit changed    bisect
--expect          failures that are expected               conform
--fail-if-slower  gate                                     compare run
--format          form of the output                       builds compare conform diff doctor energy explain gantt graph levers plot runtimes simulate tune watch
--fresh           put earlier records aside                run
--from            begin of the time that is drawn          gantt
--gantt           chart of simulated schedules             simulate
--good            commit that is fast                      bisect
--governor        CPUFreq governors                      run
--graph           task graphs that are read                explain gantt graph simulate
--grid            grid of simulated nodes                  simulate
--heights         heights of tiles to choose from          tune
--hold            keep levers set until interrupted        levers
--ideal           tasks that cost nothing                  simulate
--inner           inner blocks                             explain gantt graph simulate tune
--interval        time between samples                     power
--junit           results as JUnit XML                     conform
--job             what a job is to do                      run
--kernels         kernel sets                              compare explain gantt graph plot run simulate tune
--kind            kinds of figures                         plot
--label           titles of runs                           gantt
--long            a line for each comparison              compare
--latency         latency of a simulated network           simulate
--library         what a commit's build makes              bisect
--measure         build whose kernels are timed            simulate
--median          the run of median time stands for all    gantt
--meter           meters and timelines of power            compare energy gantt plot report
--metric          figure that is compared                  compare
--network-bandwidth  bandwidth of a simulated network      simulate
--no-prediction   leave the simulation out                 diff
--no-rules        leave conformance out                    diff
--nodes           numbers of simulated nodes               simulate
--ompt            observe the creation of tasks            explain
--output          where the output goes                    compare conform diff energy explain gantt graph plot power report run simulate tune watch
--overheads       records of a runtime's costs             simulate
--own-times       each call's own time                     simulate
--parameters      benchmarks' own parameters               explain gantt graph run simulate tune
--plain           progress for logs                        run
--plot            picture of the explanation               explain
--policy          scheduling policy                        simulate
--power           samples of power beside a campaign     run
--preload         library between runtime and program      bisect
--preset          build whose executables are run          bisect
--processors      processors that simulated nodes share    simulate
--quiet           no progress                              run
--rates           rates of kernels                         simulate
--reason          why a base line is moved                 watch
--reference       what others are compared with            compare plot report run
--relevant        least difference that matters            bisect compare diff watch
--quantity        times of micro-benchmarks                compare
--report          write the page afterwards                run
--repository      git repository                           bisect
--resume          records of an interrupted search         tune
--rounds          how often runs are repeated              explain simulate tune
--rows            rows of matrices                         explain gantt graph
--rule            conformance rules                        conform
--runs            correlate all runs                       energy
--runtime         runtimes                                 compare energy explain gantt graph plot run simulate tune
--seconds         time for trials                          conform
--seed            seed of what is random                   conform explain gantt simulate tune
--series          series whose base line is moved          watch
--set             other values of a campaign               run
--show            what was kept, without a run             conform
--size            orders of matrices                       bisect explain gantt graph plot run simulate tune
--source          where energy comes from                  compare energy plot report
--state           where unfinished work is kept            bisect diff
--steal           cost of stealing a task                  simulate
--strict          status of a bad verdict                  doctor
--table           tuned tiles as rows of C                 tune
--threads         numbers of threads                       bisect conform explain gantt plot run tune
--throttle        ready tasks that delay creation          simulate
--tile            tile sizes                               bisect explain gantt graph plot run simulate tune
--time-limit      time after which a process is killed     conform tune
--times           traces that kernel times are read from   graph simulate
--to              end of the time that is drawn            gantt
--trace           schedules that are written as traces     simulate
--turbo           turbo                                  run
--undecided       what an undecided gate counts as        compare run
--unverified      what unverified results count as         compare run
--until-decided   difference that is relevant              explain run
--variant         task graphs                              bisect compare explain gantt graph plot run simulate tune
--weights         what calls weigh                         graph
--width           width of figures                         gantt graph plot
--workers         numbers of simulated workers             simulate
"""
ROWS = [re.split(r"  +", line) for line in TABLE.strip().splitlines()]


def options() -> dict[str, list[tuple[str, TyperOption]]]:
    """Each option's long name, with the commands that take it."""
    found: dict[str, list[tuple[str, TyperOption]]] = defaultdict(list)
    for name, command in sorted(COMMANDS.items()):
        for parameter in command.params:
            if isinstance(parameter, TyperOption):
                found[parameter.opts[0]].append((name, parameter))
    return found


def test_an_option_has_one_name_in_all_commands() -> None:
    meanings = [meaning for _, meaning, _ in ROWS]
    assert len(set(meanings)) == len(meanings)
    taken = {name: " ".join(c for c, _ in uses) for name, uses in options().items()}
    assert taken == {name: commands for name, _, commands in ROWS}


def test_the_value_of_an_option_is_named_alike_in_all_commands() -> None:
    for name, uses in options().items():
        shown = {(p.metavar or "").removesuffix(",…") for _, p in uses}
        assert name in {"--output", "--format"} or len(shown) == 1, name


def test_every_option_has_a_help_text() -> None:
    assert not [
        name for name, uses in options().items() if not all(p.help or p.hidden for _, p in uses)
    ]


def test_what_stands_for_a_thing_belongs_to_one_option() -> None:
    general = {"REV", "FILE", "FOLDER", "SECONDS", "TIME", "COUNT", "SHARE", "NS", ""}
    owners = defaultdict(set)
    for name, uses in options().items():
        for _, parameter in uses:
            owners[(parameter.metavar or "").removesuffix(",…")].add(name)
    shared = {metavar: names for metavar, names in owners.items() if len(names) > 1}
    assert shared.keys() <= general


def pollux(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(POLLUX), *arguments], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_the_command_alone_shows_its_help() -> None:
    alone, asked = pollux(), pollux("--help")
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == asked.stdout
    assert all(f"\n  {name} " in alone.stdout for name in COMMANDS)


def test_the_version_is_shown() -> None:
    shown = pollux("--version")
    assert shown.returncode == 0
    assert re.fullmatch(r"pollux \d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?\n", shown.stdout)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_no_types_of_python(name: str) -> None:
    text = COMMANDS[name].get_help(typer.Context(COMMANDS[name], info_name=name))
    assert not re.search(r"<(list|str|int|float|path|file|directory)", text)


def test_help_loads_nothing_that_only_running_a_command_needs() -> None:
    heavy = {"jinja2", "matplotlib", "numba", "numpy", "pandas", "plotly", "pydantic", "scipy"}
    code = (
        "import sys; sys.argv = ['pollux', '--help']\n"
        "try:\n import pollux.core.cli; pollux.core.cli.main()\n"
        "finally: print('loaded', *sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = done.stdout.rsplit("loaded ", 1)[1].split()
    assert "pollux.core.commands.run" in loaded
    assert {name.partition(".")[0] for name in loaded} & heavy == set()
    own = {name.split(".", 1)[1] for name in loaded if name.startswith("pollux.")}
    modules = {
        name for name in own if not re.fullmatch(r"[a-z]+(\.part|\.commands(\.[a-z]+)?)?", name)
    }
    light = "advice cli console errors extras interruption limits parts paths shares spans start statuses streams text writing"
    defaults = {"machine.conformance", "machine.conformance.settings"}
    assert modules <= {f"core.{name}" for name in light.split()} | defaults
