/* SPDX-License-Identifier: BSD-3-Clause
 * A few small files of /proc, and those of control groups. The threads of one user are counted only where
 * all threads of the system together might be too many. */
#include "common/base/limits.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/control_groups.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/base/system_file.h"

/* A line of a file below the root that begins so, without that beginning; NULL if there is none. */
static char *line_of(const char *root, const char *name, const char *beginning, char *line,
                     size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return system_line_after(path, beginning, line, size);
}

/* The number after that beginning of a line; SIZE_MAX where there is none ("max"). */
static size_t number_of(const char *root, const char *name, const char *beginning)
{
    char line[256], *end;
    char *text = line_of(root, name, beginning, line, sizeof line);
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    return text && end != text ? (size_t)value : SIZE_MAX;
}

static size_t left_of(size_t limit, size_t used)
{
    if (limit == SIZE_MAX || used == SIZE_MAX)
        return SIZE_MAX;
    return limit > used ? limit - used : 0;
}

static size_t resource_limit(int resource)
{
    struct rlimit limit;
    bool known = getrlimit(resource, &limit) == 0;
    return known && limit.rlim_cur != RLIM_INFINITY ? (size_t)limit.rlim_cur : SIZE_MAX;
}

/* All threads of the system: "0.52 0.50 0.48 2/834 4711". */
static size_t system_threads(const char *root)
{
    char line[256], *text = line_of(root, "proc/loadavg", "", line, sizeof line);
    const char *slash = text ? strchr(text, '/') : NULL;
    return slash ? (size_t)strtoull(slash + 1, NULL, 10) : SIZE_MAX;
}

static size_t user_threads(const char *root)
{
    char path[PATH_MAX];
    struct stat status;
    size_t threads = 0;
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[sizeof entry->d_name + 16];
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%s/proc/%s", root, entry->d_name);
        snprintf(name, sizeof name, "proc/%s/status", entry->d_name);
        if (stat(path, &status) != 0 || status.st_uid != getuid())
            continue;
        size_t of_process = number_of(root, name, "Threads:");
        threads += of_process == SIZE_MAX ? 1 : of_process;
    }
    if (folder)
        closedir(folder);
    return threads;
}

/* Whether the process is in a user namespace of its own, as in rootless containers: its root is another user outside, and
 * its capabilities do not count there. */
static bool is_in_namespace(const char *root)
{
    unsigned long inside = 0, outside = 0, count = UINT32_MAX;
    char line[256], *text = line_of(root, "proc/self/uid_map", "", line, sizeof line);
    if (text)
        sscanf(text, "%lu %lu %lu", &inside, &outside, &count);
    return inside != 0 || outside != 0 || count != UINT32_MAX;
}

/* Whether RLIMIT_NPROC does not hold for this process, as clone(2) describes. */
static bool may_exceed(const char *root)
{
    enum { CAP_SYS_ADMIN = 21, CAP_SYS_RESOURCE = 24 };
    char line[256], *text = line_of(root, "proc/self/status", "CapEff:", line, sizeof line);
    unsigned long long set = text ? strtoull(text, NULL, 16) : 0;
    if (is_in_namespace(root))
        return false;
    return getuid() == 0 || set >> CAP_SYS_ADMIN & 1 || set >> CAP_SYS_RESOURCE & 1;
}

static size_t left_to_user(const char *root, size_t threads)
{
    size_t limit = resource_limit(RLIMIT_NPROC);
    if (limit == SIZE_MAX || may_exceed(root))
        return SIZE_MAX;
    size_t left = left_of(limit, system_threads(root));
    return left >= threads ? left : left_of(limit, user_threads(root));
}

static void take_left_of_group(const char *folder, void *argument)
{
    size_t *left = argument;
    size_t limit = number_of(folder, "pids.max", "");
    if (limit != SIZE_MAX)
        *left = smaller(*left, left_of(limit, number_of(folder, "pids.current", "")));
}

static size_t left_to_groups(const char *root)
{
    size_t left = SIZE_MAX;
    control_groups_visit(root, "pids", take_left_of_group, &left);
    return left;
}

static size_t mappings_in_use(const char *root)
{
    char path[PATH_MAX];
    size_t lines = 0;
    snprintf(path, sizeof path, "%s/proc/self/maps", root);
    FILE *file = fopen(path, "re");
    for (int c; file && (c = getc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

/* glibc maps two pieces for a thread: its stack, and the guard below it. */
enum { MAPPINGS_OF_A_THREAD = 2, MAPPINGS_OF_A_PROCESS = 4096 };

static size_t left_mappings(const char *root, size_t threads)
{
    size_t limit = number_of(root, "proc/sys/vm/max_map_count", "");
    bool plenty = limit / MAPPINGS_OF_A_THREAD >= threads + MAPPINGS_OF_A_PROCESS;
    return left_of(limit, plenty ? 0 : mappings_in_use(root));
}

static size_t left_address_bytes(const char *root)
{
    size_t limit = resource_limit(RLIMIT_AS);
    if (limit == SIZE_MAX)
        return SIZE_MAX;
    size_t pages = number_of(root, "proc/self/statm", "");
    return left_of(limit, pages == SIZE_MAX ? 0 : pages * (size_t)sysconf(_SC_PAGESIZE));
}

static size_t left_writable_bytes(const char *root)
{
    size_t limit = resource_limit(RLIMIT_DATA);
    if (limit == SIZE_MAX)
        return SIZE_MAX;
    size_t kibibytes = number_of(root, "proc/self/status", "VmData:");
    return left_of(limit, kibibytes == SIZE_MAX ? 0 : kibibytes << 10);
}

size_t limits_memory_bytes(const char *root)
{
    return smaller(left_address_bytes(root), left_writable_bytes(root));
}

struct limits limits_read(const char *root, size_t threads)
{
    size_t most = smaller(number_of(root, "proc/sys/kernel/threads-max", ""),
                          number_of(root, "proc/sys/kernel/pid_max", ""));
    return (struct limits){.user_threads = left_to_user(root, threads),
                           .system_threads = left_of(most, system_threads(root)),
                           .group_threads = left_to_groups(root),
                           .mappings = left_mappings(root, threads),
                           .address_bytes = left_address_bytes(root),
                           .writable_bytes = left_writable_bytes(root),
                           .stack_bytes = resource_limit(RLIMIT_STACK)};
}

/* libgomp 12 to 15 describe each thread of a new team on the first thread's stack, in less than
 * this (struct gomp_thread_start_data); the rest of the program needs far less than the slack. */
enum { START_BYTES = 160, STACK_SLACK = 1 << 18 };

/* glibc's malloc reserves an arena of this size for each new thread that allocates, at most eight
 * for each processor (malloc/arena.c, HEAP_MAX_SIZE and NARENAS_FROM_NCORES). */
static const size_t ARENA_BYTES = (size_t)64 << 20;
enum { ARENAS_OF_A_PROCESSOR = 8, GUARD_BYTES = 4096 };

static size_t writable_needs(const struct team_needs *needs)
{
    size_t stacks = saturating_multiply(needs->threads - 1, needs->stack_bytes);
    return saturating_add(needs->threads * needs->blas_bytes,
                          saturating_add(stacks, needs->data_bytes));
}

/* Guards and the unused part of arenas cannot be written to. */
static size_t address_needs(const struct team_needs *needs)
{
    size_t others = needs->threads - 1;
    size_t arenas = smaller(others, ARENAS_OF_A_PROCESSOR * (size_t)sysconf(_SC_NPROCESSORS_ONLN));
    return saturating_add(writable_needs(needs), others * GUARD_BYTES + arenas * ARENA_BYTES);
}

static bool check_bytes(size_t threads, size_t needed, size_t left, const char *limit, char *text,
                        size_t size)
{
    const double GIB = 0x1p30;
    if (needed <= left)
        return true;
    snprintf(
        text, size,
        "%zu thread%s need%s %.3g GiB for data, stacks and what BLAS and the C library reserve, "
        "and %s leaves %.3g GiB; use fewer threads or a smaller matrix, or raise the limit",
        threads, plural(threads), threads == 1 ? "s" : "", (double)needed / GIB, limit,
        (double)left / GIB);
    return false;
}

static const char *too_many(char *text, size_t size, size_t threads, size_t left, const char *limit)
{
    snprintf(text, size,
             "%zu threads are too many: %s allows %zu now; use fewer, or raise the limit", threads,
             limit, left + 1);
    return text;
}

static const char *check_threads(const struct limits *limits, size_t threads, char *text,
                                 size_t size)
{
    const struct {
        size_t left;
        const char *name;
    } all[] = {
        {limits->user_threads, "the limit on the user's processes (ulimit -u)"},
        {limits->group_threads, "the control group's limit on processes (pids.max)"},
        {limits->system_threads, "the system (kernel.threads-max, kernel.pid_max)"},
        {limits->mappings / MAPPINGS_OF_A_THREAD, "the limit on mappings (vm.max_map_count)"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (threads - 1 > all[i].left)
            return too_many(text, size, threads, all[i].left, all[i].name);
    return NULL;
}

const char *limits_exceeded(const struct limits *limits, const struct team_needs *needs, char *text,
                            size_t size)
{
    size_t threads = needs->threads, start = (threads - 1) * START_BYTES + STACK_SLACK;
    if (check_threads(limits, threads, text, size))
        return text;
    if (threads > 1 && start > limits->stack_bytes) {
        snprintf(text, size,
                 "%zu threads are too many: to start them, the first one needs a stack of %zu KiB, "
                 "and ulimit -s allows %zu; use fewer, or raise the limit",
                 threads, start >> 10, limits->stack_bytes >> 10);
        return text;
    }
    bool fits = check_bytes(threads, address_needs(needs), limits->address_bytes, "ulimit -v", text,
                            size) &&
                check_bytes(threads, writable_needs(needs), limits->writable_bytes, "ulimit -d",
                            text, size);
    return fits ? NULL : text;
}

void limits_require(const struct team_needs *needs)
{
    char text[512];
    struct limits limits = limits_read("", needs->threads);
    if (limits_exceeded(&limits, needs, text, sizeof text))
        message_fatal(POLLUX_MACHINE, "%s", text);
}
