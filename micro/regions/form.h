/* SPDX-License-Identifier: BSD-3-Clause
 * Two loops inside each other, in the forms that OpenMP has for them. A form is one entry of a table and a function
 * with its pragmas. */
#ifndef POLLUX_MICRO_REGIONS_FORM_H
#define POLLUX_MICRO_REGIONS_FORM_H

#include <stdbool.h>
#include <stddef.h>

enum { REGIONS_LINE = 64 }; /* bytes of a cache line */

/** What one iteration of the inner loop leaves behind. */
struct inner_cell {
    size_t executions;
} __attribute__((aligned(REGIONS_LINE)));

/** What one iteration of the outer loop leaves behind. */
struct outer_cell {
    size_t fewest; /**< threads of the smallest inner team; 0: none was opened */
} __attribute__((aligned(REGIONS_LINE)));

/** The loops of a configuration. */
struct loops {
    size_t outer, inner;  /**< iterations */
    size_t team;          /**< threads of the outer region */
    const size_t *cycles; /**< of an inner iteration, for each outer one */
    struct inner_cell *cells;
    struct outer_cell *outers;
    size_t given; /**< threads of the smallest outer team; 0: none yet */
};

struct form {
    const char *name; /**< NULL ends the table */
    const char *summary;
    unsigned needs; /**< set of enum capability */
    bool regions;   /**< its inner loops are parallel regions */
    bool flat;      /**< it has no inner loops */
    void (*run)(
        struct loops *loops); /**< all of the loops, once; NULL: the compiler lacks what it takes */
};

extern const struct form forms[];

/** A region of the outer loop alone: it does nothing. */
void loops_run_outer(struct loops *loops);

/** What all forms call: first in each outer region, in each inner region, and for every inner iteration. */
void loops_note_outer_team(struct loops *loops);
void loops_note_inner_team(struct loops *loops, size_t i);
void loops_iterate(struct loops *loops, size_t i, size_t j);

#endif
