// SPDX-License-Identifier: BSD-3-Clause
// Nested tasks: the graph check for each domain, that is, the tasks that one task creates.
#ifndef POLLUX_TESTS_GRAPH_DOMAINS_H
#define POLLUX_TESTS_GRAPH_DOMAINS_H

#include <string>
#include <vector>

#include "task_graph.h"

namespace pollux {

// A line for each pair of tasks of a domain that touch the same object, one of them writing, without being
// ordered, and for each task that its creator, a task too, does not wait for. What a task touches is what it
// and all tasks below it touch. Without any line the tasks of different domains are ordered as well, since
// each domain ends with its creator. Kernels compute nothing.
std::vector<std::string> conflicts_of_all_domains(subject *subject);

} // namespace pollux

#endif
