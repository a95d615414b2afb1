/* SPDX-License-Identifier: BSD-3-Clause
 * The program around a rule: one JSON line on the process, then a line before and after each
 * trial, so that a crash or a hang leaves its seed behind. */
#include "conformance/rule.h"

#include <jansson.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/compiler.h"
#include "common/base/limits.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/random.h"
#include "common/base/restart.h"
#include "common/identity/runtime_identity.h"
#include "common/identity/runtime_settings.h"
#include "common/identity/runtime_stack.h"

static const uint64_t SEED_MAX = 1000000000000000;
static const double SECONDS_MAX = 1e9;
/* How long a caller waits at a meeting: enough for a sleeping thread to wake up on a busy
 * machine. After a few failed meetings the runtime is assumed to serialise, and callers wait
 * less. */
static const double PATIENCE_SECONDS = 0.1;
static const double SHORT_PATIENCE_SECONDS = 0.002;
enum { FAILED_MEETINGS_MAX = 4 };

static atomic_int failed_meetings;

static const char *const verdict_names[] = {
    [KEPT] = "kept",
    [IGNORED] = "ignored",
    [SERIALISED] = "serialised",
    [BROKEN] = "broken",
};

struct order {
    size_t threads, trials;
    uint64_t seed;
    double seconds;
};

size_t trial_random(struct trial *trial, size_t bound)
{
    return (size_t)(random_bits(trial->random_seed, trial->random_index++) % bound);
}

/* One thread at a time writes the reason; the first reason for the worst verdict is kept. */
void trial_says(struct trial *trial, enum verdict verdict, const char *format, ...)
{
    static atomic_flag writing = ATOMIC_FLAG_INIT;
    va_list list;
    va_start(list, format);
    while (atomic_flag_test_and_set(&writing))
        sched_yield();
    if ((int)verdict > trial->verdict) {
        trial->verdict = (int)verdict;
        vsnprintf(trial->detail, sizeof trial->detail, format, list);
    }
    atomic_flag_clear(&writing);
    va_end(list);
}

int trial_moment(struct trial *trial)
{
    return shared_add(&trial->clock, 1);
}

int shared_add(int *object, int value)
{
    return __atomic_add_fetch(object, value, __ATOMIC_SEQ_CST);
}

int shared_get(const int *object)
{
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
}

void shared_set(int *object, int value)
{
    __atomic_store_n(object, value, __ATOMIC_SEQ_CST);
}

/* A caller that gives up is no longer counted; otherwise the next one would seem to meet it.
 * @return true if the others have come after all */
static bool withdraw(int *arrived, int wanted)
{
    int count = shared_get(arrived);
    while (count < wanted && !__atomic_compare_exchange_n(arrived, &count, count - 1, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return count >= wanted;
}

bool meet(int *arrived, int wanted)
{
    bool impatient = atomic_load(&failed_meetings) >= FAILED_MEETINGS_MAX;
    double end = now_seconds() + (impatient ? SHORT_PATIENCE_SECONDS : PATIENCE_SECONDS);
    shared_add(arrived, 1);
    while (shared_get(arrived) < wanted && now_seconds() < end)
        sched_yield();
    bool met = withdraw(arrived, wanted);
    if (!met)
        atomic_fetch_add(&failed_meetings, 1);
    return met;
}

bool wait_until(const int *object, int value, size_t milliseconds)
{
    double end = now_seconds() + 1e-3 * (double)milliseconds;
    while (shared_get(object) != value && now_seconds() < end)
        sched_yield();
    return shared_get(object) == value;
}

int this_thread(void)
{
    return (int)syscall(SYS_gettid);
}

void keep_busy(size_t microseconds)
{
    double end = now_seconds() + 1e-6 * (double)microseconds;
    while (now_seconds() < end)
        continue;
}

void keep_busy_randomly(const struct trial *trial, size_t task, size_t microseconds)
{
    keep_busy((size_t)(random_bits(trial->seed, task) % (microseconds + 1)));
}

static void print_line(json_t *line)
{
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    message_flush_output();
    json_decref(line);
}

static void print_process(const struct runtime_identity *runtime, const struct order *order)
{
    print_line(json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:{s:s, s:s}}", "schema",
                         "pollux-conformance/1", "rule", rule.name, "statement", rule.statement,
                         "source", rule.source, "threads", (int)order->threads, "runtime",
                         runtime_json(runtime), "compiler", "name", POLLUX_COMPILER, "version",
                         POLLUX_COMPILER_VERSION));
}

static bool run_trial(const struct order *order, uint64_t seed)
{
    struct trial trial = {.threads = order->threads,
                          .seed = seed,
                          .random_seed = random_bits(seed, 0),
                          .verdict = KEPT};
    print_line(json_pack("{s:I}", "begin", (json_int_t)seed));
    if (order->threads >= rule.least_threads)
        rule.attempt(&trial);
    print_line(json_pack("{s:I, s:s, s:s}", "seed", (json_int_t)seed, "verdict",
                         verdict_names[trial.verdict], "detail", trial.detail));
    return trial.verdict != BROKEN;
}

static bool run_trials(const struct order *order)
{
    double effort = rule.effort > 0.0 ? rule.effort : 1.0;
    double end = now_seconds() + order->seconds * effort;
    for (size_t i = 0; i < order->trials && (i == 0 || now_seconds() < end); i++)
        if (!run_trial(order, order->seed + i))
            return false;
    return true;
}

static void print_help(void)
{
    char times[32] = "";
    if (rule.effort > 0.0)
        snprintf(times, sizeof times, " times %g", rule.effort);
    printf("%s: %s (%s)\n\n"
           "Usage: %s [--threads T] [--trials K] [--seed S] [--seconds S]\n"
           "Runs K trials of the rule (default 50) with seeds S, S+1, …, for at most the given\n"
           "seconds (default 0.6)%s, and stops at the first broken one. To replay a reported\n"
           "seed: --trials 1 --seed S. Exit status: 0 not broken, 1 broken, 2 bad usage,\n"
           "3 not the expected runtime, or fewer threads than asked for.\n",
           rule.name, rule.statement, rule.source, rule.name, times);
    message_flush_output();
}

static double seconds(const char *option, const char *text)
{
    char *end;
    double value = text ? strtod(text, &end) : 0.0;
    if (!text || end == text || *end != '\0' || !(value >= 0.0 && value <= SECONDS_MAX))
        message_fatal(POLLUX_USAGE, "%s takes a number from 0 to %g", option, SECONDS_MAX);
    return value;
}

static struct order parse(char **argv)
{
    struct order order = {.threads = 4, .trials = 50, .seed = 1, .seconds = 0.6};
    for (char **at = argv + 1; *at; at += 2) {
        if (strcmp(*at, "--help") == 0) {
            print_help();
            exit(POLLUX_OK);
        } else if (strcmp(*at, "--threads") == 0)
            order.threads = number_parse(at[1] ? at[1] : "", *at, 1, THREADS_MAX);
        else if (strcmp(*at, "--trials") == 0)
            order.trials = number_parse(at[1] ? at[1] : "", *at, 1, NUMBER_MAX);
        else if (strcmp(*at, "--seed") == 0)
            order.seed = number_parse(at[1] ? at[1] : "", *at, 0, SEED_MAX);
        else if (strcmp(*at, "--seconds") == 0)
            order.seconds = seconds(*at, at[1]);
        else
            message_fatal(POLLUX_USAGE, "'%s' is not an option; see --help", quoted(*at).text);
    }
    return order;
}

/* The rule's own variable, "NAME=VALUE", if it differs. @return how many settings: 1 or 0 */
static size_t setting_of_rule(struct setting *setting)
{
    static char name[64];
    if (!rule.variable)
        return 0;
    size_t length = strcspn(rule.variable, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, rule.variable);
    *setting = (struct setting){name, rule.variable + length + 1};
    const char *found = getenv(name);
    return !found || strcmp(found, setting->value) != 0;
}

/* Runtimes read their environment before main begins. */
static void ensure_environment(const struct runtime_identity *runtime, char **argv)
{
    struct setting settings[RUNTIME_SETTINGS_MAX + 2];
    size_t count = runtime_settings(runtime, true, settings);
    count += setting_of_rule(settings + count);
    settings[count] = (struct setting){NULL, NULL};
    if (count > 0)
        restart_program(argv, settings);
    restart_forget();
}

/* Refuses a team that the system's limits do not allow. */
static void check_limits(const struct runtime_identity *runtime, const struct order *order)
{
    const struct team_needs needs = {.threads = order->threads,
                                     .stack_bytes = runtime_stack_bytes(runtime)};
    runtime_stack_check(runtime);
    limits_require(&needs);
}

/* Makes the first team, in which a runtime may already crash or hang, and refuses one that OpenMP's variables make
 * smaller: rules are about one of that size. */
static void require_team(const struct order *order)
{
    size_t given = team_given(order->threads);
    if (given != order->threads)
        message_fatal(POLLUX_MACHINE,
                      "the runtime gave a team of %zu where %zu threads were asked for: unset "
                      "OMP_THREAD_LIMIT and OMP_DYNAMIC",
                      given, order->threads);
}

int main(int argc, char **argv)
{
    (void)argc;
    message_program(argv[0]);
    struct order order = parse(argv);
    restart_check();
    struct runtime_identity runtime = runtime_identify();
    if (!runtime_check(&runtime))
        return POLLUX_MACHINE;
    ensure_environment(&runtime, argv);
    check_limits(&runtime, &order);
    print_process(&runtime, &order);
    require_team(&order);
    return run_trials(&order) ? POLLUX_OK : POLLUX_FAILED;
}
