/* SPDX-License-Identifier: BSD-3-Clause
 * A line of sysfs is made when it is read, and is shorter than a page: one plain system call reads it. */
#include "common/base/system_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/message.h"

static bool contains_sys(const char *root)
{
    char path[PATH_MAX];
    struct stat status;
    int length = snprintf(path, sizeof path, "%s/sys", root);
    return length > 0 && length < PATH_MAX && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A wrong root is an error: silently, every counter would be absent. */
const char *system_root(void)
{
    const char *root = getenv("POLLUX_SYSTEM_ROOT");
    if (!root || !root[0])
        return "";
    if (!contains_sys(root))
        message_fatal(
            POLLUX_USAGE,
            "POLLUX_SYSTEM_ROOT=%s: a folder that contains sys/ is needed, such as a copy "
            "of another machine's",
            root);
    return root;
}

void system_path(char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, SYSTEM_PATH_SIZE, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= SYSTEM_PATH_SIZE)
        path[0] = '\0';
}

int system_line(const char *path, char *line, size_t size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return errno;
    ssize_t bytes = read(descriptor, line, size - 1);
    int error = bytes < 0 ? errno : 0;
    close(descriptor);
    line[bytes < 0 ? 0 : bytes] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return error;
}

char *system_line_after(const char *path, const char *beginning, char *line, size_t size)
{
    char *found = NULL;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, (int)size, file))
        if (strncmp(line, beginning, strlen(beginning)) == 0)
            found = line + strlen(beginning);
    if (file)
        fclose(file);
    return found;
}

bool whole_number(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || (*end != '\0' && *end != '\n' && *end != ' '))
        return false;
    *value = number;
    return true;
}

bool system_number(const char *path, uint64_t *value)
{
    char line[64];
    return system_line(path, line, sizeof line) == 0 && whole_number(line, value);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int system_visit(const char *folder, void (*visit)(void *argument, const char *name),
                 void *argument)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, versionsort);
    if (count < 0)
        return errno;
    for (int i = 0; i < count; i++) {
        visit(argument, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}
