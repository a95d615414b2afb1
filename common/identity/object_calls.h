/* SPDX-License-Identifier: BSD-3-Clause
 * Which functions of other objects an object calls, read from its relocations. */
#ifndef POLLUX_COMMON_OBJECT_CALLS_H
#define POLLUX_COMMON_OBJECT_CALLS_H

#include <link.h>
#include <stdbool.h>

/** An undefined symbol that an object refers to; `version` is NULL where it requires none. */
struct object_call {
    const char *symbol;
    const char *version;
    bool weak; /**< the object can do without it */
};

/** Receives one call; the same symbol may occur more than once. */
typedef void object_call_visitor(struct object_call call, void *data);

/** Visits the symbols that the object refers to and does not define. */
void object_calls(const struct link_map *object, object_call_visitor *visit, void *data);

/** True if the object refers to the symbol, even if it also defines it: such a reference is bound to the
 * first object that defines it. */
bool object_refers(const struct link_map *object, const char *symbol);

/** The object that the dynamic linker binds this call of `object` to, or NULL: by name and version,
 * in the order in which libraries were loaded, the object's own libraries last. */
const struct link_map *object_call_target(const struct link_map *object, struct object_call call);

#endif
