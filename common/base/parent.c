/* SPDX-License-Identifier: BSD-3-Clause
 * A process that POLLUX_PARENT names as its parent does not outlive it, and lets any debugger of its user look at it.
 * Whoever starts it need not do that between fork and exec, and so can start it without copying its own memory. */
#include "common/base/parent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/message.h"

void parent_follow(void)
{
    const char *text = getenv(PARENT_VARIABLE);
    long parent = text ? strtol(text, NULL, 10) : 0;
    if (parent <= 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER,
          PR_SET_PTRACER_ANY); /* fails, rightly, where Yama does not restrict ptrace */
    if (parent != (long)getppid() && kill((pid_t)parent, 0) != 0 && errno == ESRCH)
        _exit(
            POLLUX_MACHINE); /* it died before the first line; else a script stands between the two */
    unsetenv(PARENT_VARIABLE); /* its own children have another parent */
}

__attribute__((constructor)) static void follow_at_start(void)
{
    parent_follow();
}
