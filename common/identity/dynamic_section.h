/* SPDX-License-Identifier: BSD-3-Clause
 * The dynamic section of a loaded object: the entries that its file has for the dynamic linker. */
#ifndef POLLUX_COMMON_DYNAMIC_SECTION_H
#define POLLUX_COMMON_DYNAMIC_SECTION_H

#include <link.h>

/** The value under this tag; 0 where there is none. */
ElfW(Xword) dynamic_value(const struct link_map *object, ElfW(Sxword) tag);

/** The address under this tag, or NULL. */
const void *dynamic_address(const struct link_map *object, ElfW(Sxword) tag);

#endif
