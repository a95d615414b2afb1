/* SPDX-License-Identifier: BSD-3-Clause
 * The `qr` executable. */
#include "common/computation/computation.h"
#include "qr/qr.h"

int main(int argc, char **argv)
{
    return drive(&qr, argc, argv);
}
