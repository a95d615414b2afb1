/* SPDX-License-Identifier: BSD-3-Clause
 * The `cholesky` executable. */
#include "cholesky/cholesky.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&cholesky, argc, argv);
}
