/* SPDX-License-Identifier: BSD-3-Clause
 * A binomial tree over the ranks of a route: the root sends, and every rank that has received sends on.
 *
 *     0 ─── 4 ─── 6 ─── 7
 *       │     └── 5
 *       ├── 2 ─── 3
 *       └── 1
 *
 * Place v receives from v without its lowest bit, and sends to v + 2ᵗ for every 2ᵗ below that bit. */
#ifndef POLLUX_BENCHMARKS_MPI_TREE_H
#define POLLUX_BENCHMARKS_MPI_TREE_H

#include <stddef.h>
#include <stdint.h>

enum { TREE_CHILDREN_MAX = 32 };

#define TREE_ABSENT SIZE_MAX

/** A rank's part in a tree. */
struct tree_place {
    size_t place; /**< in the route: 0 is the root; TREE_ABSENT: the rank is not on it */
    int parent;   /**< the rank that it receives from; of the root -1 */
    size_t children;
    int child[TREE_CHILDREN_MAX]; /**< the ranks that it sends to, in this order */
};

/** @param[in] ranks the route, its root first */
struct tree_place tree_place(const int *ranks, size_t count, int rank);

/** Messages that place v of `count` receives and sends. */
size_t tree_messages(size_t count, size_t v);

#endif
