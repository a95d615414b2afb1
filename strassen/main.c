/* SPDX-License-Identifier: BSD-3-Clause
 * The `strassen` executable. */
#include "common/driver/driver.h"
#include "strassen/strassen.h"

int main(int argc, char **argv)
{
    return drive(&strassen, argc, argv);
}
