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

/* The value of such a variable; 0 if it is not valid. libomp knows more units, takes KB for K and so on,
 * and what is too small or too large for the least or the greatest size (kmp_str.cpp, __kmp_str_to_size). */
static size_t size_of(const char *text, char unit, bool gomp)
{
    const char *units = gomp ? "BKMG" : "BKMGTPE";
    char *end;
    if (!isdigit((unsigned char)text[strspn(text, " \t")]))
        return 0;
    unsigned long long value = strtoull(text, &end, 10);
    end += strspn(end, " \t");
    const char *found = strchr(units, *end ? toupper((unsigned char)*end) : unit);
    unsigned shift = found ? 10 * (unsigned)(found - units) : 0;
    end += *end != '\0';
    end += !gomp && shift > 0 && toupper((unsigned char)*end) == 'B';
    end += strspn(end, " \t");
    if (!found || *end != '\0')
        return 0;
    if (value > SIZE_MAX >> shift)
        return gomp ? 0 : SIZE_MAX;
    return value == 0 && !gomp ? 1 : (size_t)value << shift;
}

/* libomp reads its own variable, valid or not, instead of OpenMP's; libgomp reads its own where OpenMP's
 * is not valid. */
static size_t requested(const struct runtime_identity *runtime, const char **name)
{
    bool gomp = strcmp(runtime->name, "libgomp") == 0;
    const char *own = gomp ? "GOMP_STACKSIZE" : "KMP_STACKSIZE";
    const char *own_size = getenv(own), *general = getenv("OMP_STACKSIZE");
    size_t bytes = general && (gomp || !own_size) ? size_of(general, 'K', gomp) : 0;
    *name = bytes > 0 ? "OMP_STACKSIZE" : own;
    return bytes > 0 || !own_size ? bytes : size_of(own_size, gomp ? 'K' : 'B', gomp);
}

/* Both take the limit on the first thread's stack. Where there is none, glibc gives libgomp's threads 2 MiB
 * (ARCH_STACK_DEFAULT_SIZE); libomp stops at 64 MiB (kmp_settings.cpp, __kmp_check_stksize). */
size_t runtime_stack_bytes(const struct runtime_identity *runtime)
{
    enum { GLIBC_DEFAULT = 2 << 20, LIBOMP_MOST = 64 << 20 };
    bool gomp = strcmp(runtime->name, "libgomp") == 0;
    const char *name;
    struct rlimit limit;
    size_t bytes = requested(runtime, &name);
    if (bytes > 0)
        return bytes;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (!known)
        return gomp ? GLIBC_DEFAULT : LIBOMP_MOST;
    return gomp || limit.rlim_cur < LIBOMP_MOST ? (size_t)limit.rlim_cur : LIBOMP_MOST;
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
