/* SPDX-License-Identifier: BSD-3-Clause
 * Two searches. The program's calls: each is bound to the library, or to one that the program names
 * where the library lacks it. Then the objects that the dynamic linker asks before the library: what they
 * define too takes the place of the library's own, in calls from LAPACKE and from the library itself. */
#include "common/identity/blas_routines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/identity/object_calls.h"
#include "common/identity/shared_objects.h"
#include "common/identity/symbol_table.h"

enum { PROVIDERS_MAX = 8 };

struct search {
    const struct link_map *program;
    const char *own;
    const struct link_map *providers[PROVIDERS_MAX]; /* the library, then interfaces to it */
    size_t provider_count;
    const struct link_map *provider, *owner; /* of the second search: what `owner` replaces */
    struct foreign_routine *foreign;
    bool found;
};

static void note(struct search *search, const char *symbol, const struct link_map *owner)
{
    if (search->found)
        return;
    search->found = true;
    snprintf(search->foreign->name, sizeof search->foreign->name, "%s", symbol);
    shared_object_path(owner, search->foreign->path);
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* By its name: CBLAS, LAPACKE, or Fortran's form of a name. */
static bool looks_like_a_routine(const char *symbol)
{
    size_t length = strlen(symbol);
    return begins_with(symbol, "cblas_") || begins_with(symbol, "LAPACKE_") ||
           (length > 1 && islower((unsigned char)symbol[0]) && symbol[length - 1] == '_');
}

/* A library's own functions, such as openblas_…, report and set. */
static bool computes_nothing(const struct search *search, const char *symbol)
{
    return begins_with(symbol, search->own);
}

static void add_provider(struct search *search, const struct link_map *object)
{
    for (size_t i = 0; i < search->provider_count; i++)
        if (search->providers[i] == object)
            return;
    if (search->provider_count < PROVIDERS_MAX)
        search->providers[search->provider_count++] = object;
}

static void check_call(struct object_call call, void *data)
{
    struct search *search = data;
    const struct link_map *blas = search->providers[0];
    bool own = symbol_table_defines(blas, call.symbol);
    if (search->found || computes_nothing(search, call.symbol) ||
        !(own || looks_like_a_routine(call.symbol)))
        return;
    const struct link_map *target = object_call_target(search->program, call);
    if (!target)
        return;
    if (own ? target != blas : !shared_object_needs(search->program, target))
        note(search, call.symbol, target);
    else
        add_provider(search, target);
}

static bool anyone_calls(const char *symbol)
{
    for (const struct link_map *object = shared_objects(); object; object = object->l_next)
        if (object_refers(object, symbol))
            return true;
    return false;
}

static void check_definition(const char *symbol, void *data)
{
    struct search *search = data;
    if (!search->found && symbol_table_defines(search->provider, symbol) &&
        !computes_nothing(search, symbol) && anyone_calls(symbol))
        note(search, symbol, search->owner);
}

/* The objects before a provider in the order in which the dynamic linker searches. */
static void check_replaced(struct search *search, const struct link_map *provider)
{
    search->provider = provider;
    for (search->owner = search->program; search->owner && search->owner != provider;
         search->owner = search->owner->l_next)
        if (search->owner != search->providers[0])
            symbol_table_each(search->owner, check_definition, search);
}

bool blas_find_foreign(const struct link_map *blas, const char *own,
                       struct foreign_routine *foreign)
{
    struct search search = {.program = shared_objects(), .own = own, .foreign = foreign};
    add_provider(&search, blas);
    object_calls(search.program, check_call, &search);
    for (size_t i = 0; i < search.provider_count && !search.found; i++)
        check_replaced(&search, search.providers[i]);
    return search.found;
}
