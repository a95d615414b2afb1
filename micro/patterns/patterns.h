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

/** Numbers of addresses and roots, as struct pattern has them. */
size_t one_address(const struct shape *shape);
struct range first_address(const struct shape *shape);

#endif
