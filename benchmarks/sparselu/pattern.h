/* SPDX-License-Identifier: BSD-3-Clause
 * Which blocks of a square matrix exist, where elimination fills in others, and the operations that this takes.
 *
 * All blocks are nb × nb, but for those in the last row and column, which may be smaller. */
#ifndef POLLUX_BENCHMARKS_SPARSELU_PATTERN_H
#define POLLUX_BENCHMARKS_SPARSELU_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/** The rules by which a matrix gets its blocks. Those on the diagonal always exist. */
enum pattern_rule {
    PATTERN_KASTORS, /**< blocks beside the diagonal; and (i, j) with i and j even, min(i, j) a multiple of 3 */
    PATTERN_GRID /**< a five-point stencil on a grid of blocks as wide as high, numbered row by row */
};

/** Their names, ended by NULL. */
extern const char *const pattern_names[];

/** Most rows of blocks. With more, blocks that are not tiny fit into no memory, and the fill-in takes minutes. */
enum { PATTERN_MOST = 1 << 14 };

/** The blocks that exist, of nt × nt. */
struct block_pattern {
    size_t nt;
    unsigned char *present; /**< present[i + j * nt]: 1 if block (i, j) exists, else 0 */
};

/** A pattern without any block. @return false if out of memory, or if nt > PATTERN_MOST; release with
 * pattern_destroy */
bool pattern_create(struct block_pattern *pattern, size_t nt);

void pattern_destroy(struct block_pattern *pattern);

static inline bool pattern_has(const struct block_pattern *pattern, size_t i, size_t j)
{
    return pattern->present[i + j * pattern->nt];
}

/** Adds the blocks of a rule. */
void pattern_add_rule(struct block_pattern *pattern, enum pattern_rule rule);

/** Adds the diagonal, and the blocks that contain an element other than 0 of an n × n column-major matrix. */
void pattern_add_elements(struct block_pattern *pattern, const double *elements, size_t n,
                          size_t nb);

/** Adds the blocks that fill in: (i, j) where (i, k) and (k, j) exist for some k < min(i, j). */
void pattern_fill_in(struct block_pattern *pattern);

size_t pattern_count(const struct block_pattern *pattern);

/** The operations of factoring an n × n matrix with these blocks, those that fill in among them: the sum of the
 * kernels' counts. */
double pattern_flops(const struct block_pattern *filled, size_t n, size_t nb);

/** The kernel calls of factoring it: in each step one of the diagonal block, the solves and the updates. */
double pattern_tasks(const struct block_pattern *filled);

#endif
