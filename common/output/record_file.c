/* SPDX-License-Identifier: BSD-3-Clause
 * O_APPEND and a single write keep lines complete, even if several processes share a file or one is
 * killed. A lock tells a line that another process is writing from one that it left unfinished. */
#include "common/output/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/message.h"

/* F_WRLCK waits until no other process writes; F_UNLCK, or the end of the process, lets the next one write. File systems
 * without locks are used without. */
static void lock(int descriptor, short kind)
{
    struct flock whole = {.l_type = kind, .l_whence = SEEK_SET};
    while (fcntl(descriptor, F_SETLKW, &whole) != 0 && errno == EINTR)
        continue;
}

/* A line break after an unfinished last line. Pipes and devices have none. */
static void finish_last_line(int descriptor, const char *path)
{
    struct stat status;
    char last = '\n';
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return;
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    if (reader < 0)
        return;
    if (pread(reader, &last, 1, status.st_size - 1) == 1 && last != '\n' &&
        write(descriptor, "\n", 1) != 1)
        message_fatal(POLLUX_USAGE, "cannot write to %s: %s", path, strerror(errno));
    close(reader);
}

struct record_file record_file_open(const char *path)
{
    struct record_file file = {.descriptor = -1, .path = path};
    if (!path)
        return file;
    file.descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file.descriptor < 0)
        message_fatal(POLLUX_USAGE, "cannot write to %s: %s", path, strerror(errno));
    lock(file.descriptor, F_WRLCK);
    finish_last_line(file.descriptor, path);
    lock(file.descriptor, F_UNLCK);
    return file;
}

/* Removes a partly written line from a regular file, unless another process has written after it. */
static void take_back(int descriptor, off_t begin, size_t bytes)
{
    struct stat status;
    if (bytes == 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (status.st_size != begin + (off_t)bytes || ftruncate(descriptor, begin) != 0)
        message_warning("an incomplete line remains in the output file");
}

/* Writes a line, at once where the system does.
 * @param[out] begin where it begins, in a regular file
 * @return the bytes written; errno says why not all */
static size_t write_line(int descriptor, const char *line, size_t bytes, off_t *begin)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t written = write(descriptor, line + done, bytes - done);
        if (written < 0 && errno != EINTR)
            break;
        if (done == 0 && written > 0)
            *begin = lseek(descriptor, 0, SEEK_CUR) - written;
        done += written > 0 ? (size_t)written : 0;
    }
    return done;
}

/* Whether the path still leads to the open file. Pipes and devices cannot be moved away. */
static bool is_in_place(const struct record_file *file, const struct stat *own)
{
    struct stat there;
    if (!S_ISREG(own->st_mode))
        return true;
    return stat(file->path, &there) == 0 && there.st_dev == own->st_dev &&
           there.st_ino == own->st_ino;
}

/* Ends the program if the file was moved away; a removed one keeps nothing, so that its last
 * record goes to standard error. */
static void require_in_place(const struct record_file *file, const char *line)
{
    struct stat own;
    if (fstat(file->descriptor, &own) != 0 || is_in_place(file, &own))
        return;
    if (own.st_nlink > 0)
        message_fatal(POLLUX_MACHINE,
                      "%s was renamed during the run; its records are in the renamed file",
                      file->path);
    fflush(stdout);
    fputs(line, stderr);
    message_fatal(POLLUX_MACHINE, "%s was removed during the run; the record is the line above",
                  file->path);
}

void record_file_append(struct record_file *file, const json_t *record)
{
    if (file->descriptor < 0)
        return;
    char *line = json_dumps(record, JSON_COMPACT);
    size_t length = line ? strlen(line) : 0;
    char *whole = line ? realloc(line, length + 2) : NULL;
    if (!whole)
        message_fatal(POLLUX_MACHINE, "no memory for a record");
    memcpy(whole + length, "\n", 2);
    off_t begin = 0;
    lock(file->descriptor, F_WRLCK);
    size_t written = write_line(file->descriptor, whole, length + 1, &begin);
    if (written != length + 1) {
        const char *why = strerror(errno);
        take_back(file->descriptor, begin, written);
        fflush(stdout);
        fputs(whole, stderr);
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s; the record is the line above",
                      file->path, why);
    }
    lock(file->descriptor, F_UNLCK);
    require_in_place(file, whole);
    free(whole);
}

void record_file_close(struct record_file *file)
{
    if (file->descriptor >= 0 && close(file->descriptor) != 0)
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s", file->path, strerror(errno));
    file->descriptor = -1;
}
