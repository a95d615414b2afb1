/* SPDX-License-Identifier: BSD-3-Clause
 * Which BLAS is actually loaded, with which kernels and threads. */
#ifndef POLLUX_COMMON_BLAS_IDENTITY_H
#define POLLUX_COMMON_BLAS_IDENTITY_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What OpenBLAS maps for each thread that calls it: BUFFER_SIZE of common_x86_64.h in builds for many
 * processors, 32 << 22. Where it does not get that, it tries again without end. */
enum { BLAS_THREAD_BYTES = 32 << 22 };

struct blas_identity {
    char library[32];           /**< "OpenBLAS" or "unknown" */
    char version[32];           /**< e.g. 0.3.21; empty if unknown */
    char core[32];              /**< kernel set in use, e.g. Haswell */
    const char *threading;      /**< "serial", "pthread", "openmp" or "unknown" */
    char path[PATH_MAX];        /**< object that provides dgemm */
    char lapack_path[PATH_MAX]; /**< object that provides LAPACK's dgetrf */
};

struct blas_identity blas_identify(void);

/** Checks that BLAS and LAPACK are one OpenBLAS that several threads may call. Prints an error
 * line for each fault.
 * @return true if all is right */
bool blas_check(const struct blas_identity *identity);

/** The kernel set to request by OPENBLAS_CORETYPE if the one in use is far below what this CPU
 * can do, else NULL. */
const char *blas_better_core(const struct blas_identity *identity);

/** The same decision for a CPU described by its features, for tests.
 * @param[in] level 0: SSE, 1: AVX, 2: AVX2 with FMA, 3: AVX-512 (F, DQ, BW, VL) */
const char *blas_core_for(const char *core, int level);

/** Makes OpenBLAS use one thread per call. */
void blas_use_one_thread(void);

/** The record's `blas` object. */
json_t *blas_json(const struct blas_identity *identity);

#endif
