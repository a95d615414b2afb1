/* SPDX-License-Identifier: BSD-3-Clause
 * A gate: a first task that holds back the tasks that depend on it until all are created. */
#ifndef POLLUX_CONFORMANCE_GATE_H
#define POLLUX_CONFORMANCE_GATE_H

#include "conformance/rule.h"

/** Both the first task and, when it has created the others, the thread that creates them pass the
 * gate. The wait is bounded; on one thread there is none.
 * @param[in,out] gate 0 before
 * @return true if the other arrived */
bool gate_pass(struct trial *trial, int *gate);

#endif
