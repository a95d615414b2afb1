/* SPDX-License-Identifier: BSD-3-Clause
 * Each message is formatted whole and written once, so that lines of several processes never mix. It is
 * one line, whatever characters the names in it have. */
#include "common/base/message.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Process-wide state: argv[0] cannot change after main has begun, nor does the part of a process in its run. */
static const char *program = "pollux";
static unsigned pause_seconds = 0; /* of a second process before an error; 0: this is none */
static bool shows_progress = false;

void message_program(const char *argv0)
{
    program = basename(argv0);
}

const char *message_program_name(void)
{
    return program;
}

/* The bytes of at most that many characters; invalid UTF-8 has at most four bytes to a character too. */
static size_t bytes_of(const char *text, size_t characters)
{
    size_t bytes = 0, begun = 0;
    for (; text[bytes] && bytes < 4 * characters; bytes++) {
        bool begins = ((unsigned char)text[bytes] & 0xc0) != 0x80;
        begun += begins;
        if (begins && begun > characters)
            break;
    }
    return bytes;
}

struct quotation quoted(const char *value)
{
    static const char ellipsis[] = "…";
    struct quotation result = {""};
    size_t bytes = bytes_of(value, QUOTED_MOST);
    bool cut = value[bytes] != '\0';
    if (cut)
        bytes = bytes_of(value, QUOTED_MOST - 1);
    memcpy(result.text, value, bytes);
    if (cut)
        memcpy(result.text + bytes, ellipsis, sizeof ellipsis);
    return result;
}

const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char text[2048];
    sleep(pause_seconds);
    message_progress_end();
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c)) /* of a file's name or an argument */
            *c = '?';
    fprintf(stderr, "%s: %s%s\n", program, prefix, text);
}

void message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

void message_progress(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputc('\r', stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    shows_progress = true;
}

void message_progress_end(void)
{
    if (shows_progress)
        fputs("\r\033[K", stderr);
    shows_progress = false;
}

void message_be_second(unsigned seconds)
{
    pause_seconds = seconds;
}

bool message_is_second(void)
{
    return pause_seconds > 0;
}

void message_warning(const char *format, ...)
{
    va_list arguments;
    if (message_is_second())
        return;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

void message_fatal(enum pollux_exit status, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    exit((int)status);
}

void message_flush_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    message_error("cannot write to standard output%s%s", errno ? ": " : "",
                  errno ? strerror(errno) : "");
    exit(POLLUX_MACHINE);
}
