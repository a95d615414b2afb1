/* SPDX-License-Identifier: BSD-3-Clause
 * CLOMP as the driver sees it. */
#ifndef POLLUX_MICRO_CLOMP_PROGRAM_H
#define POLLUX_MICRO_CLOMP_PROGRAM_H

#include "common/driver/program.h"

extern const struct program clomp_program;

/** From now on every deposit of a point sends a message: CLOMPI's.
 * @param[in] bench   what clomp_program.create has returned
 * @param[in] message called once for each deposit, by one thread at a time, with the number of those before it */
void clomp_send_at_deposits(void *bench, void (*message)(size_t number));

#endif
