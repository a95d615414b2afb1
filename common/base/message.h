/* SPDX-License-Identifier: BSD-3-Clause
 * One-line messages on standard error, and the exit statuses of every executable. */
#ifndef POLLUX_COMMON_MESSAGE_H
#define POLLUX_COMMON_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { QUOTED_MOST = 60 /**< characters of a value in a message */ };

/** Exit statuses, the same for every executable. */
enum pollux_exit {
    POLLUX_OK = 0,      /**< every run factored and passed its checks */
    POLLUX_FAILED = 1,  /**< a factorization or a check failed */
    POLLUX_USAGE = 2,   /**< bad usage, or a file that cannot be opened before the run */
    POLLUX_MACHINE = 3, /**< the machine cannot do it: memory, threads, runtime, disk */
};

/** Sets the name of the program in later messages.
 * @param[in] argv0 the program's first argument; its last path component is kept, not copied. */
void message_program(const char *argv0);

/** The name set by message_program. */
const char *message_program_name(void);

/** A value as a message quotes it. */
struct quotation {
    char text[4 * QUOTED_MOST + 1];
};

/** Cuts a value that the user gave, such as an option's, to QUOTED_MOST characters of UTF-8, the last of
 * which is then "…". Names of files are quoted whole: they are needed to find them. */
struct quotation quoted(const char *value);

/** The ending of a noun that so many things have: "" for one, else "s". */
const char *plural(size_t count);

/** Prints "PROGRAM: TEXT" as one line on standard error. */
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Another process of the same run prints what all of them find alike: from now on this one prints no warnings, and
 * an error only after so many seconds in which the other, if it has met the same one, has ended the run. */
void message_be_second(unsigned seconds);

/** Whether it is such a process. */
bool message_is_second(void);

/** Prints "PROGRAM: warning: TEXT" as one line on standard error. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Shows how far the program is, at the end of standard error, until the next message or message_progress_end; for
 * terminals. */
void message_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

void message_progress_end(void);

/** Ends the program with POLLUX_MACHINE if not everything could be written to standard output. */
void message_flush_output(void);

/** Prints an error line, flushes standard output and ends the program. */
_Noreturn void message_fatal(enum pollux_exit status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
