/* SPDX-License-Identifier: BSD-3-Clause
 * The `lu` executable. */
#include "common/computation/computation.h"
#include "lu/variants.h"

int main(int argc, char **argv)
{
    return drive(&lu, argc, argv);
}
