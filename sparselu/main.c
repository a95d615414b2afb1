/* SPDX-License-Identifier: BSD-3-Clause
 * The `sparselu` executable. */
#include "common/driver/driver.h"
#include "sparselu/sparselu.h"

int main(int argc, char **argv)
{
    return drive(&sparselu, argc, argv);
}
