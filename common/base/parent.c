/* SPDX-License-Identifier: BSD-3-Clause
 * A process that POLLUX_PARENT names as its parent does not outlive it, and lets any debugger of its user look at it.
 * Whoever starts it need not do that between fork and exec, and so can start it without copying its own memory. */
#include "common/base/parent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/message.h"

#define PF_EXITING 0x4 /* include/linux/sched.h */

/** Whether the process began to exit, which takes milliseconds if it has much memory. Its children have another parent
 * by then, but for others it ends only with its last thread. */
static bool is_exiting(pid_t process)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char text[512];
    unsigned flags = 0;
    /* The name may contain anything, but is followed by the last ")". */
    const char *rest = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
        flags = 0;
    fclose(file);
    return flags & PF_EXITING;
}

/** Whether the process runs. One that has ended still has its number until its own parent has waited for it. */
static bool is_running(pid_t process)
{
    if (is_exiting(process))
        return false;
#ifdef SYS_pidfd_open
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
#else
    int descriptor = -1;
    errno = ENOSYS;
#endif
    if (descriptor < 0) /* Linux before 5.3 has no such call */
        return errno != ESRCH && (kill(process, 0) == 0 || errno != ESRCH);
    struct pollfd ended = {descriptor, POLLIN, 0};
    bool running = poll(&ended, 1, 0) == 0;
    close(descriptor);
    return running;
}

const char *parent_text(long process, char *text)
{
    char boot[40] = "";
    struct stat namespace = {0};
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && fgets(boot, sizeof boot, file))
        boot[strcspn(boot, "\n")] = '\0';
    if (file)
        fclose(file);
    stat("/proc/self/ns/pid", &namespace);
    snprintf(text, PARENT_TEXT_SIZE, "%ld:%s:%lu", process, boot, (unsigned long)namespace.st_ino);
    return text;
}

void parent_follow(void)
{
    char here[PARENT_TEXT_SIZE];
    const char *text = getenv(PARENT_VARIABLE);
    long parent = text ? strtol(text, NULL, 10) : 0;
    if (parent <= 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Fails, rightly, where Yama does not restrict ptrace. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    /* It died before the first line, unless a script stands between the two, or a launcher on another node. */
    if (strcmp(text, parent_text(parent, here)) == 0 && parent != (long)getppid() &&
        !is_running((pid_t)parent)) {
        message_error("process %ld, which this one is not to outlive, has ended", parent);
        _exit(POLLUX_MACHINE);
    }
    unsetenv(PARENT_VARIABLE); /* its own children have another parent */
}

__attribute__((constructor)) static void follow_at_start(void)
{
    parent_follow();
}
