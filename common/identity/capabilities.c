/* SPDX-License-Identifier: BSD-3-Clause
 * One table: which versions of which runtime lack what, and the evidence. A runtime that
 * is not in it is assumed to conform. */
#include "common/identity/capabilities.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/identity/runtime_identity.h"
#include "common/identity/runtime_version.h"

static const struct {
    enum capability capability;
    const char *words;
} names[] = {
    {CAPABILITY_PRIORITIES, "task priorities"},
    {CAPABILITY_MANY_ITEMS, "more than four depend items on a task"},
    {CAPABILITY_ITERATORS, "depend iterators (OpenMP 5.0)"},
    {CAPABILITY_NESTED_TASKS, "nested tasks"},
    {CAPABILITY_NESTED_DEPENDENCES, "dependences of nested tasks"},
    {CAPABILITY_NESTED_PRIORITIES, "priorities of nested tasks"},
    {CAPABILITY_AFFINITY, "affinity clauses (OpenMP 5.0)"},
    {CAPABILITY_TASKLOOP, "taskloop (OpenMP 4.5)"},
    {CAPABILITY_INOUTSET, "inoutset dependences (OpenMP 5.1)"},
    {CAPABILITY_MUTEXINOUTSET, "mutexinoutset dependences (OpenMP 5.0)"},
    {CAPABILITY_DEPEND_OBJECTS, "depend objects (OpenMP 5.0)"},
    {CAPABILITY_REGIONS, "parallel regions"},
    {CAPABILITY_NESTED_REGIONS, "nested parallel regions"},
    {CAPABILITY_DETACH, "detach clauses (OpenMP 5.0)"},
    {CAPABILITY_TEAM_PRIORITIES, "different priorities of tasks that several threads create"},
};

/* `least` and `most` bound the versions; runtimes without known versions have 0 to INT_MAX. `abi` names the entry
 * points for which that is so; NULL: all. */
struct lack {
    const char *runtime;
    int least, most;
    unsigned capabilities;
    const char *evidence;
    const char *abi;
};

static const char NESTED_PRIORITIES_HANG[] =
    "hangs where tasks wait for nested tasks with priorities (LLVM issue 97816; measured on libomp "
    "19 and 21 and libiomp5 2026.2)";

static const char EVENTS_OF_GCC[] =
    "does not start programs that GCC compiled with events (rule detach of conformance/)";

/* GCC passes them as depend objects, since version 13. */
static const char INOUTSET_OF_GCC[] =
    "ends programs that GCC compiled with them (\"Unknown depobj type\")";

static const struct lack lacks[] = {
    {"bolt", 0, INT_MAX, CAPABILITY_MUTEXINOUTSET,
     "runs tasks of one mutexinoutset at once (rule mutexinoutset-exclusive of conformance/)",
     NULL},
    {"bolt", 0, INT_MAX, CAPABILITY_DEPEND_OBJECTS,
     "drops the dependences of depend objects, or crashes (rule depobj of conformance/)", NULL},
    {"libomp", 0, 13, CAPABILITY_DEPEND_OBJECTS,
     "crashes in programs that GCC compiled (rule depobj of conformance/)", NULL},
    {"libomp", 15, 16, CAPABILITY_PRIORITIES | CAPABILITY_NESTED_PRIORITIES,
     "occasionally hangs where a task has a priority (LLVM issue 62867; measured: 4 of 40 "
     "runs of version 15, 8 of 40 of version 16)",
     NULL},
    {"libomp", 17, INT_MAX, CAPABILITY_NESTED_PRIORITIES, NESTED_PRIORITIES_HANG, NULL},
    {"libiomp5", 0, INT_MAX, CAPABILITY_NESTED_PRIORITIES, NESTED_PRIORITIES_HANG, NULL},
    {"libgomp", 0, INT_MAX, CAPABILITY_NESTED_PRIORITIES,
     "crashes where nested tasks have priorities (rule priority-nested of conformance/: now and "
     "then with 12.2, 40 of 40 runs "
     "with 14.2 and 16.2)",
     NULL},
    {"bolt", 0, INT_MAX, CAPABILITY_DETACH,
     "lets successors begin before the event is fulfilled, or crashes (rule detach of "
     "conformance/)",
     NULL},
    {"libomp", 0, INT_MAX, CAPABILITY_DETACH, EVENTS_OF_GCC, "GOMP"},
    {"libiomp5", 0, INT_MAX, CAPABILITY_DETACH, EVENTS_OF_GCC, "GOMP"},
    {"libomp", 0, INT_MAX, CAPABILITY_INOUTSET, INOUTSET_OF_GCC, "GOMP"},
    {"libiomp5", 0, INT_MAX, CAPABILITY_INOUTSET, INOUTSET_OF_GCC, "GOMP"},
    {"bolt", 0, INT_MAX, CAPABILITY_INOUTSET, INOUTSET_OF_GCC, "GOMP"},
    {"xkaapi", 0, INT_MAX, CAPABILITY_INOUTSET, INOUTSET_OF_GCC, "GOMP"},
    {"libomp", 0, 16, CAPABILITY_DETACH, "crashes on one thread (rule detach of conformance/)",
     NULL},
    {"xkaapi", 0, INT_MAX, CAPABILITY_DETACH,
     "lacks the routine that clang calls for them, __kmpc_task_allow_completion_event", NULL},
    {"libgomp", 0, INT_MAX, CAPABILITY_TEAM_PRIORITIES,
     "crashes where several threads create tasks of different priorities and wait for them "
     "(measured: 12 of 12 runs with 12.2, 57 of 60 with 14.2, 60 of 60 with 16.2)",
     NULL},
    {"xkaapi", 0, INT_MAX, CAPABILITY_MANY_ITEMS,
     "aborts where a task has more than four depend items (XKOMP over XKRT; it prints this as the "
     "reason)",
     NULL},
    {"xkaapi", 0, INT_MAX, CAPABILITY_NESTED_DEPENDENCES,
     "crashes where a task ends before its nested tasks with depend clauses have (XKOMP over XKRT; "
     "measured: 60 of 60 runs)",
     NULL},
    {"xkaapi", 0, INT_MAX, CAPABILITY_AFFINITY,
     "lacks the routine that clang calls for them, __kmpc_omp_reg_task_with_affinity", NULL},
    {"xkaapi", 0, INT_MAX, CAPABILITY_TASKLOOP,
     "lacks the routine that clang calls for it, __kmpc_taskloop", NULL},
};

/* Runtimes that accept the priority clause and ignore it; rule `priority` of conformance/ shows it.
 * `abi` names the entry points for which that is so; NULL: all. */
static const struct {
    const char *runtime;
    int least, most;
    const char *abi;
    const char *evidence;
} ignoring[] = {
    {"bolt", 0, INT_MAX, NULL, "BOLT does not read priorities"},
    {"xkaapi", 0, INT_MAX, NULL, "XKOMP does not read priorities"},
    {"libkomp", 0, INT_MAX, NULL, "libKOMP is older than task priorities"},
    {"libomp", 0, 14, NULL, "libomp reads priorities since version 15"},
    {"libomp", 0, INT_MAX, "GOMP", "libomp drops the priorities of programs that GCC compiled"},
    {"libiomp5", 0, INT_MAX, "GOMP", "libiomp5 drops the priorities of programs that GCC compiled"},
};

enum {
    LACKS = sizeof lacks / sizeof *lacks,
    NAMES = sizeof names / sizeof *names,
    IGNORING = sizeof ignoring / sizeof *ignoring
};

const char *capabilities_text(unsigned set, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < NAMES && used < size; i++)
        if (set & names[i].capability)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     names[i].words);
    return text;
}

static bool applies(const struct lack *lack, const struct runtime_identity *runtime)
{
    return strcmp(lack->runtime, runtime->name) == 0 &&
           (!lack->abi || (runtime->abi && strcmp(lack->abi, runtime->abi) == 0)) &&
           runtime_version_may_be(runtime->version, lack->least, lack->most);
}

/* Those of a set that this runtime lacks. */
static unsigned capabilities_lacking(const struct runtime_identity *runtime, unsigned set)
{
    unsigned lacking = 0;
    for (size_t i = 0; i < LACKS; i++)
        if (applies(&lacks[i], runtime))
            lacking |= lacks[i].capabilities & set;
    return lacking;
}

/* What is known to happen with one of a set that the runtime lacks. */
static const char *evidence_of(const struct runtime_identity *runtime, unsigned set)
{
    for (size_t i = 0; i < LACKS; i++)
        if ((lacks[i].capabilities & set) && applies(&lacks[i], runtime))
            return lacks[i].evidence;
    return NULL;
}

bool capabilities_allow(const struct runtime_identity *runtime, unsigned needs, bool compiled,
                        char *text, size_t size)
{
    char words[CAPABILITY_TEXT_SIZE];
    unsigned lacking = capabilities_lacking(runtime, needs);
    text[0] = '\0';
    if (!compiled)
        snprintf(text, size, "needs %s, which this build's compiler lacks",
                 capabilities_text(needs, words, sizeof words));
    else if (lacking)
        snprintf(text, size, "needs %s, which %s%s%s lacks: it %s",
                 capabilities_text(lacking, words, sizeof words), runtime->name,
                 runtime->version[0] ? " " : "", runtime->version, evidence_of(runtime, lacking));
    return compiled && !lacking;
}

/* Whether a version that is a range, or unknown, may also be outside the bounds. */
static bool is_uncertain(const char *version, int least, int most)
{
    return (least > 0 && runtime_version_may_be(version, 0, least - 1)) ||
           (most < INT_MAX && runtime_version_may_be(version, most + 1, INT_MAX));
}

enum priority_effect capabilities_priorities(const struct runtime_identity *runtime,
                                             const char **evidence)
{
    enum priority_effect effect = PRIORITIES_HONOURED;
    *evidence = NULL;
    for (size_t i = 0; i < IGNORING; i++) {
        if (strcmp(ignoring[i].runtime, runtime->name) != 0 ||
            (ignoring[i].abi && strcmp(ignoring[i].abi, runtime->abi) != 0) ||
            !runtime_version_may_be(runtime->version, ignoring[i].least, ignoring[i].most))
            continue;
        effect = PRIORITIES_UNCERTAIN;
        if (is_uncertain(runtime->version, ignoring[i].least, ignoring[i].most))
            continue;
        *evidence = ignoring[i].evidence;
        return PRIORITIES_IGNORED;
    }
    return effect;
}

bool runtime_priorities_are_safe(const struct runtime_identity *identity)
{
    return capabilities_lacking(identity, CAPABILITY_PRIORITIES) == 0;
}
