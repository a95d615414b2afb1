/* SPDX-License-Identifier: BSD-3-Clause
 * `identify PATH…`: which OpenMP runtime each library is, one line of JSON for each.
 *
 * Linked without any runtime; each library is loaded by a process of its own, so that two runtimes
 * never share a process, and a crash of one affects no other. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/message.h"
#include "common/identity/runtime_identity.h"
#include "common/identity/shared_objects.h"

enum { SECONDS_LIMIT = 20 };

static void print_usage(FILE *stream)
{
    fprintf(stream,
            "Usage: %s LIBRARY...\n"
            "Prints one JSON object for each OpenMP runtime library: path, soname, name, version,\n"
            "build_id, abi (entry points offered) and ompt (supports tools).\n",
            message_program_name());
}

/* Output of a library's constructor must not get between the JSON lines. */
static int silence_output(void)
{
    int output = dup(STDOUT_FILENO);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    return output;
}

/* Nanos++ loads plug-ins from its constructor that expect to see its symbols, which they do only where
 * it was loaded with the program. Restarts the program for that; returns if it did so before. */
static void load_at_start(const char *path)
{
    if (strncmp(basename(path), "libnanox", 8) != 0 || shared_object_loaded(path))
        return;
    setenv("LD_PRELOAD", path, 1);
    execl("/proc/self/exe", message_program_name(), path, NULL);
}

/* Loads one library and prints what it is; ends the process. */
_Noreturn static void examine(const char *given)
{
    struct runtime_library library;
    char path[PATH_MAX];
    alarm(SECONDS_LIMIT);
    if (!realpath(given, path)) {
        message_error("%s: %s", given, strerror(errno));
        _exit(POLLUX_MACHINE);
    }
    load_at_start(path);
    int output = silence_output();
    if (!dlopen(path, RTLD_LAZY | RTLD_LOCAL)) {
        message_error("cannot load %s", dlerror());
        _exit(POLLUX_MACHINE);
    }
    if (!runtime_describe(path, &library)) {
        message_error("%s is not an OpenMP runtime", path);
        _exit(POLLUX_MACHINE);
    }
    char *line = json_dumps(runtime_library_json(&library), JSON_COMPACT);
    bool written = line && dprintf(output, "%s\n", line) > 0;
    if (!written)
        message_error("cannot write to standard output: %s", strerror(errno));
    /* The library's destructors are skipped: some wait for threads. */
    _exit(written ? POLLUX_OK : POLLUX_MACHINE);
}

static bool identified(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        examine(path);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        message_error("%s: cannot start a process to load it", path);
        return false;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        message_error("%s: not loaded after %d s", path, SECONDS_LIMIT);
    else if (WIFSIGNALED(status))
        message_error("%s: crashed while being loaded (%s)", path, strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == POLLUX_OK;
}

int main(int argc, char **argv)
{
    bool all = true;
    message_program(argv[0]);
    if (argc < 2) {
        message_error("no library given: %s LIBRARY...", message_program_name());
        return POLLUX_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        message_flush_output();
        return POLLUX_OK;
    }
    if (argv[1][0] == '-') {
        message_error("unknown option %s: %s LIBRARY...", quoted(argv[1]).text,
                      message_program_name());
        return POLLUX_USAGE;
    }
    for (int i = 1; i < argc; i++)
        all = identified(argv[i]) && all;
    _exit(all ? POLLUX_OK : POLLUX_MACHINE); /* likewise: a library may be loaded here */
}
