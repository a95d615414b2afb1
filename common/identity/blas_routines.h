/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the routines of BLAS and LAPACK that are called are those of one library. */
#ifndef POLLUX_COMMON_BLAS_ROUTINES_H
#define POLLUX_COMMON_BLAS_ROUTINES_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>

/** A routine that another object provides. */
struct foreign_routine {
    char name[64];
    char path[PATH_MAX]; /**< of that object */
};

/** Finds a routine of BLAS or LAPACK that does not come from the library `blas` although it should:
 * one that the program calls, or one that this library or an interface to it, such as LAPACKE, calls. A
 * routine that the library lacks may come from another one that the program was linked with.
 *
 * The routines are the symbols that the program was linked with, no list of names.
 * @param[in] own what the names of functions begin with that compute nothing: they report and set
 * @param[out] foreign the first one found
 * @return true if there is one */
bool blas_find_foreign(const struct link_map *blas, const char *own,
                       struct foreign_routine *foreign);

#endif
