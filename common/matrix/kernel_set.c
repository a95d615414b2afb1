/* SPDX-License-Identifier: BSD-3-Clause
 * One word for each; what the processor has. */
#include "common/matrix/kernel_set.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/processor.h"

const char *const kernel_set_names[KERNEL_SETS + 1] = {[KERNELS_BLAS] = POLLUX_BLAS,
                                                       [KERNELS_TUNED] = "tuned",
                                                       [KERNELS_LOOPS] = "loops",
                                                       [KERNELS_FFTW] = "fftw",
                                                       [KERNEL_SETS] = NULL};

const char *const kernel_set_owners[KERNEL_SETS] = {[KERNELS_BLAS] = "the BLAS'",
                                                    [KERNELS_TUNED] =
                                                        "the suite's own for AVX2, AVX-512, NEON",
                                                    [KERNELS_LOOPS] = "the benchmark's own loops",
                                                    [KERNELS_FFTW] = "FFTW's"};

static const char *const isa_names[KERNELS_ISAS + 1] = {[KERNELS_AVX512] = "avx512",
                                                        [KERNELS_AVX2] = "avx2",
                                                        [KERNELS_NEON] =
                                                            "neon", /* of every aarch64 */
                                                        [KERNELS_ISAS] = NULL};

static bool is_at_hand(enum kernels_isa isa)
{
    static const enum processor_feature needed[KERNELS_ISAS] = {[KERNELS_AVX512] = PROCESSOR_AVX512,
                                                                [KERNELS_AVX2] = PROCESSOR_AVX2,
                                                                [KERNELS_NEON] = PROCESSOR_NEON};
    return processor_has(needed[isa]);
}

static const char *named(void)
{
    const char *name = getenv(KERNELS_ISA_VARIABLE);
    return name && *name ? name : NULL;
}

enum kernels_isa kernels_isa(void)
{
    const char *name = named();
    enum kernels_isa isa = 0;
    while (isa < KERNELS_ISAS && (name ? strcmp(name, isa_names[isa]) != 0 : !is_at_hand(isa)))
        isa++;
    return isa;
}

const char *kernels_isa_missing(void)
{
    enum kernels_isa isa = kernels_isa();
    if (isa < KERNELS_ISAS && is_at_hand(isa))
        return NULL;
    if (isa < KERNELS_ISAS)
        return "this processor lacks the instructions that " KERNELS_ISA_VARIABLE " names";
    return named() ? KERNELS_ISA_VARIABLE " is none of avx512, avx2, neon"
                   : "it is for processors with AVX-512F and AVX-512DQ, with AVX2 and FMA, or "
                     "of aarch64, and this is none of them";
}

const char *kernel_set_isa(enum kernel_set set)
{
    return set == KERNELS_TUNED ? isa_names[kernels_isa()] : NULL;
}
