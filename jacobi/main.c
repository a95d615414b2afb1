/* SPDX-License-Identifier: BSD-3-Clause
 * The `jacobi` executable. */
#include "common/driver/driver.h"
#include "jacobi/jacobi.h"

int main(int argc, char **argv)
{
    return drive(&jacobi, argc, argv);
}
