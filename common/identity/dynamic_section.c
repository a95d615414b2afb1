/* SPDX-License-Identifier: BSD-3-Clause
 * The linker keeps the section in memory, where it is a plain array. */
#include "common/identity/dynamic_section.h"

ElfW(Xword) dynamic_value(const struct link_map *object, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_val;
    return 0;
}

const void *dynamic_address(const struct link_map *object, ElfW(Sxword) tag)
{
    ElfW(Xword) value = dynamic_value(object, tag);
    /* The C library turns these into addresses where it may write to the section. */
    if (value != 0 && value < object->l_addr)
        value += object->l_addr;
    return (const void *)value;
}
