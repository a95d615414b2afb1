// SPDX-License-Identifier: BSD-3-Clause
// The task graph that a variant declares, taken from the compiler's own calls to the runtime.
//
// Programs that link recorder.cpp replace the runtime's entry points for task creation: a task is
// kept with its dependence items instead of being run. The tasks can then be run one after another
// in any order that the dependences allow.
#ifndef POLLUX_TESTS_GRAPH_TASK_GRAPH_H
#define POLLUX_TESTS_GRAPH_TASK_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "subject.h"

namespace pollux {

enum class Dependence { in, inout, inoutset, mutexinoutset };

struct Item {
    const void *address;
    Dependence kind;
};

struct Access {
    const void *object;
    bool written;
};

struct Task {
    std::function<void()> body;
    std::vector<Item> items;
    std::size_t waits = 0;        // times that their creator waited before it
    bool deferred = true;         // false: what the creator did itself at that point
    std::string kernel;           // after record_accesses
    std::size_t step = 0;         // after record_accesses
    std::vector<Access> accesses; // after record_accesses
};

using Edge = std::pair<std::size_t, std::size_t>;

// Tasks in creation order.
class TaskGraph {
  public:
    std::vector<Task> tasks;

    // Records what the subject submits.
    explicit TaskGraph(subject *subject);

    explicit TaskGraph(std::vector<Task> created) : tasks(std::move(created))
    {
    }

    // predecessors()[t]: tasks that the dependences of OpenMP 5.2, section 15.9.5, put directly
    // before t, all from before the last taskwait, and what the creator did itself.
    std::vector<std::vector<std::size_t>> predecessors() const;

    // Runs the tasks in creation order and notes the objects that each one touches.
    void record_accesses(subject *subject);

    // Runs the tasks in a random order that the dependences allow. `newest_first` prefers late
    // tasks, so that what is not ordered is really exchanged.
    void run_in_random_order(std::mt19937_64 &random, bool newest_first) const;

    // Pairs of tasks that touch the same object, one of them writing, without being ordered.
    std::vector<Edge> unordered_conflicts() const;

    // ancestors()[t][a]: task a ends before task t begins, whatever the schedule.
    std::vector<std::vector<bool>> ancestors() const;
};

} // namespace pollux

#endif
