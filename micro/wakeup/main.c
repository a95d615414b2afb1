/* SPDX-License-Identifier: BSD-3-Clause
 * The executable `wake-up`: how long an idle thread takes to begin what it is given. */
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/statistics.h"
#include "common/driver/program.h"
#include "common/execution/team.h"
#include "micro/wakeup/starts.h"

enum { PAUSE };
enum { ALL, WAKE_UP };

enum { STARTS_MAX = 1024 };

/* Starts of a repetition go on until so much time has passed. */
static const int64_t SPAN_NS = 20000000;

static const struct parameter parameters[] = {
    [PAUSE] = {.name = "pause",
               .metavar = "US",
               .summary = "microseconds for which the threads are idle before",
               .least = 0,
               .most = 1000000,
               .standard = 100}};

static const struct quantity quantities[] = {
    [ALL] = {.name = "ns_per_start",
             .summary = "from before the construct to the end of the region",
             .unit = "ns"},
    [WAKE_UP] = {.name = "wake_up",
                 .summary = "from before the construct until another thread begins",
                 .unit = "ns",
                 .explained = true,
                 .is_term = true}};

static const struct column columns[] = {{COLUMN_VARIANT, 8, "by", 0},
                                        {COLUMN_THREADS, 7, "threads", 0},
                                        {COLUMN_PARAMETER, 9, "pause, us", PAUSE},
                                        {COLUMN_QUANTITY, 12, "all", ALL},
                                        {COLUMN_QUANTITY, 12, "wake-up", WAKE_UP},
                                        {0}};

static const char *const csv_figures[] = {"starts", "missed", "clock_ns", NULL};

struct starts {
    const struct start_form *form;
    struct start start;
    double clock_ns;
    double all_ns[STARTS_MAX], wake_ns[STARTS_MAX];
};

static struct program_variant variant(size_t index)
{
    return (struct program_variant){.name = start_forms[index].name,
                                    .summary = start_forms[index].summary,
                                    .tasks_per_update = 1,
                                    .parameters = 1u << PAUSE};
}

static void *create(const struct point *point, const struct run_context *context)
{
    struct starts *starts = zeros(1, sizeof *starts);
    team_wake(point->threads);
    starts->form = &start_forms[point->index];
    starts->start.threads = point->threads;
    starts->start.pause_ns = 1000 * (int64_t)point->parameter[PAUSE];
    starts->clock_ns = context->clock_ns;
    return starts;
}

/* Why a start shows nothing of waking; NULL where another thread began. */
static const char *not_woken(const struct start *start)
{
    if (start->given == 1)
        return "no other thread";
    if (start->thread < 0)
        return "no other thread began within a second";
    if (start->thread == 0)
        return "the runtime ran the task on the thread that created it";
    return NULL;
}

/* Stops at the first start that woke nobody, with the reason, or whose team was too small.
 * @return the number of those before */
static size_t run_starts(struct starts *starts, const char **reason)
{
    struct start *start = &starts->start;
    int64_t end = now_ns(CLOCK_MONOTONIC) + SPAN_NS;
    size_t count = 0;
    *reason = NULL;
    do {
        starts->form->run(start);
        *reason = not_woken(start);
        if (*reason || start->given != start->threads)
            break;
        starts->all_ns[count] = (double)(start->end_ns - start->asked_ns) - starts->clock_ns;
        starts->wake_ns[count++] = (double)(start->began_ns - start->asked_ns) - starts->clock_ns;
    } while (count < STARTS_MAX && start->end_ns < end);
    return count;
}

static void repeat(void *bench, struct result *result)
{
    struct starts *starts = bench;
    const char *reason;
    size_t count = run_starts(starts, &reason);
    const struct start *last = &starts->start;
    if (last->given != last->threads)
        result_fail(result, "the runtime gave %zu of %zu threads", last->given, last->threads);
    if (count == 0)
        result->reason[ALL] = result->reason[WAKE_UP] = reason;
    else {
        result->value[ALL] = median(starts->all_ns, count);
        result->value[WAKE_UP] = median(starts->wake_ns, count);
    }
    json_object_set_new(result->figures, "starts", json_integer((json_int_t)count));
    json_object_set_new(result->figures, "missed", json_integer(reason && last->given > 1));
}

static const struct program program = {
    .name = "wake-up",
    .summary = "how long an idle thread takes to begin a task or a parallel region",
    .example = "-v task --pause 0,100,10000 -o wake-up.jsonl",
    .failure = "a start went wrong",
    .title = "ns, medians of the repetitions",
    .variant_option = "start",
    .variant_key = 'v',
    .variant_summary = "what wakes the thread(s), or all; see --list (all)",
    .variant = variant,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .columns = columns,
    .csv_figures = csv_figures,
    .create = create,
    .destroy = free,
    .repeat = repeat};

int main(int argc, char **argv)
{
    return program_main(&program, argc, argv);
}
