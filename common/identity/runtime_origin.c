/* SPDX-License-Identifier: BSD-3-Clause
 * Bindings are those of the calls that each object actually makes, one by one: two runtimes may share
 * a process, each owning some of them. */
#include "common/identity/runtime_origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/text.h"
#include "common/identity/object_calls.h"
#include "common/identity/shared_objects.h"

/* An object that defines any of these is an OpenMP runtime. */
static const char *const entry_points[] = {"omp_get_thread_num", "GOMP_parallel",
                                           "__kmpc_fork_call"};

bool is_runtime(const struct link_map *object)
{
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++)
        if (shared_object_defines(object, entry_points[i]))
            return true;
    return false;
}

/* How the names of each interface's entry points begin. */
static const struct {
    const char *prefix;
    const char *abi; /* NULL: all interfaces have them */
} interfaces[] = {{"GOMP_", "GOMP"}, {"__kmpc_", "KMP"}, {"nanos_", "NANOX"}, {"omp_", NULL}};

enum { INTERFACES = sizeof interfaces / sizeof *interfaces };

/* Index in `interfaces`, or INTERFACES for other functions. */
static size_t interface_of(const char *symbol)
{
    size_t i = 0;
    while (i < INTERFACES &&
           strncmp(symbol, interfaces[i].prefix, strlen(interfaces[i].prefix)) != 0)
        i++;
    return i;
}

/* What to look for among the calls of one object. */
struct call_search {
    const struct link_map *caller;
    const struct link_map *runtime; /* NULL: any */
    const struct link_map *bound;   /* the runtime found */
    size_t interface;
};

static void find_bound(struct object_call call, void *data)
{
    struct call_search *search = data;
    size_t interface = interface_of(call.symbol);
    if (search->bound || interface == INTERFACES)
        return;
    const struct link_map *target = object_call_target(search->caller, call);
    if (target && (search->runtime ? target == search->runtime : is_runtime(target)))
        search->bound = target;
}

const struct link_map *runtime_of_program(void)
{
    struct call_search search = {.caller = shared_objects()};
    object_calls(search.caller, find_bound, &search);
    return search.bound;
}

bool runtime_is_live(const struct link_map *runtime)
{
    struct call_search search = {.runtime = runtime};
    for (const struct link_map *o = shared_objects(); o && !search.bound; o = o->l_next) {
        search.caller = o;
        if (!is_runtime(o))
            object_calls(o, find_bound, &search);
    }
    return search.bound != NULL;
}

static void find_interface(struct object_call call, void *data)
{
    size_t *found = data;
    size_t interface = interface_of(call.symbol);
    if (interface < INTERFACES && interfaces[interface].abi)
        *found = interface;
}

const char *abi_of_program(void)
{
    size_t found = INTERFACES;
    object_calls(shared_objects(), find_interface, &found);
    return found < INTERFACES ? interfaces[found].abi : NULL;
}

/* Where the name of a missing entry point goes. */
struct missing {
    char *symbol;
    size_t size;
};

static void find_missing(struct object_call call, void *data)
{
    struct missing *missing = data;
    if (!call.weak && interface_of(call.symbol) < INTERFACES &&
        !object_call_target(shared_objects(), call))
        snprintf(missing->symbol, missing->size, "%s", call.symbol);
}

void missing_entry_point(char *symbol, size_t size)
{
    struct missing missing = {symbol, size};
    symbol[0] = '\0';
    object_calls(shared_objects(), find_missing, &missing);
}

/* True if a list, as LD_PRELOAD's, names the object by its path or its soname. */
static bool is_listed(const char *list, const struct link_map *object)
{
    char copy[4 * PATH_MAX], wanted[PATH_MAX], *rest = NULL;
    const char *soname = shared_object_soname(object);
    if (!list || snprintf(copy, sizeof copy, "%s", list) >= (int)sizeof copy)
        return false;
    shared_object_path(object, wanted);
    for (char *name = strtok_r(copy, ": \t\n", &rest); name;
         name = strtok_r(NULL, ": \t\n", &rest)) {
        char path[PATH_MAX];
        if (strchr(name, '/') ? realpath(name, path) && strcmp(path, wanted) == 0
                              : (soname && strcmp(name, soname) == 0) ||
                                    strcmp(name, basename(object->l_name)) == 0)
            return true;
    }
    return false;
}

/* The object that needs this one; the program comes first. */
static const struct link_map *needed_by(const struct link_map *object)
{
    const struct link_map *other = shared_objects();
    while (other && (other == object || !shared_object_needs(other, object)))
        other = other->l_next;
    return other;
}

void runtime_origin(const struct link_map *object, char *text, size_t size)
{
    enum { CHAIN_MAX = 8 };
    const struct link_map *program = shared_objects();
    text[0] = '\0';
    for (int link = 0; link < CHAIN_MAX; link++) {
        char path[PATH_MAX];
        const char *join = link > 0 ? ", which is " : "";
        const struct link_map *other = needed_by(object);
        if (is_listed(getenv("LD_PRELOAD"), object)) {
            text_append(text, size, "%snamed in LD_PRELOAD", join);
            return;
        }
        if (!other || other == program) {
            text_append(text, size, other ? "%sneeded by %s" : "%sopened at run time", join,
                        message_program_name());
            return;
        }
        shared_object_path(other, path);
        text_append(text, size, "%sneeded by %s", join, path);
        object = other;
    }
}
