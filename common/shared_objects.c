/* SPDX-License-Identifier: BSD-3-Clause
 * The dynamic linker's list, and dladdr on what dlsym finds. */
#include "common/shared_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program itself has an empty name in the linker's list. */
static const char PROGRAM[] = "/proc/self/exe";

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct shared_objects *objects = data;
    (void)size;
    const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : PROGRAM;
    if (objects->count < SHARED_OBJECTS_MAX)
        objects->name[objects->count++] = strdup(name);
    return 0;
}

struct shared_objects shared_objects_loaded(void)
{
    struct shared_objects objects = {0};
    dl_iterate_phdr(add_object, &objects);
    return objects;
}

void shared_objects_free(struct shared_objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        free(objects->name[i]);
    objects->count = 0;
}

static bool same_file(const char *a, const char *b)
{
    char path_a[PATH_MAX], path_b[PATH_MAX];
    shared_object_path(a, path_a);
    shared_object_path(b, path_b);
    return strcmp(path_a, path_b) == 0;
}

bool shared_object_defines(const char *object, const char *symbol)
{
    bool program = strcmp(object, PROGRAM) == 0;
    void *handle = dlopen(program ? NULL : object, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    Dl_info owner;
    void *address = dlsym(handle, symbol);
    bool defines = address && dladdr(address, &owner) && same_file(owner.dli_fname, object);
    dlclose(handle);
    return defines;
}

bool symbol_owner(const char *symbol, char *path)
{
    Dl_info owner;
    void *address = dlsym(RTLD_DEFAULT, symbol);
    if (!address || !dladdr(address, &owner))
        return false;
    shared_object_path(owner.dli_fname, path);
    return true;
}

void shared_object_path(const char *object, char *path)
{
    if (!realpath(object, path))
        snprintf(path, PATH_MAX, "%s", object);
}

struct build_id {
    const char *object;
    char *text;
    size_t size;
};

/* Names and bodies of notes are padded to four bytes. */
static size_t padded(size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* Writes the build id found in one note segment. */
static void read_notes(const char *note, size_t bytes, struct build_id *id)
{
    const char *end = note + bytes;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *header = (const void *)note;
        const char *name = note + sizeof *header;
        const unsigned char *body = (const void *)(name + padded(header->n_namesz));
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && !memcmp(name, "GNU", 4))
            for (size_t i = 0; i < header->n_descsz && 2 * i + 2 < id->size; i++)
                snprintf(id->text + 2 * i, 3, "%02x", body[i]);
        note = (const char *)body + padded(header->n_descsz);
    }
}

static int find_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
    struct build_id *id = data;
    (void)size;
    if (!info->dlpi_name || strcmp(info->dlpi_name, id->object) != 0)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                       info->dlpi_phdr[i].p_memsz, id);
    return 1;
}

void shared_object_build_id(const char *object, char *text, size_t size)
{
    struct build_id id = {object, text, size};
    text[0] = '\0';
    dl_iterate_phdr(find_build_id, &id);
}
