/* SPDX-License-Identifier: BSD-3-Clause
 * The `cell-tree` executable. */
#include "common/driver/driver.h"
#include "nested/cells/cells.h"

int main(int argc, char **argv)
{
    return drive(&cell_tree, argc, argv);
}
