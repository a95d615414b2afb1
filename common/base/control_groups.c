/* SPDX-License-Identifier: BSD-3-Clause
 * The lines of /proc/self/cgroup are "0::/GROUP", and "N:CONTROLLERS:/GROUP" in the older version. */
#include "common/base/control_groups.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/system_file.h"
#include "common/base/text.h"

/* What is to be called, and for which files. */
struct visit {
    const char *root;
    void (*visit)(const char *folder, void *argument);
    void *argument;
};

/* From the group up to the root of a mount; a container may not see all of them. */
static void visit_upwards(const struct visit *v, const char *mount, const char *group)
{
    char folder[PATH_MAX];
    for (size_t length = strlen(group);; length--) {
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%.*s", v->root, mount, (int)length,
                 group);
        v->visit(folder, v->argument);
        while (length > 0 && group[length - 1] != '/')
            length--;
        if (length == 0)
            return;
    }
}

static void visit_line(const struct visit *v, char *line, const char *controller)
{
    char mount[NAME_MAX];
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    strsep(&rest, ":");
    const char *controllers = strsep(&rest, ":");
    if (!rest)
        return;
    if (controllers[0] == '\0') {
        visit_upwards(v, "", rest);
        visit_upwards(v, "/unified", rest);
    } else if (text_lists(controllers, controller, strlen(controller))) {
        snprintf(mount, sizeof mount, "/%s", controllers);
        visit_upwards(v, mount, rest);
        snprintf(mount, sizeof mount, "/%s", controller);
        visit_upwards(v, mount, rest);
    }
}

void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(const char *folder, void *argument), void *argument)
{
    const struct visit v = {root, visit, argument};
    char path[PATH_MAX], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        visit_line(&v, line, controller);
    if (file)
        fclose(file);
}

/* Reads two numbers that are separated by blanks.
 * @return how many there were */
static int read_numbers(const char *folder, const char *name, double *first, double *second)
{
    char path[PATH_MAX + NAME_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    int count = file ? fscanf(file, "%lf %lf", first, second) : 0;
    if (file)
        fclose(file);
    return count;
}

/* The quota of one group: so many microseconds in each period; "max", or negative, where there is none. */
static void take_quota(const char *folder, void *argument)
{
    double *least = argument, quota = 0.0, period = 0.0, none;
    if (read_numbers(folder, "cpu.max", &quota, &period) < 2 &&
        (read_numbers(folder, "cpu.cfs_quota_us", &quota, &none) < 1 ||
         read_numbers(folder, "cpu.cfs_period_us", &period, &none) < 1))
        return;
    if (quota > 0.0 && period > 0.0)
        *least = fmin(*least, quota / period);
}

double control_groups_quota(const char *root)
{
    double least = (double)INFINITY;
    control_groups_visit(root, "cpu", take_quota, &least);
    return least;
}

/* The number after that beginning of a line of memory.stat; 0 where there is none. */
static double statistic(const char *folder, const char *beginning)
{
    char path[PATH_MAX + NAME_MAX], line[NAME_MAX];
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const char *number = system_line_after(path, beginning, line, sizeof line);
    return number ? strtod(number, NULL) : 0.0;
}

/* Pages of files count as used, though the kernel takes them back where memory is short. */
static void take_memory(const char *folder, void *argument)
{
    double *least = argument, limit, used = 0.0, none, cached;
    if (read_numbers(folder, "memory.max", &limit, &none) == 1) {
        read_numbers(folder, "memory.current", &used, &none);
        cached = statistic(folder, "inactive_file ");
    } else if (read_numbers(folder, "memory.limit_in_bytes", &limit, &none) == 1) {
        read_numbers(folder, "memory.usage_in_bytes", &used, &none);
        cached = statistic(folder, "total_inactive_file ");
    } else
        return;
    *least = fmin(*least, fmax(0.0, limit - used + cached));
}

size_t control_groups_memory_bytes(const char *root)
{
    const double plenty = 0x1p60; /* version 1 has such a number where there is no limit */
    double least = plenty;
    control_groups_visit(root, "memory", take_memory, &least);
    return least < plenty ? (size_t)least : SIZE_MAX;
}
