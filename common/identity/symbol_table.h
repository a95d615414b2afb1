/* SPDX-License-Identifier: BSD-3-Clause
 * The symbols that a loaded object itself defines for others: no object that it depends on is asked. */
#ifndef POLLUX_COMMON_SYMBOL_TABLE_H
#define POLLUX_COMMON_SYMBOL_TABLE_H

#include <link.h>
#include <stdbool.h>

/** Receives the name of one symbol. */
typedef void symbol_visitor(const char *symbol, void *data);

/** True if the object has a definition of this symbol. */
bool symbol_table_defines(const struct link_map *object, const char *symbol);

/** Visits all symbols that the object defines. */
void symbol_table_each(const struct link_map *object, symbol_visitor *visit, void *data);

#endif
