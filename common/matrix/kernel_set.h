/* SPDX-License-Identifier: BSD-3-Clause
 * The kernel sets: whose code computes what the tile operations do (docs/method.md). */
#ifndef POLLUX_COMMON_KERNEL_SET_H
#define POLLUX_COMMON_KERNEL_SET_H

#include <stdbool.h>

enum kernel_set {
    KERNELS_BLAS, /**< BLAS and LAPACK routines of the library that the build is for; the default */
    KERNELS_TUNED, /**< the suite's own code, for processors with AVX2 or AVX-512, or aarch64 */
    KERNELS_LOOPS, /**< the benchmark's own loops: it calls no BLAS */
    KERNELS_FFTW,  /**< FFTW's transforms: it calls no BLAS */
    KERNEL_SETS
};

/** What a benchmark has: a set of kernel sets. */
enum {
    HAS_BLAS = 1u << KERNELS_BLAS,
    HAS_TUNED = 1u << KERNELS_TUNED,
    HAS_LOOPS = 1u << KERNELS_LOOPS,
    HAS_FFTW = 1u << KERNELS_FFTW
};

/** Whether a set calls BLAS. */
static inline bool kernel_set_calls_blas(enum kernel_set set)
{
    return set == KERNELS_BLAS || set == KERNELS_TUNED;
}

/** Their names on command lines and in records, in that order; NULL ends the list. */
extern const char *const kernel_set_names[KERNEL_SETS + 1];

/** Whose kernels they are, for --help. */
extern const char *const kernel_set_owners[KERNEL_SETS];

/** The instruction sets that the suite's own code is for, the fastest first. */
enum kernels_isa { KERNELS_AVX512, KERNELS_AVX2, KERNELS_NEON, KERNELS_ISAS };

/** The variable that names one of them, by its name in records. */
#define KERNELS_ISA_VARIABLE "POLLUX_KERNELS_ISA"

/** The one that the suite's own code runs here: what KERNELS_ISA_VARIABLE names, else the first that the processor has.
 * KERNELS_ISAS if there is none. */
enum kernels_isa kernels_isa(void);

/** Why there is none, as the end of a sentence; NULL if there is one. */
const char *kernels_isa_missing(void);

/** Its name in records: "avx512", "avx2" or "neon"; NULL of a set that has none. */
const char *kernel_set_isa(enum kernel_set set);

#endif
