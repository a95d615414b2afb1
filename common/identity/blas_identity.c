/* SPDX-License-Identifier: BSD-3-Clause
 * What is common to all BLAS libraries; blas_library.h has what each does in its own way. */
#include "common/identity/blas_identity.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/json.h"
#include "common/base/message.h"
#include "common/base/processor.h"
#include "common/identity/blas_library.h"
#include "common/identity/blas_routines.h"
#include "common/identity/shared_objects.h"

static const char *threading_name(const struct blas_library *library)
{
    static const char *const names[] = {"serial", "pthread", "openmp"};
    int kind = library ? library->threading() : -1;
    return kind >= 0 && kind <= 2 ? names[kind] : "unknown";
}

const char *blas_core(void)
{
    const struct blas_library *library = blas_library_loaded();
    return library ? library->core() : NULL;
}

struct blas_identity blas_identify(void)
{
    const struct blas_library *library = blas_library_loaded();
    struct blas_identity identity = {.library = "unknown", .threading = threading_name(library)};
    const char *core = blas_core();
    if (library) {
        library->version(identity.version, sizeof identity.version);
        snprintf(identity.library, sizeof identity.library, "%s", library->name);
    }
    if (core)
        snprintf(identity.core, sizeof identity.core, "%s", core);
    symbol_owner("cblas_dgemm", identity.path);
    symbol_owner("dgetrf_", identity.lapack_path);
    return identity;
}

/* Every routine comes from the library that says what it is. */
static bool check_routines(const struct blas_library *library)
{
    const struct link_map *blas = address_owner(blas_library_function(library->symbol));
    struct foreign_routine foreign;
    char path[PATH_MAX];
    if (!blas || !blas_find_foreign(blas, library->own, &foreign))
        return true;
    shared_object_path(blas, path);
    message_error("%s comes from %s: BLAS and LAPACK must be one %s, %s; clear LD_PRELOAD "
                  "and LD_LIBRARY_PATH",
                  foreign.name, foreign.path, library->name, path);
    return false;
}

/* Only OpenBLAS without threads computes wrong products when several threads call it. */
static bool check_threading(const struct blas_identity *identity)
{
    bool openblas = strcmp(identity->library, "OpenBLAS") == 0;
    const char *use = openblas ? "the pthread build (Debian: libopenblas0-pthread)"
                               : "a build with threads of its own, or with none";
    if (openblas && strcmp(identity->threading, "serial") == 0) {
        message_error("%s is a serial OpenBLAS, which computes wrong products when several threads "
                      "call it: use %s",
                      identity->path, use);
        return false;
    }
    if (strcmp(identity->threading, "openmp") == 0) {
        message_error("%s is %s over OpenMP, which brings its own runtime into tasks: use %s",
                      identity->path, identity->library, use);
        return false;
    }
    return true;
}

bool blas_check(const struct blas_identity *identity)
{
    const struct blas_library *library = blas_library_of_build();
    if (strcmp(identity->library, library->name) != 0) {
        message_error("the BLAS loaded is %s, which is not %s: set %s to one when configuring",
                      identity->path, library->name, library->root);
        return false;
    }
    return check_threading(identity) && check_routines(library);
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
    if (processor_has(PROCESSOR_AVX512_VL))
        return SIMD_AVX512;
    if (processor_has(PROCESSOR_AVX2))
        return SIMD_AVX2;
    if (processor_has(PROCESSOR_AVX))
        return SIMD_AVX;
    return processor_has(PROCESSOR_SSE) ? SIMD_SSE : SIMD_UNKNOWN;
}

const char *blas_better_core(const struct blas_identity *identity)
{
    bool openblas = strcmp(identity->library, "OpenBLAS") == 0;
    return openblas ? blas_core_for(identity->core, cpu_level()) : NULL;
}

bool blas_core_runs(const struct blas_identity *identity)
{
    return blas_core_runs_on(identity->core, cpu_level());
}

bool blas_core_overruns_on(const char *version, const char *core, enum simd_level cpu, bool is_amd)
{
    return strcmp(version, "0.3.34") == 0 && core_level(core) == SIMD_AVX2 && is_amd &&
           cpu == SIMD_AVX512;
}

bool blas_core_overruns(const struct blas_identity *identity)
{
    return strcmp(identity->library, "OpenBLAS") == 0 &&
           blas_core_overruns_on(identity->version, identity->core, cpu_level(),
                                 processor_is_amd());
}

void blas_use_one_thread(void)
{
    const struct blas_library *library = blas_library_loaded();
    if (library)
        library->use_one_thread();
}

const char *blas_threads_variable(void)
{
    return blas_library_of_build()->threads_variable;
}

json_t *blas_json(const struct blas_identity *identity)
{
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o}", "library", identity->library, "version",
                     json_text_or_null(identity->version), "core", identity->core, "threading",
                     identity->threading, "path", json_text(identity->path), "lapack_path",
                     json_text(identity->lapack_path));
}
