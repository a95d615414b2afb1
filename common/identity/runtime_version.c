/* SPDX-License-Identifier: BSD-3-Clause
 * libgomp and libomp do not report their version (libomp has had the same text since long before
 * 13), so their entry points are looked up, newest first. The others report it, or it remains
 * unknown. */
#include "common/identity/runtime_version.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/identity/shared_objects.h"

/* Versions from least to most; ANY where there is no bound. */
struct range {
    int least, most;
};

enum { ANY_LEAST = 0, ANY_MOST = 9999 };

struct rung {
    const char *symbol; /* NULL ends a ladder */
    struct range versions;
};

/* The first symbol found decides. Source: libgomp.map of GCC's releases. */
static const struct rung libgomp_ladder[] = {
    {"omp_target_memset", {16, ANY_MOST}},
    {"GOMP_interop", {15, 15}},
    {"GOMP_target_map_indirect_ptr", {14, 14}},
    {"GOMP_taskwait_depend_nowait", {13, 13}},
    {"GOMP_scope_start", {12, 12}},
    {"omp_fulfill_event", {11, 11}},
    {"acc_get_property", {10, 10}},
    {"GOMP_taskgroup_reduction_register", {9, 9}},
    {"GOMP_taskloop", {6, 8}},
    {NULL, {ANY_LEAST, 5}},
};

/* Sources: the exported symbols of 13, 14, 15, 16, 19 and 21; LLVM's history for the others: loop
 * collapsing came in 17, thread_limit on target in 18, device identifiers in 22. Version 20 added no
 * symbol. */
static const struct rung libomp_ladder[] = {
    {"omp_get_uid_from_device", {22, ANY_MOST}},
    {"omp_get_memspace_num_resources", {21, 21}},
    {"__kmpc_dispatch_deinit", {19, 20}},
    {"__kmpc_set_thread_limit", {18, 18}},
    {"__kmpc_for_collapsed_init", {17, 17}},
    {"__kmpc_omp_taskwait_deps_51", {16, 16}},
    {"omp_in_explicit_task", {15, 15}},
    {"__kmpc_scope", {14, 14}},
    {"__kmpc_masked", {13, 13}},
    {NULL, {ANY_LEAST, 12}},
};

static struct range climb(const struct link_map *object, const struct rung *ladder)
{
    while (ladder->symbol && !shared_object_defines(object, ladder->symbol))
        ladder++;
    return ladder->versions;
}

/* The version after `prefix` in a path, such as "/llvm-19/" or "/libomp-21.1.8/": its text goes to
 * `version`, its major number is returned; 0 if there is none. */
static int version_in_path(const char *path, const char *prefix, char *version, size_t size)
{
    int major = 0;
    const char *at = strstr(path, prefix);
    if (!at)
        return 0;
    at += strlen(prefix);
    size_t length = strspn(at, "0123456789.");
    if (sscanf(at, "%d", &major) != 1 || (at[length] != '/' && at[length] != '\0'))
        return 0;
    snprintf(version, size, "%.*s", (int)length, at);
    return major;
}

/* Users choose names of folders: a name counts only where the entry points agree. */
static bool narrowed_by_path(struct range range, const char *name, const char *path, char *version,
                             size_t size)
{
    char prefix[64], text[32];
    snprintf(prefix, sizeof prefix, "/%s-", name);
    int major = version_in_path(path, prefix, text, sizeof text);
    if (major == 0 && strcmp(name, "libomp") == 0)
        major = version_in_path(path, "/llvm-", text, sizeof text); /* Debian's and Ubuntu's */
    if (major == 0 || major < range.least || major > range.most)
        return false;
    snprintf(version, size, "%s", text);
    return true;
}

static void write_range(struct range range, char *version, size_t size)
{
    if (range.most == ANY_MOST)
        snprintf(version, size, ">=%d", range.least);
    else if (range.least == ANY_LEAST)
        snprintf(version, size, "<%d", range.most + 1);
    else if (range.least == range.most)
        snprintf(version, size, "%d", range.least);
    else
        snprintf(version, size, "%d-%d", range.least, range.most);
}

/* The text after `label` in the library's data, up to a blank. */
static void version_in_text(const struct link_map *object, const char *label, char *version,
                            size_t size)
{
    const char *found = shared_object_text(object, label);
    if (!found)
        return;
    found += strlen(label);
    snprintf(version, size, "%.*s", (int)strcspn(found, " \n"), found);
}

/* POSIX makes the conversion from dlsym's data pointer well defined, ISO C does not. */
union text_function {
    void *address;
    const char *(*call)(void);
};

/* Nanos++ reports it by a function of its C interface, in a library next to the one with the
 * entry points of OpenMP. */
static void nanos_version(const char *path, char *version, size_t size)
{
    static const char function[] = "nanos_get_runtime_version";
    union text_function report = {.address = dlsym(RTLD_DEFAULT, function)};
    char library[PATH_MAX];
    int folder = (int)(basename(path) - path);
    if (!report.address &&
        snprintf(library, sizeof library, "%.*slibnanox-c.so.1", folder, path) < PATH_MAX) {
        void *handle = dlopen(library, RTLD_LAZY);
        report.address = handle ? dlsym(handle, function) : NULL;
    }
    if (report.address)
        snprintf(version, size, "%s", report.call());
}

void runtime_version(const struct link_map *object, const char *name, const char *path,
                     char *version, size_t size)
{
    bool libgomp = strcmp(name, "libgomp") == 0;
    version[0] = '\0';
    if (libgomp || strcmp(name, "libomp") == 0) {
        struct range range = climb(object, libgomp ? libgomp_ladder : libomp_ladder);
        if (!narrowed_by_path(range, name, path, version, size))
            write_range(range, version, size);
    } else if (strcmp(name, "libiomp5") == 0) {
        version_in_text(object, "Intel(R) OMP version: ", version, size);
    } else if (strcmp(name, "ompss") == 0) {
        nanos_version(path, version, size);
    }
}

bool runtime_version_may_be(const char *version, int least, int most)
{
    struct range range = {ANY_LEAST, ANY_MOST};
    int a, b;
    if (sscanf(version, ">=%d", &a) == 1)
        range.least = a;
    else if (sscanf(version, "<%d", &b) == 1)
        range.most = b - 1;
    else if (sscanf(version, "%d-%d", &a, &b) == 2)
        range = (struct range){a, b};
    else if (sscanf(version, "%d", &a) == 1)
        range = (struct range){a, a};
    return range.least <= most && range.most >= least;
}
