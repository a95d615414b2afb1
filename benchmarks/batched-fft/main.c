/* SPDX-License-Identifier: BSD-3-Clause
 * The `batched-fft` executable. */
#include "benchmarks/batched-fft/fft.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&batched_fft, argc, argv);
}
