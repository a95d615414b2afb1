/* SPDX-License-Identifier: BSD-3-Clause
 * The executable's .preinit_array runs before the constructors of any shared library, which may open
 * files too. */
#include "common/base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/message.h"

static void end(void)
{
    static const char line[] =
        "pollux: a standard stream is closed, and /dev/null cannot be opened "
        "in its place\n";
    syscall(SYS_write, STDERR_FILENO, line, sizeof line - 1);
    syscall(SYS_exit_group, (int)POLLUX_MACHINE);
}

/* Closed standard output is opened for reading: writing to it fails, so that a lost result is reported. */
static int flags_of(int stream)
{
    return stream == STDOUT_FILENO ? O_RDONLY : O_RDWR;
}

/* The C library is not initialised yet: only system calls are used. A new descriptor has the lowest
 * free number, which is the closed one, since those below it are open by then. */
void streams_open(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (syscall(SYS_fcntl, stream, F_GETFD) < 0 &&
            syscall(SYS_openat, AT_FDCWD, "/dev/null", flags_of(stream)) != stream)
            end();
}

__attribute__((section(".preinit_array"),
               used)) static void (*const open_at_start)(void) = streams_open;

__attribute__((constructor)) static void set_signals(void)
{
    /* Such a write fails then, and is reported like one to a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    /* Ignored, as by `trap '' CHLD`, it would leave nothing for waitpid. */
    signal(SIGCHLD, SIG_DFL);
}
