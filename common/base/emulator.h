/* SPDX-License-Identifier: BSD-3-Clause
 * How a program is started again inside the emulator that it runs in. Emulators need not follow execv by themselves, and
 * a program for another processor would not start at all. */
#ifndef POLLUX_COMMON_EMULATOR_H
#define POLLUX_COMMON_EMULATOR_H

#include <stdbool.h>

/** The variable that names what to start programs with, such as a script that calls the emulator with its options. */
#define EMULATOR_VARIABLE "POLLUX_EMULATOR"

bool emulator_named(void);

/** The words that start a program: the emulator, if one is named, the program, and the arguments after argv[0].
 * @return to be freed, not its words; NULL if there is no memory */
char **emulator_words(char *program, char *const *argv);

#endif
