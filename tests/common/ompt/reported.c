/* SPDX-License-Identifier: BSD-3-Clause
 * Prints what the OMPT tool reports of a scene: `reported [--parallel] SCENE`; without a scene, the names
 * of all.
 *
 * A task that runs prints the number that the tool gives it, so that the order of reports and of what
 * happens can be seen. Objects are called a, b, c … */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"

static const struct ompt_tool *tool;
static double object[26];
static double *const a = object, *const b = object + 1, *const c = object + 2;

static void runs(void)
{
    printf("runs %d\n", (int)tool->current().number);
}

static void kinds(void)
{
#pragma omp task depend(out : *a)
    runs();
#pragma omp task depend(in : *a) depend(inout : *b)
    runs();
#pragma omp task depend(in : *b, *c)
    runs();
#pragma omp task
    runs();
}

static void nested(void)
{
#pragma omp task depend(out : *a)
    {
        runs();
#pragma omp task depend(in : *b)
        runs();
#pragma omp taskwait
#pragma omp task
        runs();
    }
#pragma omp taskwait
#pragma omp task
    runs();
}

static void undeferred(void)
{
#pragma omp task if (0) depend(inout : *a)
    runs();
#pragma omp task if (0)
    runs();
}

static void final(void)
{
#pragma omp task final(1) depend(inout : *a)
    {
        runs();
#pragma omp task depend(in : *b)
        runs();
    }
}

static void untied(void)
{
#pragma omp task untied depend(inout : *a)
    runs();
}

static void priority(void)
{
#pragma omp task priority(3) depend(inout : *a)
    runs();
}

static void taskgroup(void)
{
#pragma omp taskgroup
    {
#pragma omp task
        runs();
    }
}

/* clang warns about arithmetic that it generates itself for a taskloop. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static void taskloop(void)
{
#pragma omp taskloop num_tasks(2)
    for (size_t i = 0; i < 2; i++)
        runs();
}
#pragma GCC diagnostic pop

static void many(void)
{
#pragma omp task depend(in : object[0], object[1], object[2], object[3], object[4], object[5], \
                            object[6], object[7], object[8], object[9], object[10], object[11])
    runs();
}

static void twice(void)
{
#pragma omp task depend(in : *a) depend(inout : *a)
    runs();
}

#ifdef POLLUX_HAVE_INOUTSET
static void inoutset(void)
{
#pragma omp task depend(inoutset : *a)
    runs();
#pragma omp task depend(in : *b) depend(inoutset : *a)
    runs();
}
#endif

#ifdef POLLUX_HAVE_MUTEXINOUTSET
static void mutexinoutset(void)
{
#pragma omp task depend(mutexinoutset : *a)
    runs();
}
#endif

#ifdef POLLUX_HAVE_DEPEND_ITERATOR
static void iterator(void)
{
#pragma omp task depend(iterator(int i = 0 : 4), in : object[i]) depend(inout : object[5])
    runs();
}
#endif

#ifdef POLLUX_HAVE_DEPOBJ
static void depobj(void)
{
    omp_depend_t object_of_a;
#pragma omp depobj(object_of_a) depend(inout : *a)
#pragma omp task depend(depobj : object_of_a)
    runs();
#pragma omp depobj(object_of_a) destroy
}
#endif

#ifdef POLLUX_HAVE_ALL_MEMORY
static void all_memory(void)
{
#pragma omp task depend(inout : omp_all_memory)
    runs();
}
#endif

#ifdef POLLUX_HAVE_TASKWAIT_DEPEND
static void taskwait_depend(void)
{
#pragma omp task depend(out : *a)
    runs();
#pragma omp taskwait depend(in : *a)
#pragma omp task
    runs();
}
#endif

static const struct {
    const char *name;
    void (*submit)(void);
} scenes[] = {
    {"kinds", kinds},
    {"nested", nested},
    {"undeferred", undeferred},
    {"final", final},
    {"untied", untied},
    {"priority", priority},
    {"taskgroup", taskgroup},
    {"taskloop", taskloop},
    {"many", many},
    {"twice", twice},
#ifdef POLLUX_HAVE_INOUTSET
    {"inoutset", inoutset},
#endif
#ifdef POLLUX_HAVE_MUTEXINOUTSET
    {"mutexinoutset", mutexinoutset},
#endif
#ifdef POLLUX_HAVE_DEPEND_ITERATOR
    {"iterator", iterator},
#endif
#ifdef POLLUX_HAVE_DEPOBJ
    {"depobj", depobj},
#endif
#ifdef POLLUX_HAVE_ALL_MEMORY
    {"all_memory", all_memory},
#endif
#ifdef POLLUX_HAVE_TASKWAIT_DEPEND
    {"taskwait_depend", taskwait_depend},
#endif
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void print_created(void *context, uint64_t task, uint64_t parent)
{
    (void)context;
    printf("created %d by %d\n", (int)task, (int)parent);
}

static void print_depends(void *context, uint64_t task, const void *const *address, const int *kind,
                          size_t count)
{
    (void)context;
    printf("depends %d:", (int)task);
    for (size_t i = 0; i < count; i++) {
        const ptrdiff_t place = (const double *)address[i] - object;
        const bool known = address[i] && place >= 0 && place < 26;
        printf(" %c%d", known ? (char)('a' + place) : '?', kind[i]);
    }
    putchar('\n');
}

static void print_waits(void *context, uint64_t task)
{
    (void)context;
    printf("waits %d\n", (int)task);
}

static void play(void (*submit)(void), bool parallel)
{
    static const struct ompt_listener printer = {
        .created = print_created, .depends = print_depends, .waits = print_waits};
    if (!parallel) {
        tool->listen(&printer);
        submit();
    } else {
#pragma omp parallel num_threads(1)
        {
            tool->listen(&printer);
            submit();
        }
    }
    tool->listen(NULL);
}

int main(int argc, char **argv)
{
    const bool parallel = argc > 1 && strcmp(argv[1], "--parallel") == 0;
    const char *wanted = argc > 1 + parallel ? argv[1 + parallel] : NULL;
    if (wanted) {
        tool = loaded_tool();
        if (!tool)
            return 3;
    }
    for (int i = 0; i < SCENES; i++) {
        if (!wanted)
            puts(scenes[i].name);
        else if (strcmp(wanted, scenes[i].name) == 0)
            play(scenes[i].submit, parallel);
    }
    return 0;
}
