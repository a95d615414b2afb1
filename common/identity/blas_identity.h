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
    char library[32];           /**< "OpenBLAS", "BLIS", "MKL", "ArmPL" or "unknown" */
    char version[32];           /**< e.g. 0.3.21; empty if unknown */
    char core[32];              /**< kernel set in use, e.g. Haswell */
    const char *threading;      /**< "serial", "pthread", "openmp" or "unknown" */
    char path[PATH_MAX];        /**< object that provides dgemm */
    char lapack_path[PATH_MAX]; /**< object that provides LAPACK's dgetrf */
};

struct blas_identity blas_identify(void);

/** The kernel set in use, e.g. "Haswell", as the library names it; NULL: not known. */
const char *blas_core(void);

/** Checks that BLAS and LAPACK are one library, that of the build, and that several threads may call it. Prints an error
 * line for each fault.
 * @return true if all is right */
bool blas_check(const struct blas_identity *identity);

/** The kernel set to request of OpenBLAS by OPENBLAS_CORETYPE if the one in use is far below what this CPU can do, or above
 * it; else NULL, also for one that is not known. */
const char *blas_better_core(const struct blas_identity *identity);

/** False if the kernel set in use has instructions that this CPU lacks. */
bool blas_core_runs(const struct blas_identity *identity);

/** True if the kernel set in use overruns its buffers: OpenBLAS 0.3.34 gives its kernels for AVX2 the larger blocks of
 * those for AVX-512 on AMD processors that have it (its issues 6013 and 6021). */
bool blas_core_overruns(const struct blas_identity *identity);

/** What a CPU can execute; of the levels, each includes those before it. */
enum simd_level {
    SIMD_UNKNOWN = -1, /**< another architecture than x86-64, or a kernel set that is not known */
    SIMD_SSE,
    SIMD_AVX,
    SIMD_AVX2,  /**< with FMA */
    SIMD_AVX512 /**< F, DQ, BW and VL */
};

/** The same decisions for a CPU of that level, for tests. */
const char *blas_core_for(const char *core, enum simd_level cpu);
bool blas_core_runs_on(const char *core, enum simd_level cpu);
bool blas_core_overruns_on(const char *version, const char *core, enum simd_level cpu, bool is_amd);

/** Makes the BLAS use one thread per call. */
void blas_use_one_thread(void);

/** The variable that must be 1 before the BLAS is loaded, so that it starts no threads; NULL: there is none. */
const char *blas_threads_variable(void);

/** The record's `blas` object. */
json_t *blas_json(const struct blas_identity *identity);

#endif
