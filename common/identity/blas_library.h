/* SPDX-License-Identifier: BSD-3-Clause
 * The BLAS libraries that Pollux knows: what each tells of itself, and how it is kept to one thread per call. Nothing else
 * calls functions that only one of them has. */
#ifndef POLLUX_COMMON_BLAS_LIBRARY_H
#define POLLUX_COMMON_BLAS_LIBRARY_H

#include <stddef.h>

#include "common/identity/blas_identity.h"

/** A BLAS. Its functions may be called where it is loaded. */
struct blas_library {
    const char *word;             /**< in POLLUX_BLAS, and the name of its kernel set */
    const char *name;             /**< in records */
    const char *symbol;           /**< a function that only it has */
    const char *own;              /**< what the names of such functions begin with */
    const char *root;             /**< the variable of CMake that names an installation */
    const char *threads_variable; /**< that must be 1 before it is loaded; NULL: none */
    int (*threading)(void); /**< 0: without threads, 1: its own, 2: over OpenMP; -1: not known */
    void (*version)(char *text, size_t size);
    const char *(*core)(void); /**< NULL if it does not tell */
    void (*use_one_thread)(void);
};

/** That which the build is for. */
const struct blas_library *blas_library_of_build(void);

/** That which is loaded, the build's own before others; NULL: none of those known. */
const struct blas_library *blas_library_loaded(void);

/** Its function of that name, or NULL. */
void *blas_library_function(const char *name);

#endif
