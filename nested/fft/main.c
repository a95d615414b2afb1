/* SPDX-License-Identifier: BSD-3-Clause
 * The `batched-fft` executable. */
#include "common/driver/driver.h"
#include "nested/fft/fft.h"

int main(int argc, char **argv)
{
    return drive(&batched_fft, argc, argv);
}
