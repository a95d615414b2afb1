/* SPDX-License-Identifier: BSD-3-Clause
 * A meeting of two threads, where the team has two. */
#include "conformance/gate.h"

bool gate_pass(struct trial *trial, int *gate)
{
    return trial->threads > 1 && meet(gate, 2);
}
