/* SPDX-License-Identifier: BSD-3-Clause
 * The `cell-tree` executable. */
#include "benchmarks/cell-tree/cells.h"
#include "common/computation/computation.h"

int main(int argc, char **argv)
{
    return drive(&cell_tree, argc, argv);
}
