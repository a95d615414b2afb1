/* SPDX-License-Identifier: BSD-3-Clause
 * The `qr` executable. */
#include "common/driver/driver.h"
#include "qr/qr.h"

int main(int argc, char **argv)
{
    return drive(&qr, argc, argv);
}
