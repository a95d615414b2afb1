/* SPDX-License-Identifier: BSD-3-Clause
 * The machine as hwloc sees it: cores, caches, NUMA nodes, and where threads are bound. */
#ifndef POLLUX_COMMON_TOPOLOGY_H
#define POLLUX_COMMON_TOPOLOGY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/machine/processor.h"

struct topology;

/** Detects the machine. @return NULL if hwloc fails; release with topology_destroy */
struct topology *topology_create(void);

/** Releases; NULL is fine. */
void topology_destroy(struct topology *topology);

/** Whether the processors that the process was started on are of several NUMA nodes. */
bool topology_spans_nodes(const struct topology *topology);

/** Spreads the pages of [address, address + bytes) over those nodes in turn. On one node, or
 * where the system refuses, nothing changes. */
void topology_interleave(const struct topology *topology, void *address, size_t bytes);

/** The logical processors the calling thread may run on, as a list such as "0,4-7".
 * @return NULL if not known; release with free */
char *topology_thread_binding(const struct topology *topology);

/** The processor of the first package; its texts live as long as the topology. */
struct processor topology_processor(const struct topology *topology);

/** Adds cpu, cores, processors, numa and caches to an object. */
void topology_describe(const struct topology *topology, json_t *host);

#endif
