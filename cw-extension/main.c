/* SPDX-License-Identifier: BSD-3-Clause
 * The `lu-cw` executable. */
#include "common/computation/computation.h"
#include "cw-extension/lu_cw.h"

int main(int argc, char **argv)
{
    return drive(&lu_cw, argc, argv);
}
