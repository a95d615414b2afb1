/* SPDX-License-Identifier: BSD-3-Clause
 * All patterns, and what their files share. */
#ifndef POLLUX_MICRO_PATTERNS_H
#define POLLUX_MICRO_PATTERNS_H

#include "common/identity/capabilities.h"
#include "micro/pattern.h"
#include "micro/run.h"

extern const struct pattern independent, iterator;
extern const struct pattern chain, depobj, detach;
extern const struct pattern fan_out, fan_in;
extern const struct pattern readers, inoutset, mutexinoutset;
extern const struct pattern stencil_1d, stencil_2d, butterfly;
extern const struct pattern random_graph;
extern const struct pattern tree, taskloop;
extern const struct pattern cholesky_graph, lu_graph, lu_cw_graph, qr_graph;

/* What several patterns have alike, as struct pattern has it. */

size_t one_address(const struct shape *shape);
struct range first_address(const struct shape *shape);

/** A chain; independent tasks, and the addresses that they name. */
void define_chain(const struct shape *shape, struct graph *graph);
void define_independent(const struct shape *shape, struct graph *graph);
size_t independent_addresses(const struct shape *shape);
struct range independent_roots(const struct shape *shape);

/** A tree whose task i waits for task (i - 1) / fan. */
void define_tree(const struct shape *shape, struct graph *graph, size_t fan);

#endif
