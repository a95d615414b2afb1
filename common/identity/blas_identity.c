/* SPDX-License-Identifier: BSD-3-Clause
 * OpenBLAS' own functions are looked up at run time: another BLAS may be loaded in its place. */
#include "common/identity/blas_identity.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/message.h"
#include "common/identity/blas_routines.h"
#include "common/identity/shared_objects.h"

/* A function of OpenBLAS by name. dlsym returns a data pointer; POSIX makes the conversion well
 * defined, ISO C does not. */
union openblas_function {
    void *address;
    char *(*text)(void);
    int (*integer)(void);
    void (*set)(int);
};

static union openblas_function look_up(const char *name)
{
    return (union openblas_function){.address = dlsym(RTLD_DEFAULT, name)};
}

static const char *threading_name(void)
{
    static const char *const names[] = {"serial", "pthread", "openmp"};
    union openblas_function parallel = look_up("openblas_get_parallel");
    int kind = parallel.address ? parallel.integer() : -1;
    return kind >= 0 && kind <= 2 ? names[kind] : "unknown";
}

struct blas_identity blas_identify(void)
{
    struct blas_identity identity = {.library = "unknown", .threading = threading_name()};
    union openblas_function config = look_up("openblas_get_config");
    union openblas_function core = look_up("openblas_get_corename");
    if (config.address && sscanf(config.text(), "OpenBLAS %31s", identity.version) == 1)
        snprintf(identity.library, sizeof identity.library, "OpenBLAS");
    if (core.address)
        snprintf(identity.core, sizeof identity.core, "%s", core.text());
    symbol_owner("cblas_dgemm", identity.path);
    symbol_owner("dgetrf_", identity.lapack_path);
    return identity;
}

/* Every routine comes from the library that calls itself OpenBLAS. */
static bool check_routines(void)
{
    const struct link_map *blas = address_owner(look_up("openblas_get_config").address);
    struct foreign_routine foreign;
    char path[PATH_MAX];
    if (!blas || !blas_find_foreign(blas, &foreign))
        return true;
    shared_object_path(blas, path);
    message_error("%s comes from %s: BLAS and LAPACK must be one OpenBLAS, %s; clear LD_PRELOAD "
                  "and LD_LIBRARY_PATH",
                  foreign.name, foreign.path, path);
    return false;
}

bool blas_check(const struct blas_identity *identity)
{
    if (strcmp(identity->library, "OpenBLAS") != 0) {
        message_error("the BLAS loaded is %s, which is not OpenBLAS: set OpenBLAS_ROOT to one "
                      "when configuring",
                      identity->path);
        return false;
    }
    if (strcmp(identity->threading, "serial") == 0) {
        message_error("%s is a serial OpenBLAS, which computes wrong products when several threads "
                      "call it: use the pthread build (Debian: libopenblas0-pthread)",
                      identity->path);
        return false;
    }
    if (strcmp(identity->threading, "openmp") == 0) {
        message_error("%s is OpenBLAS over OpenMP, which brings its own runtime into tasks: use "
                      "the pthread build (Debian: libopenblas0-pthread)",
                      identity->path);
        return false;
    }
    return check_routines();
}

/* SIMD level of OpenBLAS' x86-64 kernel sets; -1 for names not listed (other architectures). */
static int core_level(const char *core)
{
    static const struct {
        const char *name;
        int level;
    } cores[] = {{"Prescott", 0},    {"Katmai", 0},        {"Coppermine", 0}, {"Northwood", 0},
                 {"Banias", 0},      {"Core2", 0},         {"Penryn", 0},     {"Dunnington", 0},
                 {"Nehalem", 0},     {"Athlon", 0},        {"Opteron", 0},    {"Opteron_SSE3", 0},
                 {"Barcelona", 0},   {"Bobcat", 0},        {"Nano", 0},       {"Atom", 0},
                 {"Sandybridge", 1}, {"Bulldozer", 1},     {"Piledriver", 1}, {"Steamroller", 1},
                 {"Haswell", 2},     {"Zen", 2},           {"Excavator", 2},  {"SkylakeX", 3},
                 {"Cooperlake", 3},  {"Sapphirerapids", 3}};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasecmp(core, cores[i].name) == 0)
            return cores[i].level;
    return -1;
}

const char *blas_core_for(const char *core, int level)
{
    int in_use = core_level(core);
    if (in_use < 0 || in_use >= 2 || level < 2)
        return NULL;
    return level >= 3 ? "SkylakeX" : "Haswell";
}

static int cpu_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return 3;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 2;
    return __builtin_cpu_supports("avx") ? 1 : 0;
#else
    return -1;
#endif
}

const char *blas_better_core(const struct blas_identity *identity)
{
    return blas_core_for(identity->core, cpu_level());
}

void blas_use_one_thread(void)
{
    union openblas_function set_threads = look_up("openblas_set_num_threads");
    if (set_threads.address)
        set_threads.set(1);
}

json_t *blas_json(const struct blas_identity *identity)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "library", identity->library, "version",
                     identity->version, "core", identity->core, "threading", identity->threading,
                     "path", identity->path, "lapack_path", identity->lapack_path);
}
