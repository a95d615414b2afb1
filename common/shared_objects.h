/* SPDX-License-Identifier: BSD-3-Clause
 * Which shared object really provides a symbol. */
#ifndef POLLUX_COMMON_SHARED_OBJECTS_H
#define POLLUX_COMMON_SHARED_OBJECTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { SHARED_OBJECTS_MAX = 512 };

/** The loaded objects, by the names the dynamic linker knows them by. */
struct shared_objects {
    size_t count;
    char *name[SHARED_OBJECTS_MAX];
};

/** Lists the objects loaded now. To be given to shared_objects_free. */
struct shared_objects shared_objects_loaded(void);

void shared_objects_free(struct shared_objects *objects);

/** True if this object itself, not one it depends on, defines the symbol. */
bool shared_object_defines(const char *object, const char *symbol);

/** Real path of the object that provides this symbol to the program, or false if none does.
 * @param[out] path PATH_MAX bytes */
bool symbol_owner(const char *symbol, char *path);

/** Real path of an object, its own name where the file system does not tell.
 * @param[out] path PATH_MAX bytes */
void shared_object_path(const char *object, char *path);

/** GNU build id of the object loaded under that name, as hexadecimal; empty if it has none. */
void shared_object_build_id(const char *object, char *text, size_t size);

#endif
