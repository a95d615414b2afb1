/* SPDX-License-Identifier: BSD-3-Clause
 * Opened without waiting, since opening a pipe waits for its other end; poll waits instead, with a
 * limit. */
#include "common/matrix/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool text_file_open(struct text_file *file, const char *path, int patience_ms,
                    struct refusal *refusal)
{
    struct stat status;
    file->path = path;
    file->patience_ms = patience_ms;
    file->begin = file->end = file->line = file->length = 0;
    file->ended = false;
    file->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
        refuse(refusal, POLLUX_USAGE, "cannot open %s: %s", path, strerror(errno));
        text_file_close(file);
        return false;
    }
    if (S_ISREG(status.st_mode))
        file->patience_ms = -1;
    if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return true;
    text_file_close(file);
    return refuse(refusal, POLLUX_USAGE, "cannot read %s: it is a %s, a file or a pipe is needed",
                  path, S_ISDIR(status.st_mode) ? "folder" : "device");
}

static bool await(struct text_file *file, struct refusal *refusal)
{
    struct pollfd wait = {.fd = file->descriptor, .events = POLLIN};
    if (file->patience_ms >= 0 && poll(&wait, 1, file->patience_ms) == 0)
        return refuse(refusal, POLLUX_USAGE, "%s, after line %zu: nothing came for %.3g s",
                      file->path, file->line, 1e-3 * file->patience_ms);
    return true;
}

/* Fills the empty buffer, or notes the end of the file. */
static bool fill(struct text_file *file, struct refusal *refusal)
{
    ssize_t bytes;
    do {
        if (!await(file, refusal))
            return false;
        bytes = read(file->descriptor, file->buffer, sizeof file->buffer);
    } while (bytes < 0 && (errno == EINTR || errno == EAGAIN));
    if (bytes < 0)
        return refuse(refusal, POLLUX_USAGE, "cannot read %s: %s", file->path, strerror(errno));
    file->begin = 0;
    file->end = (size_t)bytes;
    file->ended = bytes == 0;
    return true;
}

bool text_file_line(struct text_file *file, bool *found, struct refusal *refusal)
{
    bool complete = false;
    file->length = 0;
    while (!complete) {
        if (file->begin == file->end && !file->ended && !fill(file, refusal))
            return false;
        if (file->ended)
            break;
        const char *from = file->buffer + file->begin;
        size_t there = file->end - file->begin;
        const char *newline = memchr(from, '\n', there);
        size_t bytes = newline ? (size_t)(newline - from) : there;
        if (bytes > TEXT_LINE_MAX - file->length)
            return refuse(refusal, POLLUX_USAGE, "%s, line %zu: more than %d characters",
                          file->path, file->line + 1, TEXT_LINE_MAX);
        memcpy(file->text + file->length, from, bytes);
        file->length += bytes;
        file->begin += bytes + (newline != NULL);
        complete = newline != NULL;
    }
    file->text[file->length] = '\0';
    *found = complete || file->length > 0;
    file->line += *found;
    return true;
}

void text_file_close(struct text_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}
