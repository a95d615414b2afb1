/* SPDX-License-Identifier: BSD-3-Clause
 * The control groups that this process is in, of both versions (cgroups(7)), and their limits. */
#ifndef POLLUX_COMMON_CONTROL_GROUPS_H
#define POLLUX_COMMON_CONTROL_GROUPS_H

#include <stddef.h>

/** Calls visit(folder, argument) for each folder in which limits of a controller may be: those of the process's groups
 * and of all groups around them. Folders may be missing.
 * @param[in] root where proc/ and sys/ are; "" for those of the system
 * @param[in] controller such as "cpu" */
void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(const char *folder, void *argument), void *argument);

/** The least CPU quota of these groups, in processors' worth of time, such as 1.5; INFINITY where there is none or it
 * cannot be read. */
double control_groups_quota(const char *root);

/** The fewest bytes of memory that a limit of these groups leaves; SIZE_MAX where there is none. */
size_t control_groups_memory_bytes(const char *root);

#endif
