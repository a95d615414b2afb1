/* SPDX-License-Identifier: BSD-3-Clause
 * What the programs that run other libraries' factorizations over MPI have in common: their command line,
 * the limit of their residuals, and the line of JSON for each repetition. */
#ifndef POLLUX_EVALUATION_REFERENCE_H
#define POLLUX_EVALUATION_REFERENCE_H

#include <stdbool.h>

enum { REFERENCE_THRESHOLD = 30 }; /* of residuals, as in LAPACK's own tests */

/** ROUTINE N NB P Q REPETITIONS */
struct reference {
    const char *routine;
    int n, nb;
    int rows, columns; /**< of ranks */
    int repetitions;
};

/** @return whether there are as many arguments, all numbers positive, and P × Q the number of ranks */
bool reference_parse(struct reference *run, int argc, char **argv, int ranks);

/** The line of a repetition. */
void reference_print(const struct reference *run, int threads, double flops, double seconds,
                     double residual);

#endif
