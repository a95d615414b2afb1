/* SPDX-License-Identifier: BSD-3-Clause
 * Which versions of which runtime lack what, and the evidence: a runtime whose table names nothing is assumed to
 * conform. */
#include "common/identity/capabilities.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/identity/runtime_identity.h"
#include "common/identity/runtime_version.h"
#include "common/identity/runtimes.h"

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

enum { NAMES = sizeof names / sizeof *names };

const char *capabilities_text(unsigned set, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < NAMES; i++)
        if (set & names[i].capability)
            text_add_item(text, size, ", ", names[i].words);
    return text;
}

static bool applies(const struct runtime_lack *lack, const struct runtime_identity *runtime)
{
    return strcmp(lack->runtime, runtime->name) == 0 &&
           (!lack->abi || (runtime->abi && strcmp(lack->abi, runtime->abi) == 0)) &&
           runtime_version_may_be(runtime->version, lack->least, lack->most);
}

/* Those of a set that this runtime lacks. */
static unsigned capabilities_lacking(const struct runtime_identity *runtime, unsigned set)
{
    unsigned lacking = 0;
    for (const struct runtime_lack *lack = runtime_lacks; lack->runtime; lack++)
        if (applies(lack, runtime))
            lacking |= lack->capabilities & set;
    return lacking;
}

/* What is known to happen with one of a set that the runtime lacks. */
static const char *evidence_of(const struct runtime_identity *runtime, unsigned set)
{
    for (const struct runtime_lack *lack = runtime_lacks; lack->runtime; lack++)
        if ((lack->capabilities & set) && applies(lack, runtime))
            return lack->evidence;
    return NULL;
}

bool capabilities_allow(const struct runtime_identity *runtime, unsigned needs, bool compiled,
                        const char *library, char *text, size_t size)
{
    char words[CAPABILITY_TEXT_SIZE];
    unsigned lacking = capabilities_lacking(runtime, needs);
    text[0] = '\0';
    if (!compiled && library)
        snprintf(text, size, "needs %s, a library that this build was made without", library);
    else if (!compiled)
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
    for (const struct runtime_lack *row = runtime_ignored_priorities; row->runtime; row++) {
        if (!applies(row, runtime))
            continue;
        effect = PRIORITIES_UNCERTAIN;
        if (is_uncertain(runtime->version, row->least, row->most))
            continue;
        *evidence = row->evidence;
        return PRIORITIES_IGNORED;
    }
    return effect;
}

bool runtime_priorities_are_safe(const struct runtime_identity *identity)
{
    return capabilities_lacking(identity, CAPABILITY_PRIORITIES) == 0;
}
