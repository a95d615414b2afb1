/* SPDX-License-Identifier: BSD-3-Clause
 * Turns: several processes whose repetitions are timed alternately, one process at a time.
 *
 * Whoever starts them passes each one end of a socket. The process announces that its next repetition is ready to be
 * timed, and waits; told to go on, it runs the repetition, announces its end, and waits again; told to go on, it
 * verifies what it has computed. While it waits it may be stopped, with all of its threads, so that nothing of it
 * disturbs the others. */
#ifndef POLLUX_COMMON_TURNS_H
#define POLLUX_COMMON_TURNS_H

#include <stdbool.h>

/** The environment variable with the socket, as DESCRIPTOR:INODE:PARENT. It is ignored where that descriptor is not
 * this socket, or where the process has another parent than this one, which could not stop it. */
#define TURNS_VARIABLE "POLLUX_TURNS"

/** What the process announces, a byte each; what it is told is a byte of any value. */
enum { TURN_READY = 'r', TURN_ENDED = 'e' };

/** Waits until the next repetition may be timed. Ends the program with POLLUX_MACHINE where nobody gives turns any more.
 * @return whether it had to wait: false where the process takes no turns */
bool turn_await(void);

/** Announces that what is timed is over, and waits until the process may go on; nothing where it has no turn. */
void turn_end(void);

#endif
