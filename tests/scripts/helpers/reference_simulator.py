# SPDX-License-Identifier: BSD-3-Clause
"""The rules of pollux.insight.simulation.simulate as plainly as can be, for small graphs."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pollux.insight.graphs.model import TASKWAIT, Graph
from pollux.insight.simulation.model import Machine, Policy

Floats = NDArray[np.float64]


@dataclass
class Ready:
    node: int
    queue: int


@dataclass
class Reference:
    """A machine at work; `simulate` runs it to the end."""

    graph: Graph
    times: Floats
    machine: Machine
    bytes_: Floats | None = None
    now: float = 0.0
    ready: list[Ready] = field(default_factory=list)  # by when they became ready
    stocked: list[int] = field(default_factory=list)  # queues that hold something
    held: list[tuple[int, int]] = field(default_factory=list)  # node, task it waits for
    ends: dict[int, float] = field(default_factory=dict)
    busy: dict[int, tuple[float, int | None]] = field(default_factory=dict)
    worker: dict[int, int] = field(default_factory=dict)
    following: dict[int, int] = field(default_factory=dict)
    steals: int = 0
    at: int = 0

    def __post_init__(self) -> None:
        g = self.graph
        self.creating = self.machine.creation > 0
        self.known = {t for t in range(int(g.task.max()) + 1) if not self.creating}
        self.program: list[tuple[str, int]] = []
        seen = {0}
        for node in range(len(g)):
            root = int(g.root_task[node])
            if root not in seen:
                seen.add(root)
                self.program.append(("create", root))
            if int(g.task[node]) == 0:
                self.program.append(("run", node))
        if not self.creating:
            self.program = []
        self.allowed = set() if self.creating else set(range(len(g)))
        self.draws = np.random.default_rng(self.machine.seed).random(len(g))
        self.before = [list(map(int, g.before[v])) for v in range(len(g))]
        self.after: list[list[int]] = [[] for _ in range(len(g))]
        for w in range(len(g)):
            for v in set(self.before[w]):
                self.after[v].append(w)
        self.length = [0.0] * len(g)
        for v in reversed(range(len(g))):
            self.length[v] = times_of(self, v) + max(
                (self.length[w] for w in self.after[v]), default=0
            )

    def quick(self, node: int) -> bool:
        return str(self.graph.kernels[self.graph.kernel[node]]) == TASKWAIT

    def can(self, node: int) -> bool:
        running = self.running()
        return node in self.allowed and all(
            b in self.ends and b not in running for b in self.before[node]
        )

    def running(self) -> set[int]:
        return {v for _, v in self.busy.values() if v is not None}

    def push(self, node: int, worker: int) -> None:
        queue = worker if self.machine.policy is Policy.STEAL else 0
        if not any(r.queue == queue for r in self.ready):
            self.stocked.append(queue)
        self.ready.append(Ready(node, queue))

    def remove(self, entry: Ready) -> None:
        self.ready.remove(entry)
        if not any(r.queue == entry.queue for r in self.ready):
            place = self.stocked.index(entry.queue)
            last = self.stocked.pop()
            if last != entry.queue:
                self.stocked[place] = last

    def tell(self, node: int, worker: int) -> None:
        """The successors of a node that is done, in the order in which they are found."""
        todo = [node]
        for v in todo:
            for w in self.after[v]:
                if not self.can(w) or w in self.ends or self.listed(w):
                    continue
                if self.quick(w):
                    self.ends[w] = self.now
                    todo.append(w)
                elif self.graph.task[w] == self.graph.task[node] and worker not in self.following:
                    self.following[worker] = w
                else:
                    self.push(w, worker)

    def listed(self, node: int) -> bool:
        waiting = [r.node for r in self.ready] + [v for v, _ in self.held]
        return node in waiting or node in self.following.values()

    def begin(self, worker: int, node: int, extra: float) -> None:
        task = int(self.graph.task[node])
        first = task > 0 and not (self.graph.task[:node] == task).any()
        if first:
            extra += self.machine.dispatch
            extra += self.machine.creation if task != self.graph.root_task[node] else 0.0
        self.busy[worker] = (0.0, node)
        length = times_of(self, node)
        if self.machine.bandwidth is not None and self.bytes_ is not None:
            count = sum(v is not None for _, v in self.busy.values())
            length = max(length, self.bytes_[node] * count / (self.machine.bandwidth * 1e-9))
        self.worker[node] = worker
        self.ends[node] = self.now + extra + length
        self.busy[worker] = (self.ends[node], node)

    def choose(self, worker: int) -> tuple[Ready, float]:
        policy = self.machine.policy
        if policy is Policy.FIFO:
            return self.ready[0], 0.0
        if policy is Policy.LIFO:
            return self.ready[-1], 0.0
        if policy is Policy.PRIORITY:
            return min(self.ready, key=lambda r: (-self.length[r.node], r.node)), 0.0
        own = [r for r in self.ready if r.queue == worker]
        if own:
            return own[-1], 0.0
        victim = self.stocked[int(self.draws[self.steals] * len(self.stocked))]
        self.steals += 1
        return next(r for r in self.ready if r.queue == victim), self.machine.steal

    def pick(self, worker: int) -> bool:
        while self.ready:
            entry, extra = self.choose(worker)
            self.remove(entry)
            rival = self.rival(entry.node)
            if rival is None:
                self.begin(worker, entry.node, extra)
                return True
            self.held.append((entry.node, rival))
        return False

    def rival(self, node: int) -> int | None:
        """A task that runs and excludes the node's, the smallest."""
        task = int(self.graph.task[node])
        others = {b for a, b in self.graph.exclusive if a == task}
        others |= {a for a, b in self.graph.exclusive if b == task}
        active = {int(self.graph.task[v]) for v in self.running()}
        return min(others & active, default=None)

    def submit(self) -> bool | None:
        """What worker 0 does as the one that submits; None: it waits and nothing is ready."""
        while self.at < len(self.program):
            what, number = self.program[self.at]
            if what == "create":
                throttle = self.machine.throttle
                full = throttle is not None and len(self.ready) >= throttle
                if not (full and self.pick(0)):
                    self.busy[0] = (self.now + self.machine.creation, None)
                return True
            self.allowed.add(number)
            if not self.can(number):
                self.allowed.discard(number)
                return True if self.pick(0) else None
            self.at += 1
            if not self.quick(number):
                self.begin(0, number, 0.0)
                return True
            self.ends[number] = self.now
            self.tell(number, 0)
        return self.pick(0)

    def created(self) -> None:
        _, root = self.program[self.at]
        self.at += 1
        mine = [v for v in range(len(self.graph)) if self.graph.root_task[v] == root]
        for v in mine:
            self.allowed.add(v)
            if self.can(v) and v not in self.ends and not self.listed(v):
                if self.quick(v):
                    self.ends[v] = self.now
                    self.tell(v, 0)
                else:
                    self.push(v, 0)

    def simulate(  # noqa: PLR0912 (the rules in their order)
        self,
    ) -> tuple[float, dict[int, float], dict[int, int]]:
        """The length of the schedule, the end of each node and its worker."""
        workers = range(self.machine.workers)
        fresh, idle, stuck = [0], list(workers[1:]), False
        for v in range(len(self.graph)):
            if not self.before[v] and self.can(v):
                if self.quick(v):
                    self.ends[v] = 0.0
                    self.tell(v, 0)
                else:
                    self.push(v, 0)
        while True:
            for worker in fresh:
                if worker in self.following:
                    self.begin(worker, self.following.pop(worker), 0.0)
                    continue
                if worker == 0 and self.at < len(self.program):
                    answer = self.submit()
                    stuck = answer is None
                    if answer is False:
                        idle.append(0)
                    continue
                own = any(r.queue == worker for r in self.ready)
                if self.machine.policy is Policy.STEAL and own and self.pick(worker):
                    continue
                idle.append(worker)
            for worker in sorted(idle):
                if self.pick(worker):
                    idle.remove(worker)
            if not self.busy:
                return self.now, self.ends, self.worker
            self.now = min(end for end, _ in self.busy.values())
            fresh = sorted(w for w, (end, _) in self.busy.items() if end == self.now)
            for worker in fresh:
                node = self.busy.pop(worker)[1]
                if node is None:
                    self.created()
                    continue
                self.tell(node, worker)
                task = int(self.graph.task[node])
                # Those held last come first.
                for v, _ in [h for h in reversed(self.held) if h[1] == task]:
                    self.push(v, worker)
                self.held = [h for h in self.held if h[1] != task]
            if stuck and 0 not in fresh:
                fresh.append(0)


def times_of(reference: Reference, node: int) -> float:
    return 0.0 if reference.quick(node) else float(reference.times[node])
