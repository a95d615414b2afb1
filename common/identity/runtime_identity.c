/* SPDX-License-Identifier: BSD-3-Clause
 * The runtime is the owner of what the program calls; every other object that defines entry points
 * of OpenMP is a second one. */
#include "common/identity/runtime_identity.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/message.h"
#include "common/identity/default_library.h"
#include "common/identity/runtime_origin.h"
#include "common/identity/runtime_version.h"
#include "common/identity/runtimes.h"
#include "common/identity/shared_objects.h"

/* The research runtimes built on LLVM's keep its entry points, and files get renamed: they are
 * recognised by the entry points that they add and by texts that they contain, libKOMP alone by
 * the name of its file. */
static bool has_mark(const struct link_map *object, const char *path,
                     const struct runtime_entry *entry)
{
    if (!entry->file && !entry->symbol && !entry->text)
        return true;
    return (entry->file && strstr(basename(path), entry->file)) ||
           (entry->symbol && shared_object_find(object, entry->symbol)) ||
           (entry->text && shared_object_text(object, entry->text));
}

static const char *runtime_name(const struct link_map *object, const char *path)
{
    for (const struct runtime_entry *entry = runtime_entries; entry->name; entry++)
        if ((!entry->defines || shared_object_defines(object, entry->defines)) &&
            has_mark(object, path, entry))
            return entry->name;
    return "unknown";
}

/* Every runtime with OMPT starts a tool through a function of this name: it defines a weak one,
 * as libomp does, or looks it up. Either way the object contains the name; one built without
 * OMPT does not. */
static bool has_ompt(const struct link_map *object)
{
    return shared_object_text(object, "ompt_start_tool") != NULL;
}

/* A library offers an interface if it has all the entry points that tasks need; XKOMP has some
 * of GCC's. A NULL ends the list. */
static bool offers(const struct link_map *object, const char *const *needed)
{
    while (*needed && shared_object_defines(object, *needed))
        needed++;
    return !*needed;
}

static const char *const gomp_tasks[] = {"GOMP_parallel", "GOMP_single_start", "GOMP_barrier",
                                         "GOMP_task",     "GOMP_taskwait",     NULL};
static const char *const kmp_tasks[] = {"__kmpc_fork_call",
                                        "__kmpc_single",
                                        "__kmpc_barrier",
                                        "__kmpc_omp_task_with_deps",
                                        "__kmpc_omp_task",
                                        "__kmpc_omp_taskwait",
                                        NULL};

static void describe(const struct link_map *object, struct runtime_library *library)
{
    const char *soname = shared_object_soname(object);
    *library = (struct runtime_library){.ompt = has_ompt(object)};
    shared_object_path(object, library->path);
    snprintf(library->name, sizeof library->name, "%s", runtime_name(object, library->path));
    snprintf(library->soname, sizeof library->soname, "%s", soname ? soname : "");
    runtime_version(object, library->name, library->path, library->version,
                    sizeof library->version);
    shared_object_build_id(object, library->build_id, sizeof library->build_id);
    library->gomp = offers(object, gomp_tasks);
    library->kmp = offers(object, kmp_tasks);
}

bool runtime_describe(const char *path, struct runtime_library *library)
{
    const struct link_map *object = shared_object_loaded(path);
    if (!object || !is_runtime(object))
        return false;
    describe(object, library);
    return true;
}

static void describe_active(const struct link_map *object, struct runtime_identity *identity)
{
    struct runtime_library library;
    describe(object, &library);
    memcpy(identity->name, library.name, sizeof identity->name);
    memcpy(identity->version, library.version, sizeof identity->version);
    memcpy(identity->path, library.path, sizeof identity->path);
    memcpy(identity->build_id, library.build_id, sizeof identity->build_id);
    identity->ompt = library.ompt;
    identity->live = runtime_is_live(object);
    runtime_origin(object, identity->origin, sizeof identity->origin);
}

/* The text between a name and what follows it. */
static const char *blank_before(const char *version)
{
    return version[0] ? " " : "";
}

static const char *use(bool live)
{
    return live ? "in use" : "idle";
}

static void describe_second(const struct link_map *object, struct runtime_identity *identity)
{
    struct runtime_library library;
    char origin[RUNTIME_ORIGIN_SIZE];
    describe(object, &library);
    runtime_origin(object, origin, sizeof origin);
    memcpy(identity->second, library.path, sizeof identity->second);
    snprintf(identity->second_text, sizeof identity->second_text, "%s%s%s (%s; %s; %s)",
             library.name, blank_before(library.version), library.version, library.path, origin,
             use(runtime_is_live(object)));
}

/* Finds the build's own runtime where the environment put another file in its place without
 * announcing it. The library that the linker chose at build time counts as the build's own, and
 * so does the dynamic linker's present choice: an update of the system may have moved it. */
static void find_own(const struct link_map *object, struct runtime_identity *identity)
{
    char today[PATH_MAX], linked[PATH_MAX];
    const char *soname = shared_object_soname(object);
    if (getenv("POLLUX_EXPECT_RUNTIME") || identity->expected_path || !default_library_overridden())
        return;
    if (realpath(POLLUX_RUNTIME_LIBRARY, linked) && strcmp(linked, identity->path) == 0)
        return;
    if (!(soname && default_library(soname, today)) &&
        !default_library(basename(object->l_name), today))
        return;
    if (strcmp(today, identity->path) != 0)
        memcpy(identity->own, today, sizeof identity->own);
}

struct runtime_identity runtime_identify(void)
{
    const char *expected = getenv("POLLUX_EXPECT_RUNTIME");
    const char *abi = abi_of_program();
    struct runtime_identity identity = {
        .name = "unknown",
        .abi = abi ? abi : "unknown",
        .expected = expected ? expected : POLLUX_RUNTIME,
        .expected_path = getenv("POLLUX_EXPECT_RUNTIME_PATH"),
    };
    const struct link_map *active = runtime_of_program();
    if (!active)
        active = address_owner(dlsym(RTLD_DEFAULT, "omp_get_thread_num"));
    if (!active)
        return identity;
    describe_active(active, &identity);
    missing_entry_point(identity.missing, sizeof identity.missing);
    find_own(active, &identity);
    for (const struct link_map *object = shared_objects(); object; object = object->l_next)
        if (object != active && !identity.second[0] && is_runtime(object))
            describe_second(object, &identity);
    return identity;
}

static bool check_single(const struct runtime_identity *identity)
{
    if (identity->second[0] == '\0')
        return true;
    message_error("two OpenMP runtimes are in this process, %s%s%s (%s; %s; %s) and %s: remove one "
                  "from LD_PRELOAD, or use libraries that do not load it",
                  identity->name, blank_before(identity->version), identity->version,
                  identity->path, identity->origin, use(identity->live), identity->second_text);
    return false;
}

static bool check_name(const struct runtime_identity *identity)
{
    if (strcmp(identity->name, identity->expected) == 0)
        return true;
    if (identity->path[0] == '\0')
        message_error("no OpenMP runtime is loaded as a shared library, but %s is expected: link "
                      "it dynamically",
                      quoted(identity->expected).text);
    else
        message_error("the OpenMP runtime loaded is %s (%s), but %s is expected: put its library "
                      "first in LD_LIBRARY_PATH, or set POLLUX_EXPECT_RUNTIME=%s",
                      identity->name, identity->path, quoted(identity->expected).text,
                      identity->name);
    return false;
}

static bool check_path(const struct runtime_identity *identity)
{
    char wanted[PATH_MAX];
    if (!identity->expected_path)
        return true;
    if (!realpath(identity->expected_path, wanted)) {
        message_error("POLLUX_EXPECT_RUNTIME_PATH=%s: no such file", identity->expected_path);
        return false;
    }
    if (strcmp(wanted, identity->path) == 0)
        return true;
    message_error("the OpenMP runtime loaded is %s%s%s (%s), but %s is expected "
                  "(POLLUX_EXPECT_RUNTIME_PATH): its folder must come first in LD_LIBRARY_PATH and "
                  "contain every name a program may need (libgomp.so.1, libomp.so.5, libomp.so, "
                  "libiomp5.so)",
                  identity->name, blank_before(identity->version), identity->version,
                  identity->path, wanted);
    return false;
}

static bool check_own(const struct runtime_identity *identity)
{
    if (identity->own[0] == '\0')
        return true;
    message_error("%s%s%s (%s; %s) is loaded in place of the build's own %s: clear LD_LIBRARY_PATH "
                  "and LD_PRELOAD, or set POLLUX_EXPECT_RUNTIME=%s if that is intended",
                  identity->name, blank_before(identity->version), identity->version,
                  identity->path, identity->origin, identity->own, identity->name);
    return false;
}

static bool check_complete(const struct runtime_identity *identity)
{
    if (identity->missing[0] == '\0')
        return true;
    message_error("%s%s%s (%s) cannot run this program: it lacks %s", identity->name,
                  blank_before(identity->version), identity->version, identity->path,
                  identity->missing);
    return false;
}

bool runtime_check(const struct runtime_identity *identity)
{
    return check_single(identity) && check_name(identity) && check_path(identity) &&
           check_own(identity) && check_complete(identity);
}

json_t *runtime_json(const struct runtime_identity *identity)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:b, s:s}", "name", identity->name, "version",
                     json_text_or_null(identity->version), "path", json_text(identity->path),
                     "build_id", json_text_or_null(identity->build_id), "abi", identity->abi,
                     "ompt", (int)identity->ompt, "expected", identity->expected);
}

json_t *runtime_library_json(const struct runtime_library *library)
{
    json_t *abi = json_array();
    if (library->gomp)
        json_array_append_new(abi, json_string("GOMP"));
    if (library->kmp)
        json_array_append_new(abi, json_string("KMP"));
    if (strcmp(library->name, "ompss") == 0)
        json_array_append_new(abi, json_string("NANOX"));
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:b}", "path", json_text(library->path),
                     "soname", json_text_or_null(library->soname), "name", library->name, "version",
                     json_text_or_null(library->version), "build_id",
                     json_text_or_null(library->build_id), "abi", abi, "ompt", (int)library->ompt);
}
