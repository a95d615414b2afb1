/* SPDX-License-Identifier: BSD-3-Clause
 * A relocation names a symbol by its index; the version comes from two more tables. A call is looked
 * up by name and version, as the dynamic linker does: the first object with the name alone may not
 * be the one that is bound. */
#include "common/identity/object_calls.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "common/identity/dynamic_section.h"
#include "common/identity/shared_objects.h"

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_INDEX ELF64_R_SYM
#define SYMBOL_BINDING ELF64_ST_BIND
#else
#define SYMBOL_INDEX ELF32_R_SYM
#define SYMBOL_BINDING ELF32_ST_BIND
#endif

/* Name of the version with this number among those that the object requires, or NULL. */
static const char *version_name(const struct link_map *object, unsigned number)
{
    const char *strings = dynamic_address(object, DT_STRTAB);
    const char *file = dynamic_address(object, DT_VERNEED);
    for (size_t files = dynamic_value(object, DT_VERNEEDNUM); file && files > 0; files--) {
        const ElfW(Verneed) *need = (const void *)file;
        const char *at = file + need->vn_aux;
        for (unsigned i = 0; i < need->vn_cnt; i++) {
            const ElfW(Vernaux) *version = (const void *)at;
            if (version->vna_other == number)
                return strings + version->vna_name;
            at += version->vna_next;
        }
        file += need->vn_next;
    }
    return NULL;
}

/* Receives a symbol by its index. */
typedef void index_visitor(const struct link_map *object, size_t index, void *data);

/* ElfW(Rela) begins like ElfW(Rel), and only that beginning is read. */
static void visit_table(const struct link_map *object, ElfW(Sxword) tag, size_t bytes,
                        size_t stride, index_visitor *visit, void *data)
{
    const char *table = dynamic_address(object, tag);
    for (size_t at = 0; table && at + stride <= bytes; at += stride) {
        const ElfW(Rel) *relocation = (const void *)(table + at);
        size_t index = SYMBOL_INDEX(relocation->r_info);
        if (index != 0)
            visit(object, index, data);
    }
}

/* The symbol of each relocation that has one. */
static void visit_relocations(const struct link_map *object, index_visitor *visit, void *data)
{
    bool addends = dynamic_value(object, DT_PLTREL) == DT_RELA;
    if (!dynamic_address(object, DT_SYMTAB) || !dynamic_address(object, DT_STRTAB))
        return;
    visit_table(object, DT_JMPREL, dynamic_value(object, DT_PLTRELSZ),
                addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel)), visit, data);
    visit_table(object, DT_RELA, dynamic_value(object, DT_RELASZ), sizeof(ElfW(Rela)), visit, data);
    visit_table(object, DT_REL, dynamic_value(object, DT_RELSZ), sizeof(ElfW(Rel)), visit, data);
}

struct calls {
    object_call_visitor *visit;
    void *data;
};

static void visit_undefined(const struct link_map *object, size_t index, void *data)
{
    const struct calls *calls = data;
    const ElfW(Sym) *symbols = dynamic_address(object, DT_SYMTAB);
    const ElfW(Half) *versions = dynamic_address(object, DT_VERSYM);
    const char *strings = dynamic_address(object, DT_STRTAB);
    enum { VERSION_NUMBER = 0x7fff, FIRST_VERSION = 2 };
    if (symbols[index].st_shndx != SHN_UNDEF)
        return;
    unsigned number = versions ? versions[index] & VERSION_NUMBER : 0;
    struct object_call call = {
        strings + symbols[index].st_name,
        number >= FIRST_VERSION ? version_name(object, number) : NULL,
        SYMBOL_BINDING(symbols[index].st_info) == STB_WEAK,
    };
    calls->visit(call, calls->data);
}

void object_calls(const struct link_map *object, object_call_visitor *visit, void *data)
{
    struct calls calls = {visit, data};
    visit_relocations(object, visit_undefined, &calls);
}

struct reference {
    const char *symbol;
    bool found;
};

static void compare(const struct link_map *object, size_t index, void *data)
{
    struct reference *reference = data;
    const ElfW(Sym) *symbols = dynamic_address(object, DT_SYMTAB);
    const char *strings = dynamic_address(object, DT_STRTAB);
    if (strcmp(strings + symbols[index].st_name, reference->symbol) == 0)
        reference->found = true;
}

bool object_refers(const struct link_map *object, const char *symbol)
{
    struct reference reference = {symbol, false};
    visit_relocations(object, compare, &reference);
    return reference.found;
}

const struct link_map *object_call_target(const struct link_map *object, struct object_call call)
{
    void *address = call.version ? dlvsym(RTLD_DEFAULT, call.symbol, call.version)
                                 : dlsym(RTLD_DEFAULT, call.symbol);
    if (!address)
        address = shared_object_find(object, call.symbol);
    return address_owner(address);
}
