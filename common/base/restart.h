/* SPDX-License-Identifier: BSD-3-Clause
 * Starts the program again in this process with other variables in its environment, and refuses to go on where that
 * cannot work or has led out of an emulator. A restarted process finds marks in its environment. */
#ifndef POLLUX_COMMON_RESTART_H
#define POLLUX_COMMON_RESTART_H

/** A variable of the environment and the value that a run needs. */
struct setting {
    const char *name;
    const char *value;
};

/** The mark that lists the names of the variables that were changed, separated by commas. */
extern const char RESTART_MARK[];

/** Starts the program again with these settings, in the emulator that emulator.h is told of, if any. Ends it with one
 * line and POLLUX_MACHINE if that fails, or if this process has been restarted already.
 * @param[in] settings ended by a NULL name */
_Noreturn void restart_program(char **argv, const struct setting *settings);

/** Ends the program with one line and POLLUX_MACHINE if this process was restarted on another processor than it was
 * started on: an emulator then did not follow. */
void restart_check(void);

/** Removes the marks, so that child processes do not inherit them. */
void restart_forget(void);

#endif
