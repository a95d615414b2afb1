/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of runtimes is in a table (common/identity/capabilities.c). Whether concurrent write keeps the order is
 * tried as well, in a process of its own, since some runtimes end the process where they do not know a kind of
 * dependence. */
#include "common/computation/availability.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/message.h"
#include "common/base/rerun.h"
#include "common/base/sizes.h"
#include "common/identity/runtime_identity.h"
#include "common/machine/affinity.h"
#include "common/process/runtime_routines.h"

enum { SECONDS_LIMIT = 20, QUOTED = 160 };

enum { PROBING_THREADS = 2 }; /* as many as there are writers */

/* This process may have been bound to one processor by now; the one that probes must not be. */
static bool rerun_unbound(char **argv, struct rerun *result)
{
    cpu_set_t bound[AFFINITY_SETS];
    bool known = sched_getaffinity(0, sizeof bound, bound) == 0;
    affinity_restore();
    bool started = rerun(argv, environ, SECONDS_LIMIT, result);
    if (known)
        sched_setaffinity(0, sizeof bound, bound);
    return started;
}

/* The last line of a text, without its line break; the text is changed. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Whether the program itself refused to run: runtimes end a process by signals or with 1. */
static bool was_refused(int status)
{
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == POLLUX_USAGE || WEXITSTATUS(status) == POLLUX_MACHINE);
}

/* How a process that did not answer ended. */
static void describe_end(const struct availability *a, struct probed *probed, struct rerun *ended)
{
    const char *words = last_line(ended->errors), *clause = probed->write->clause;
    bool killed = WIFSIGNALED(ended->status) && WTERMSIG(ended->status) == SIGKILL;
    if (was_refused(ended->status))
        snprintf(probed->reason, sizeof probed->reason, "%s could not be tried: \"%s\"", clause,
                 words);
    else
        snprintf(probed->reason, sizeof probed->reason, "%s %s at %s%s%.*s%s", a->runtime->name,
                 killed ? "hangs" : "ends the process", clause, words[0] ? ": \"" : "", QUOTED,
                 words, words[0] ? "\"" : "");
}

static void judge(const struct availability *a, struct probed *probed)
{
    if (strcmp(probed->observed, "broken") != 0)
        return;
    probed->observed[0] = '\0';
    snprintf(probed->reason, sizeof probed->reason,
             "%s does not order a later writer after %s: it breaks concurrent write",
             a->runtime->name, probed->write->clause);
}

static void try_apart(const struct availability *a, const struct variant *variant,
                      struct probed *probed)
{
    char threads[24], name[64];
    struct rerun ended;
    snprintf(threads, sizeof threads, "--threads=%zu", a->threads);
    snprintf(name, sizeof name, "--variant=%s", variant->name);
    char *argv[] = {NULL, (char[]){"--probe"}, name, threads, NULL};
    if (!rerun_unbound(argv, &ended))
        snprintf(probed->observed, sizeof probed->observed, "%s", probed->write->probe(a->threads));
    else if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == POLLUX_OK)
        snprintf(probed->observed, sizeof probed->observed, "%s", last_line(ended.output));
    else
        describe_end(a, probed, &ended);
    rerun_release(&ended);
    judge(a, probed);
}

struct availability availability_begin(const struct number_list *threads,
                                       const struct runtime_identity *runtime)
{
    size_t most = threads->count > 0 ? 1 : PROBING_THREADS;
    for (size_t i = 0; i < threads->count; i++)
        most = larger(most, threads->value[i]);
    return (struct availability){.runtime = runtime, .threads = smaller(most, PROBING_THREADS)};
}

static const struct probed *probed(struct availability *a, const struct variant *variant)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->probed[i].write == variant->concurrent_write)
            return &a->probed[i];
    if (a->count == WRITES_MAX)
        abort();
    struct probed *added = &a->probed[a->count++];
    *added = (struct probed){.write = variant->concurrent_write};
    try_apart(a, variant, added);
    return added;
}

bool variant_available(struct availability *a, const struct variant *variant, char *reason)
{
    if (!capabilities_allow(a->runtime, variant->needs, variant->submit != NULL, variant->library,
                            reason, REASON_SIZE))
        return false;
    if (variant->concurrent_write)
        snprintf(reason, REASON_SIZE, "%s", probed(a, variant)->reason);
    return reason[0] == '\0';
}

bool variant_levels_allowed(const struct variant *v, char *reason, size_t size)
{
    if (!v->nested || runtime_active_levels() >= 2)
        return true;
    const char *name = getenv("OMP_MAX_ACTIVE_LEVELS") ? "OMP_MAX_ACTIVE_LEVELS" : "OMP_NESTED";
    const char *value = getenv(name);
    snprintf(reason, size,
             "%s%s%s allows no parallel region inside another: unset it, or set "
             "OMP_MAX_ACTIVE_LEVELS to 2 or more",
             value ? name : "the runtime", value ? "=" : "", quoted(value ? value : "").text);
    return false;
}

const char *variant_observed(struct availability *a, const struct variant *variant)
{
    char reason[REASON_SIZE];
    if (!variant->concurrent_write || !variant_available(a, variant, reason))
        return NULL;
    return probed(a, variant)->observed;
}

void variant_probe(const struct variant *variant, size_t threads)
{
    if (variant->concurrent_write)
        printf("%s\n", variant->concurrent_write->probe(threads));
    message_flush_output();
}
