/* SPDX-License-Identifier: BSD-3-Clause
 * How an OpenMP runtime came into this process, and whether anything in it is used. */
#ifndef POLLUX_COMMON_RUNTIME_ORIGIN_H
#define POLLUX_COMMON_RUNTIME_ORIGIN_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/** True if the object is an OpenMP runtime: it defines entry points that only these define. */
bool is_runtime(const struct link_map *object);

/** The runtime that the program's own calls of OpenMP's entry points are bound to, or NULL. */
const struct link_map *runtime_of_program(void);

/** True if the program, or an object that is no runtime itself, calls this runtime. */
bool runtime_is_live(const struct link_map *runtime);

/** Entry points that the program calls: "GOMP", "KMP" or "NANOX", or NULL if it calls none. */
const char *abi_of_program(void);

/** Writes the name of an entry point that the program calls and no object defines, or nothing. */
void missing_entry_point(char *symbol, size_t size);

/** Says who loaded the object: "needed by …", "named in LD_PRELOAD" or "opened at run time". */
void runtime_origin(const struct link_map *object, char *text, size_t size);

#endif
