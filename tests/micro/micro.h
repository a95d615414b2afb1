/* SPDX-License-Identifier: BSD-3-Clause
 * The headers of micro/, for C++. */
#ifndef POLLUX_TESTS_MICRO_MICRO_H
#define POLLUX_TESTS_MICRO_MICRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include "micro/factorization.h"
#include "micro/gate.h"
#include "micro/measure.h"
#include "micro/pattern.h"
#include "micro/patterns/patterns.h"
#include "micro/random_choice.h"
#include "micro/run.h"
#include "micro/terms.h"
#include "tests/micro/planted.h"
}

#include <string>
#include <vector>

/** A run over a graph that a test describes, without a runtime. */
struct Instance {
    struct shape shape;
    struct graph graph;
    std::vector<cell> cells;
    run state;

    explicit Instance(const std::vector<std::vector<size_t>> &predecessors)
        : shape{predecessors.size(), 1, 0, nullptr, CLAUSES_ABSENT},
          graph(graph_create(predecessors.size())), cells(predecessors.size()), state()
    {
        for (const auto &list : predecessors) {
            graph_add_task(&graph);
            for (size_t before : list)
                graph_add_predecessor(&graph, before);
        }
        state.shape = &shape;
        state.graph = &graph;
        state.cells = cells.data();
        state.open = 1;
    }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;
    ~Instance()
    {
        graph_destroy(&graph);
    }
};

#endif
