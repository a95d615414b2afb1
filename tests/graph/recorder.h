// SPDX-License-Identifier: BSD-3-Clause
// Takes over task creation from the OpenMP runtime.
#ifndef POLLUX_TESTS_GRAPH_RECORDER_H
#define POLLUX_TESTS_GRAPH_RECORDER_H

#include <functional>
#include <vector>

#include "task_graph.h"

namespace pollux {

// The tasks that `submit` creates, none of which has run.
std::vector<Task> record(const std::function<void()> &submit);

} // namespace pollux

#endif
