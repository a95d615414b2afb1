/* SPDX-License-Identifier: BSD-3-Clause
 * A wrong root is an error: silently, every counter would be absent. */
#include "common/base/system_root.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/message.h"

enum { PATH_SIZE = 4096 };

static bool contains_sys(const char *root)
{
    char path[PATH_SIZE];
    struct stat status;
    int length = snprintf(path, sizeof path, "%s/sys", root);
    return length > 0 && length < PATH_SIZE && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

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
