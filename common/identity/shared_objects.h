/* SPDX-License-Identifier: BSD-3-Clause
 * The shared objects of this process, and which of them actually provides a symbol. */
#ifndef POLLUX_COMMON_SHARED_OBJECTS_H
#define POLLUX_COMMON_SHARED_OBJECTS_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/** The program, then every object loaded now; follow `l_next`. */
const struct link_map *shared_objects(void);

/** The loaded object with this real path, or NULL. */
const struct link_map *shared_object_loaded(const char *path);

/** Real path of an object, or its name where the path cannot be resolved.
 * @param[out] path PATH_MAX bytes */
void shared_object_path(const struct link_map *object, char *path);

/** DT_SONAME, or NULL. */
const char *shared_object_soname(const struct link_map *object);

/** True if `object` names `other` among the libraries it needs (DT_NEEDED). */
bool shared_object_needs(const struct link_map *object, const struct link_map *other);

/** True if this object itself, not one it depends on, defines the symbol. */
bool shared_object_defines(const struct link_map *object, const char *symbol);

/** Address of the symbol in this object or in those it depends on, or NULL. */
void *shared_object_find(const struct link_map *object, const char *symbol);

/** GNU build id of the object, as hexadecimal; empty if it has none. */
void shared_object_build_id(const struct link_map *object, char *text, size_t size);

/** First place in the object's memory, as loaded from its file, where this text occurs, or NULL. The
 * text after it ends with a zero byte. */
const char *shared_object_text(const struct link_map *object, const char *text);

/** The object that holds this address, or NULL. */
const struct link_map *address_owner(const void *address);

/** Real path of the object that provides this symbol to the program, or false if none does.
 * @param[out] path PATH_MAX bytes */
bool symbol_owner(const char *symbol, char *path);

#endif
