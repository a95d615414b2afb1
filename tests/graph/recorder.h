// SPDX-License-Identifier: BSD-3-Clause
// Takes over task creation from the OpenMP runtime.
#ifndef POLLUX_TESTS_GRAPH_RECORDER_H
#define POLLUX_TESTS_GRAPH_RECORDER_H

#include <functional>
#include <vector>

#include "task_graph.h"

namespace pollux {

// The tasks that `submit` creates, none of which has run, and how often it waited. `submit` may itself be the body
// of a task.
std::vector<Task> record(const std::function<void()> &submit, std::size_t *waits = nullptr);

// Adds what the creator itself does while it is recorded, between the tasks that it creates.
void record_call(Task call);

// Runs the body of a task; tasks that it creates run at once, within it.
void run_undeferred(const std::function<void()> &body);

} // namespace pollux

#endif
