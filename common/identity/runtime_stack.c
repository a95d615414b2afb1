/* SPDX-License-Identifier: BSD-3-Clause
 * OpenMP 5.2, section 21.2.2: a number and B, K, M or G; without a unit, kibibytes. */
#include "common/identity/runtime_stack.h"

#include <ctype.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/message.h"

/* The value of such a variable; 0 if it is not set, or not valid. libomp takes KB for K too, and so on. */
static size_t size_of(const char *name, char unit, bool gomp)
{
    static const char units[] = "BKMG";
    const char *text = getenv(name);
    char *end;
    if (!text || !isdigit((unsigned char)text[strspn(text, " \t")]))
        return 0;
    unsigned long long value = strtoull(text, &end, 10);
    end += strspn(end, " \t");
    const char *found = strchr(units, *end ? toupper((unsigned char)*end) : unit);
    unsigned shift = found ? 10 * (unsigned)(found - units) : 0;
    end += *end != '\0';
    end += !gomp && shift > 0 && toupper((unsigned char)*end) == 'B';
    end += strspn(end, " \t");
    return found && *end == '\0' && value <= SIZE_MAX >> shift ? (size_t)value << shift : 0;
}

/* The first of the runtime's variables that is set, in the order in which it reads them. */
static size_t requested(const struct runtime_identity *runtime, const char **name)
{
    bool gomp = strcmp(runtime->name, "libgomp") == 0;
    const struct {
        const char *name;
        char unit;
    } variables[] = {{gomp ? "GOMP_STACKSIZE" : "KMP_STACKSIZE", gomp ? 'K' : 'B'},
                     {"OMP_STACKSIZE", 'K'}};
    size_t first = gomp ? 1 : 0; /* libgomp reads its own variable second */
    for (size_t i = 0; i < 2; i++) {
        *name = variables[(first + i) % 2].name;
        size_t bytes = size_of(*name, variables[(first + i) % 2].unit, gomp);
        if (bytes > 0)
            return bytes;
    }
    return 0;
}

/* libgomp leaves the size to the C library, which takes the limit on the first thread's stack, or 2 MiB
 * where there is none (glibc, ARCH_STACK_DEFAULT_SIZE); libomp's is 4 MiB
 * (kmp.h, KMP_DEFAULT_STKSIZE). */
size_t runtime_stack_bytes(const struct runtime_identity *runtime)
{
    enum { GLIBC_DEFAULT = 2 << 20, LIBOMP_DEFAULT = 4 << 20 };
    const char *name;
    struct rlimit limit;
    size_t bytes = requested(runtime, &name);
    if (bytes > 0)
        return bytes;
    if (strcmp(runtime->name, "libgomp") != 0)
        return LIBOMP_DEFAULT;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? (size_t)limit.rlim_cur : GLIBC_DEFAULT;
}

static int add_thread_local(struct dl_phdr_info *object, size_t size, void *data)
{
    size_t *bytes = data;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *bytes += object->dlpi_phdr[i].p_memsz;
    return 0;
}

void runtime_stack_check(const struct runtime_identity *runtime)
{
    /* The C library places thread-local variables on the stack; a few pages are left for calls. */
    size_t least = 64 << 10;
    const char *name;
    size_t bytes = requested(runtime, &name);
    dl_iterate_phdr(add_thread_local, &least);
    if (bytes > 0 && bytes < least)
        message_fatal(POLLUX_USAGE, "%s=%s: threads need stacks of at least %zu KiB", name,
                      quoted(getenv(name)).text, (least >> 10) + 1);
}
