/* SPDX-License-Identifier: BSD-3-Clause
 * The dynamic linker's own list, its dynamic sections, and dladdr on what dlsym finds. */
#include "common/identity/shared_objects.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/identity/dynamic_section.h"

const struct link_map *shared_objects(void)
{
    struct link_map *first = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program)
        return NULL;
    if (dlinfo(program, RTLD_DI_LINKMAP, &first) != 0)
        first = NULL;
    dlclose(program);
    return first;
}

/* The program itself has an empty name in the linker's list. */
static const char *file_name(const struct link_map *object)
{
    return object->l_name[0] ? object->l_name : "/proc/self/exe";
}

void shared_object_path(const struct link_map *object, char *path)
{
    if (!realpath(file_name(object), path))
        snprintf(path, PATH_MAX, "%s", file_name(object));
}

const struct link_map *shared_object_loaded(const char *path)
{
    const struct link_map *object = shared_objects();
    for (; object; object = object->l_next) {
        char loaded[PATH_MAX];
        shared_object_path(object, loaded);
        if (strcmp(loaded, path) == 0)
            break;
    }
    return object;
}

const char *shared_object_soname(const struct link_map *object)
{
    const char *strings = dynamic_address(object, DT_STRTAB);
    for (const ElfW(Dyn) *entry = object->l_ld; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            return strings + entry->d_un.d_val;
    return NULL;
}

bool shared_object_needs(const struct link_map *object, const struct link_map *other)
{
    const char *strings = dynamic_address(object, DT_STRTAB);
    const char *soname = shared_object_soname(other);
    for (const ElfW(Dyn) *entry = object->l_ld; strings && entry->d_tag != DT_NULL; entry++) {
        const char *needed = strings + entry->d_un.d_val;
        if (entry->d_tag != DT_NEEDED)
            continue;
        if (strcmp(needed, basename(other->l_name)) == 0 || strcmp(needed, other->l_name) == 0 ||
            (soname && strcmp(needed, soname) == 0))
            return true;
    }
    return false;
}

void *shared_object_find(const struct link_map *object, const char *symbol)
{
    const char *name = object->l_name[0] ? object->l_name : NULL;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return NULL;
    void *address = dlsym(handle, symbol);
    dlclose(handle);
    return address;
}

const struct link_map *address_owner(const void *address)
{
    Dl_info info;
    struct link_map *owner = NULL;
    if (!address || !dladdr1(address, &info, (void **)&owner, RTLD_DL_LINKMAP))
        return NULL;
    return owner;
}

bool shared_object_defines(const struct link_map *object, const char *symbol)
{
    return address_owner(shared_object_find(object, symbol)) == object;
}

bool symbol_owner(const char *symbol, char *path)
{
    const struct link_map *owner = address_owner(dlsym(RTLD_DEFAULT, symbol));
    if (owner)
        shared_object_path(owner, path);
    return owner != NULL;
}

/* What is looked for in an object's segments, and what was found. */
struct search {
    const struct link_map *object;
    const char *text;
    const char *found;
    char *build_id;
    size_t size;
};

/* Names and bodies of notes are padded to four bytes. */
static size_t padded(size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* Writes the build id found in one note segment. */
static void read_notes(const char *note, size_t bytes, struct search *search)
{
    const char *end = note + bytes;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *header = (const void *)note;
        const char *name = note + sizeof *header;
        const unsigned char *body = (const void *)(name + padded(header->n_namesz));
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && !memcmp(name, "GNU", 4))
            for (size_t i = 0; i < header->n_descsz && 2 * i + 2 < search->size; i++)
                snprintf(search->build_id + 2 * i, 3, "%02x", body[i]);
        note = (const char *)body + padded(header->n_descsz);
    }
}

static int search_segments(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    (void)size;
    if (info->dlpi_addr != search->object->l_addr ||
        strcmp(info->dlpi_name, search->object->l_name) != 0)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *start = (const char *)(info->dlpi_addr + segment->p_vaddr);
        if (search->build_id && segment->p_type == PT_NOTE)
            read_notes(start, segment->p_memsz, search);
        /* Writable data may be changing; the texts looked for are constants. */
        if (search->text && !search->found && segment->p_type == PT_LOAD &&
            (segment->p_flags & (PF_R | PF_W)) == PF_R)
            search->found = memmem(start, segment->p_filesz, search->text, strlen(search->text));
    }
    return 1;
}

void shared_object_build_id(const struct link_map *object, char *text, size_t size)
{
    struct search search = {.object = object, .build_id = text, .size = size};
    text[0] = '\0';
    dl_iterate_phdr(search_segments, &search);
}

const char *shared_object_text(const struct link_map *object, const char *text)
{
    struct search search = {.object = object, .text = text};
    dl_iterate_phdr(search_segments, &search);
    return search.found;
}
