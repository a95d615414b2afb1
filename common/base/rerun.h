/* SPDX-License-Identifier: BSD-3-Clause
 * Starts this program again in a process of its own: to ask the dynamic linker about it, or to try what may end the
 * process. */
#ifndef POLLUX_COMMON_RERUN_H
#define POLLUX_COMMON_RERUN_H

#include <stdbool.h>

/** What such a process did. */
struct rerun {
    char *output; /**< on standard output */
    char *errors; /**< on standard error */
    int status;   /**< as waitpid gives it */
};

/** Starts this program and waits until it ends; one that takes longer than that many seconds is killed.
 * @param[in] argv its arguments, ended by NULL; argv[0] is not read
 * @param[in] environment ended by NULL
 * @param[out] result release with rerun_release, whatever is returned
 * @return false if it could not be started */
bool rerun(char **argv, char *const *environment, int seconds, struct rerun *result);

void rerun_release(struct rerun *result);

#endif
