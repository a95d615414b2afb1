/* SPDX-License-Identifier: BSD-3-Clause
 * Files are the same if their device and inode are, whatever their names; those that do not exist yet,
 * if their names and folders are. Devices and pipes may be shared. */
#include "common/driver/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/message.h"

static bool is_same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool stat_folder(const char *path, struct stat *of_folder)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.", (int)(basename(path) - path), path);
    return stat(folder, of_folder) == 0;
}

bool files_are_neighbours(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat_folder(a, &of_a) && stat_folder(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static bool will_be_same(const char *a, const char *b)
{
    return strcmp(basename(a), basename(b)) == 0 && files_are_neighbours(a, b);
}

static void check_pair(struct named_file a, struct named_file b)
{
    struct stat of_a, of_b;
    if (!a.path || !b.path)
        return;
    bool a_exists = stat(a.path, &of_a) == 0, b_exists = stat(b.path, &of_b) == 0;
    bool same = a_exists && b_exists ? is_same(&of_a, &of_b)
                                     : !a_exists && !b_exists && will_be_same(a.path, b.path);
    if (same)
        message_fatal(POLLUX_USAGE, "%s and %s name the same file, %s: give two files", a.option,
                      b.option, a.path);
}

static void check_stream(struct named_file file, int descriptor, const char *stream)
{
    struct stat of_file, of_stream;
    if (file.path && stat(file.path, &of_file) == 0 && fstat(descriptor, &of_stream) == 0 &&
        is_same(&of_file, &of_stream))
        message_fatal(POLLUX_USAGE, "%s %s: %s goes to the same file: redirect it elsewhere",
                      file.option, file.path, stream);
}

/* Elsewhere "-" is standard output or input; here it would be a file of that name. */
static void check_dash(struct named_file file)
{
    if (file.path && strcmp(file.path, "-") == 0)
        message_fatal(POLLUX_USAGE, "%s -: name a file; one that is called '-' is ./-",
                      file.option);
}

void files_check(const struct named_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_dash(files[i]);
        for (size_t j = i + 1; j < count; j++)
            check_pair(files[i], files[j]);
        if (files[i].apart) {
            check_stream(files[i], STDOUT_FILENO, "standard output");
            check_stream(files[i], STDERR_FILENO, "standard error");
        }
    }
}
