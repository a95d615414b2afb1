/* SPDX-License-Identifier: BSD-3-Clause
 * The stream keeps errors of single writes; they are checked when it is flushed. */
#include "common/output/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/message.h"

struct event_file event_file_open(const char *path)
{
    struct event_file file = {.path = path};
    if (!path)
        return file;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    file.stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file.stream)
        message_fatal(POLLUX_USAGE, "cannot write to %s: %s", path, strerror(errno));
    return file;
}

/* Pipes and devices have nothing to be emptied of. */
static void empty(struct event_file *file)
{
    if (ftruncate(fileno(file->stream), 0) != 0 && errno != EINVAL)
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s", file->path, strerror(errno));
    file->begun = true;
}

void event_file_header(struct event_file *file, const json_t *header)
{
    if (!file->begun)
        empty(file);
    json_dumpf(header, file->stream, JSON_COMPACT);
    putc('\n', file->stream);
}

void event_file_numbers(struct event_file *file, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file->stream, "%c%" PRId64, i == 0 ? '[' : ',', numbers[i]);
    fputs("]\n", file->stream);
}

void event_file_flush(struct event_file *file)
{
    if (fflush(file->stream) != 0 || ferror(file->stream))
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s; the file is incomplete", file->path,
                      strerror(errno ? errno : EIO));
}

void event_file_close(struct event_file *file)
{
    if (file->stream && fclose(file->stream) != 0)
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s", file->path, strerror(errno));
    file->stream = NULL;
}
