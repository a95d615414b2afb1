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

const char *blas_core(void)
{
    union openblas_function core = look_up("openblas_get_corename");
    return core.address ? core.text() : NULL;
}

struct blas_identity blas_identify(void)
{
    struct blas_identity identity = {.library = "unknown", .threading = threading_name()};
    union openblas_function config = look_up("openblas_get_config");
    const char *core = blas_core();
    if (config.address && sscanf(config.text(), "OpenBLAS %31s", identity.version) == 1)
        snprintf(identity.library, sizeof identity.library, "OpenBLAS");
    if (core)
        snprintf(identity.core, sizeof identity.core, "%s", core);
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

/* What OpenBLAS' kernel sets for x86-64 need: those of its dynamic builds up to 0.3.34, and what builds for one
 * processor call theirs. */
static enum simd_level core_level(const char *core)
{
    static const struct {
        const char *name;
        enum simd_level level;
    } cores[] = {{"generic", SIMD_SSE},       {"Prescott", SIMD_SSE},
                 {"Katmai", SIMD_SSE},        {"Coppermine", SIMD_SSE},
                 {"Northwood", SIMD_SSE},     {"Banias", SIMD_SSE},
                 {"Yonah", SIMD_SSE},         {"Core2", SIMD_SSE},
                 {"Penryn", SIMD_SSE},        {"Dunnington", SIMD_SSE},
                 {"Nehalem", SIMD_SSE},       {"Athlon", SIMD_SSE},
                 {"Opteron", SIMD_SSE},       {"Opteron_SSE3", SIMD_SSE},
                 {"Barcelona", SIMD_SSE},     {"Bobcat", SIMD_SSE},
                 {"Nano", SIMD_SSE},          {"Atom", SIMD_SSE},
                 {"Sandybridge", SIMD_AVX},   {"Bulldozer", SIMD_AVX},
                 {"Piledriver", SIMD_AVX},    {"Steamroller", SIMD_AVX},
                 {"Haswell", SIMD_AVX2},      {"Zen", SIMD_AVX2},
                 {"Excavator", SIMD_AVX2},    {"SkylakeX", SIMD_AVX512},
                 {"Cooperlake", SIMD_AVX512}, {"SapphireRapids", SIMD_AVX512}};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasecmp(core, cores[i].name) == 0)
            return cores[i].level;
    return SIMD_UNKNOWN;
}

bool blas_core_runs_on(const char *core, enum simd_level cpu)
{
    return cpu == SIMD_UNKNOWN || core_level(core) <= cpu;
}

/* Kernels without AVX on a CPU that has it, but no AVX2, are not far below it. */
const char *blas_core_for(const char *core, enum simd_level cpu)
{
    static const char *const best[] = {[SIMD_SSE] = "Prescott",
                                       [SIMD_AVX] = "Sandybridge",
                                       [SIMD_AVX2] = "Haswell",
                                       [SIMD_AVX512] = "SkylakeX"};
    enum simd_level in_use = core_level(core);
    if (in_use == SIMD_UNKNOWN || cpu == SIMD_UNKNOWN)
        return NULL;
    bool far_below = in_use < SIMD_AVX2 && cpu >= SIMD_AVX2;
    return far_below || in_use > cpu ? best[cpu] : NULL;
}

static enum simd_level cpu_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return SIMD_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return SIMD_AVX2;
    return __builtin_cpu_supports("avx") ? SIMD_AVX : SIMD_SSE;
#else
    return SIMD_UNKNOWN;
#endif
}

const char *blas_better_core(const struct blas_identity *identity)
{
    return blas_core_for(identity->core, cpu_level());
}

bool blas_core_runs(const struct blas_identity *identity)
{
    return blas_core_runs_on(identity->core, cpu_level());
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
