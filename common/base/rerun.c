/* SPDX-License-Identifier: BSD-3-Clause
 * Both streams are read as they fill, so that the process never waits for one of them. */
#include "common/base/rerun.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/emulator.h"
#include "common/base/parent.h"

enum { STREAMS = 2 };

static const size_t OUTPUT_MAX = 1 << 20; /* bytes that are kept of a stream */

/* What a stream has given so far, with a null byte behind it. */
struct stream {
    int descriptor; /* -1: it has ended */
    char *text;
    size_t length;
};

/* Starts the process with its streams connected to the ends of two pipes. */
static bool start(pid_t *child, char **argv, char *const *environment, int ends[STREAMS][2])
{
    char program[PATH_MAX];
    posix_spawn_file_actions_t actions;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    posix_spawn_file_actions_init(&actions);
    for (int s = 0; s < STREAMS; s++)
        posix_spawn_file_actions_adddup2(&actions, ends[s][1], s + 1);
    char **words = emulator_words(program, argv);
    bool started = words && posix_spawn(child, words[0], &actions, NULL, words, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    return started;
}

/* Takes what a stream has; what does not fit is read and dropped. */
static void take(struct stream *stream)
{
    char piece[4096];
    ssize_t length = TEMP_FAILURE_RETRY(read(stream->descriptor, piece, sizeof piece));
    if (length <= 0) {
        close(stream->descriptor);
        stream->descriptor = -1;
        return;
    }
    char *longer = stream->length + (size_t)length < OUTPUT_MAX
                       ? realloc(stream->text, stream->length + (size_t)length + 1)
                       : NULL;
    if (!longer)
        return;
    memcpy(longer + stream->length, piece, (size_t)length);
    stream->text = longer;
    stream->length += (size_t)length;
    stream->text[stream->length] = '\0';
}

/* Reads until both streams have ended, or the time is up. */
static void read_streams(struct stream *streams, int seconds)
{
    double end = now_seconds() + seconds;
    while (streams[0].descriptor >= 0 || streams[1].descriptor >= 0) {
        struct pollfd waiting[STREAMS];
        double left = end - now_seconds();
        for (int s = 0; s < STREAMS; s++)
            waiting[s] = (struct pollfd){.fd = streams[s].descriptor, .events = POLLIN};
        if (left <= 0.0)
            return;
        if (poll(waiting, STREAMS, (int)(1e3 * left) + 1) <= 0)
            continue;
        for (int s = 0; s < STREAMS; s++)
            if (waiting[s].revents)
                take(&streams[s]);
    }
}

static void close_pipe(const int ends[2])
{
    for (int e = 0; e < 2; e++)
        if (ends[e] >= 0)
            close(ends[e]);
}

static bool open_pipes(int ends[STREAMS][2])
{
    for (int s = 0; s < STREAMS; s++)
        ends[s][0] = ends[s][1] = -1;
    for (int s = 0; s < STREAMS; s++)
        if (pipe2(ends[s], O_CLOEXEC) != 0) {
            close_pipe(ends[0]);
            return false;
        }
    return true;
}

/* The environment, and the variable that names this process as the parent; NULL if out of memory. */
static char **with_parent(char *const *environment, char *variable, size_t size)
{
    char parent[PARENT_TEXT_SIZE];
    size_t count = 0;
    while (environment[count])
        count++;
    char **own = calloc(count + 2, sizeof *own);
    if (!own)
        return NULL;
    snprintf(variable, size, PARENT_VARIABLE "=%s", parent_text(getpid(), parent));
    memcpy(own, environment, count * sizeof *own);
    own[count] = variable;
    return own;
}

static bool start_child(pid_t *child, char **argv, char *const *environment, int ends[STREAMS][2])
{
    char variable[sizeof PARENT_VARIABLE + PARENT_TEXT_SIZE];
    char **own = with_parent(environment, variable, sizeof variable);
    bool started = own && start(child, argv, own, ends);
    free(own);
    return started;
}

bool rerun(char **argv, char *const *environment, int seconds, struct rerun *result)
{
    int ends[STREAMS][2];
    pid_t child = 0;
    *result = (struct rerun){.output = NULL};
    if (!open_pipes(ends))
        return false;
    if (!start_child(&child, argv, environment, ends)) {
        close_pipe(ends[0]);
        close_pipe(ends[1]);
        return false;
    }
    struct stream streams[STREAMS] = {{.descriptor = ends[0][0], .text = calloc(1, 1)},
                                      {.descriptor = ends[1][0], .text = calloc(1, 1)}};
    for (int s = 0; s < STREAMS; s++)
        close(ends[s][1]);
    read_streams(streams, seconds);
    for (int s = 0; s < STREAMS; s++)
        if (streams[s].descriptor >= 0) {
            kill(child, SIGKILL);
            close(streams[s].descriptor);
        }
    result->output = streams[0].text;
    result->errors = streams[1].text;
    bool ended = TEMP_FAILURE_RETRY(waitpid(child, &result->status, 0)) == child;
    return ended && result->output && result->errors;
}

void rerun_release(struct rerun *result)
{
    free(result->output);
    free(result->errors);
    *result = (struct rerun){.output = NULL};
}
