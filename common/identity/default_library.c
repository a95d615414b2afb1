/* SPDX-License-Identifier: BSD-3-Clause
 * The dynamic linker itself gives the answer: with LD_TRACE_LOADED_OBJECTS it lists the
 * program's libraries ("NAME => PATH (ADDRESS)") and exits without running any of their code. */
#include "common/identity/default_library.h"

#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

bool default_library_overridden(void)
{
    return is_set("LD_LIBRARY_PATH") || is_set("LD_PRELOAD") || is_set("LD_AUDIT");
}

/* Starts the listing; its output comes from the descriptor returned, -1 if it cannot start. */
static int start_listing(pid_t *child)
{
    char program[PATH_MAX];
    char *arguments[] = {program, NULL};
    char *environment[] = {(char[]){"LD_TRACE_LOADED_OBJECTS=1"}, NULL};
    int ends[2];
    posix_spawn_file_actions_t actions;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0 || pipe(ends) != 0)
        return -1;
    program[length] = '\0';
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int failed = posix_spawn(child, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

/* The path of the line about this library, or NULL. The line is changed. */
static const char *path_of_line(char *line, const char *soname)
{
    char *rest = NULL;
    const char *name = strtok_r(line, " \t", &rest);
    const char *arrow = strtok_r(NULL, " \t", &rest);
    const char *path = strtok_r(NULL, "(\n", &rest);
    if (!path || strcmp(name, soname) != 0 || strcmp(arrow, "=>") != 0 || path[0] != '/')
        return NULL;
    size_t length = strcspn(path, " ");
    if (path[length] == ' ')
        line[(size_t)(path - line) + length] = '\0';
    return path;
}

bool default_library(const char *soname, char *path)
{
    pid_t child = 0;
    int status = 0;
    bool found = false;
    char *line = NULL;
    size_t size = 0;
    int listing = start_listing(&child);
    FILE *lines = listing < 0 ? NULL : fdopen(listing, "r");
    if (!lines)
        return false;
    while (getline(&line, &size, lines) > 0) {
        const char *named = path_of_line(line, soname);
        if (named)
            found = realpath(named, path) != NULL;
    }
    free(line);
    fclose(lines);
    return waitpid(child, &status, 0) == child && found;
}
