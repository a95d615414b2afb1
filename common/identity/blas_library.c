/* SPDX-License-Identifier: BSD-3-Clause
 * Their functions are looked up at run time: another BLAS than that which was linked may be loaded in its place. */
#include "common/identity/blas_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "common/identity/shared_objects.h"

/* A function by name. dlsym returns a data pointer; POSIX makes the conversion well defined, ISO C does not. */
union function {
    void *address;
    char *(*text)(void);
    const char *(*constant_text)(void);
    const char *(*text_of)(int);
    int (*integer)(void);
    long (*long_integer)(void);
    void (*set)(int);
    void (*set_long)(long);
    void (*fill)(char *, int);
    void (*armpl)(int *, int *, int *, const char **);
};

static union function look_up(const char *name)
{
    return (union function){.address = dlsym(RTLD_DEFAULT, name)};
}

void *blas_library_function(const char *name)
{
    return look_up(name).address;
}

/* ---- OpenBLAS ---- */

static int openblas_threading(void)
{
    union function parallel = look_up("openblas_get_parallel");
    return parallel.address ? parallel.integer() : -1;
}

static void openblas_version(char *text, size_t size)
{
    char version[32] = "";
    if (sscanf(look_up("openblas_get_config").text(), "OpenBLAS %31s", version) == 1)
        snprintf(text, size, "%s", version);
}

static const char *openblas_core(void)
{
    union function core = look_up("openblas_get_corename");
    return core.address ? core.text() : NULL;
}

static void openblas_use_one_thread(void)
{
    union function set_threads = look_up("openblas_set_num_threads");
    if (set_threads.address)
        set_threads.set(1);
}

/* ---- BLIS ---- */

static int blis_threading(void)
{
    union function openmp = look_up("bli_info_get_enable_openmp");
    union function pthreads = look_up("bli_info_get_enable_pthreads");
    if (!openmp.address || !pthreads.address)
        return -1;
    return openmp.long_integer() ? 2 : pthreads.long_integer() ? 1 : 0;
}

static void blis_version(char *text, size_t size)
{
    snprintf(text, size, "%s", look_up("bli_info_get_version_str").constant_text());
}

/* The name of the configuration whose kernels it runs. */
static const char *blis_core(void)
{
    union function id = look_up("bli_arch_query_id"), name = look_up("bli_arch_string");
    return id.address && name.address ? name.text_of(id.integer()) : NULL;
}

static void blis_use_one_thread(void)
{
    union function set_threads = look_up("bli_thread_set_num_threads");
    if (set_threads.address)
        set_threads.set_long(1);
}

/* ---- MKL ---- */

/* Its layers of threads are libraries of their own, told apart by their files' names. */
static int mkl_threading(void)
{
    for (const struct link_map *object = shared_objects(); object; object = object->l_next) {
        if (strstr(object->l_name, "libmkl_sequential."))
            return 0;
        if (strstr(object->l_name, "libmkl_gnu_thread.") ||
            strstr(object->l_name, "libmkl_intel_thread."))
            return 2;
    }
    return -1;
}

/* "Intel(R) oneAPI Math Kernel Library Version 2024.2-Product Build …" */
static void mkl_version(char *text, size_t size)
{
    char sentence[256] = "", version[32] = "";
    look_up("MKL_Get_Version_String").fill(sentence, (int)sizeof sentence);
    if (sscanf(sentence, "%*[^0-9]%31[0-9.]", version) == 1)
        snprintf(text, size, "%s", version);
}

/* The branch of its code that the processor has, as its header mkl_types.h numbers them. */
static const char *mkl_core(void)
{
    static const struct {
        int branch;
        const char *name;
    } branches[] = {{2, "auto"},    {3, "compatible"}, {8, "sse4.2"}, {10, "avx2"},
                    {12, "avx512"}, {14, "avx512_e1"}, {15, "avx10"}};
    union function branch = look_up("MKL_CBWR_Get_Auto_Branch");
    int found = branch.address ? branch.integer() : 0;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
        if (branches[i].branch == found)
            return branches[i].name;
    return NULL;
}

static void mkl_use_one_thread(void)
{
    union function set_threads = look_up("MKL_Set_Num_Threads");
    if (set_threads.address)
        set_threads.set(1);
}

/* ---- ArmPL ---- */

static int armpl_threading(void)
{
    return -1;
}

static void armpl_version(char *text, size_t size)
{
    int major = 0, minor = 0, patch = 0;
    const char *tag = NULL;
    look_up("armplversion").armpl(&major, &minor, &patch, &tag);
    snprintf(text, size, "%d.%d.%d", major, minor, patch);
}

static const char *no_core(void)
{
    return NULL;
}

static void armpl_use_one_thread(void)
{
    /* its build without threads has one */
}

/* ---- all of them ---- */

static const struct blas_library libraries[] = {
    {"openblas", "OpenBLAS", "openblas_get_config", "openblas_", "OpenBLAS_ROOT",
     "OPENBLAS_NUM_THREADS", openblas_threading, openblas_version, openblas_core,
     openblas_use_one_thread},
    {"blis", "BLIS", "bli_info_get_version_str", "bli_", "BLIS_ROOT", "BLIS_NUM_THREADS",
     blis_threading, blis_version, blis_core, blis_use_one_thread},
    {"mkl", "MKL", "MKL_Get_Version_String", "mkl_", "MKL_ROOT", NULL, mkl_threading, mkl_version,
     mkl_core, mkl_use_one_thread},
    {"armpl", "ArmPL", "armplversion", "armpl", "ArmPL_ROOT", NULL, armpl_threading, armpl_version,
     no_core, armpl_use_one_thread},
};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

const struct blas_library *blas_library_of_build(void)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (strcmp(libraries[i].word, POLLUX_BLAS) == 0)
            return &libraries[i];
    return NULL;
}

const struct blas_library *blas_library_loaded(void)
{
    const struct blas_library *own = blas_library_of_build();
    if (own && look_up(own->symbol).address)
        return own;
    for (size_t i = 0; i < LIBRARIES; i++)
        if (look_up(libraries[i].symbol).address)
            return &libraries[i];
    return NULL;
}
