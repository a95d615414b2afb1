/* SPDX-License-Identifier: BSD-3-Clause
 * Writes energy, power, temperatures and frequencies over time, as docs/meters.md describes.
 *
 *     power-sampler [--output FILE] [--interval MS] [--duration SECONDS]
 *
 * It ends at SIGINT, SIGTERM or SIGHUP, or after the duration, with a last sample. Signals are blocked and taken
 * where it sleeps, so that none is lost between a check and the sleep. Every line is one write: what kills the
 * process leaves whole lines. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/command_line.h"
#include "common/base/message.h"
#include "common/base/system_file.h"
#include "common/energy/meter.h"
#include "common/energy/sensors.h"
#include "common/energy/timeline.h"

static const double MILLISECOND_NS = 1e6;

/* Temperatures and frequencies are read this often at most: each reading wakes a processor. */
static const double SLOW_MS = 1000;

/* How long the counters are watched for mirrors before the first line. */
static const int64_t WATCH_NS = 100000000;

struct order {
    const char *path; /* NULL: standard output */
    double interval_ms;
    double seconds; /* INFINITY: until a signal */
};

struct output {
    int descriptor;
    const char *name;
};

/* A number in [least, most], fractions included. */
static double parse_real(const char *text, const char *option, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least && value <= most))
        message_fatal(POLLUX_USAGE, "%s %s: must be a number from %g to %g", option,
                      quoted(text).text, least, most);
    return value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct order *order = state->input;
    switch (key) {
    case 'o':
        order->path = value;
        return 0;
    case 'i':
        order->interval_ms = parse_real(value, "--interval", 1, 3600000);
        return 0;
    case 'd':
        order->seconds = parse_real(value, "--duration", 0, 1e9);
        return 0;
    case 'h':
        command_line_help(state);
    default:
        return command_line_other(key, value, state);
    }
}

static struct order parse_order(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"output", 'o', "FILE", 0, "a new file (standard output)", 1},
        {"interval", 'i', "MS", 0, "time between samples, milliseconds (10)", 1},
        {"duration", 'd', "SECONDS", 0, "time until the last sample (until a signal)", 1},
        {"help", 'h', NULL, 0, "show this help", 2},
        {0}};
    const struct argp argp = {
        .options = table,
        .parser = parse_option,
        .doc = "power-sampler: energy, power, temperatures and frequencies over time, as CSV.\v"
               "Exit status: 0 all right, 2 bad usage, 3 the machine cannot do it."};
    struct order order = {.interval_ms = 10, .seconds = INFINITY};
    command_line_parse(&argp, argc, argv, &order);
    return order;
}

/* An earlier timeline is a measurement: it is neither replaced nor continued. */
static struct output open_output(const char *path)
{
    struct stat status;
    if (!path)
        return (struct output){STDOUT_FILENO, "standard output"};
    if (strcmp(path, "-") == 0)
        message_fatal(POLLUX_USAGE, "--output -: name a file; one that is called '-' is ./-");
    int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        message_fatal(POLLUX_USAGE, "cannot write to %s: %s", path, strerror(errno));
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        message_fatal(POLLUX_USAGE, "%s already exists: name a new file", path);
    return (struct output){descriptor, path};
}

static void write_line(const struct output *output, const char *line)
{
    size_t bytes = strlen(line);
    while (bytes > 0) {
        ssize_t written = write(output->descriptor, line, bytes);
        if (written < 0 && errno != EINTR)
            message_fatal(POLLUX_MACHINE, "cannot write to %s: %s", output->name, strerror(errno));
        line += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
}

static sigset_t block_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t ending;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&ending, signals[i]); /* under nohup, SIGHUP stays ignored */
    }
    sigprocmask(SIG_BLOCK, &ending, NULL);
    return ending;
}

/* Sleeps until that time of CLOCK_MONOTONIC. @return true if a signal asks for the end */
static bool sleep_until(int64_t ns, const sigset_t *ending)
{
    for (;;) {
        int64_t left = ns - now_ns(CLOCK_MONOTONIC);
        if (left < 0)
            left = 0;
        struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (sigtimedwait(ending, NULL, &time) > 0)
            return true;
        if (errno == EAGAIN)
            return false;
    }
}

/* Zen's dies may mirror their socket's counter, which shows after two readings only. */
static bool find_mirrors(struct energy_meter *meter, const sigset_t *ending)
{
    bool is_over = false;
    if (meter->amd && meter->can_read) {
        energy_meter_begin(meter);
        is_over = sleep_until(now_ns(CLOCK_MONOTONIC) + WATCH_NS, ending);
        energy_meter_end(meter);
        energy_meter_evaluate(meter);
    }
    return is_over;
}

static struct sample_time time_now(void)
{
    return (struct sample_time){now_ns(CLOCK_REALTIME), now_ns(CLOCK_MONOTONIC)};
}

static void write_head(const struct order *order, struct timeline *timeline,
                       const struct output *output)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const struct timeline_choices choices = {.host = host,
                                             .start_unix_ns = now_ns(CLOCK_REALTIME),
                                             .interval_ms = order->interval_ms,
                                             .slow_interval_ms = fmax(order->interval_ms, SLOW_MS)};
    write_line(output, timeline_head(timeline, &choices));
}

/* Samples on a grid of times; where the system was late by more than an interval, those in between are left
 * out. */
static void sample(const struct order *order, struct timeline *timeline,
                   const struct output *output, const sigset_t *ending, bool is_over)
{
    int64_t interval = (int64_t)(order->interval_ms * MILLISECOND_NS);
    int64_t slow = (int64_t)(SLOW_MS * MILLISECOND_NS);
    int64_t start = now_ns(CLOCK_MONOTONIC), next = start, next_slow = start;
    int64_t end = order->seconds < 1e9 ? start + (int64_t)(order->seconds * 1e9) : INT64_MAX;
    for (;;) {
        struct sample_time now = time_now();
        bool with_sensors = now.monotonic_ns >= next_slow;
        if (with_sensors)
            next_slow = now.monotonic_ns + slow - interval / 2;
        write_line(output, timeline_sample(timeline, now, with_sensors));
        if (is_over || now.monotonic_ns >= end)
            return;
        next += interval * ((now.monotonic_ns - next) / interval + 1);
        is_over = sleep_until(next < end ? next : end, ending);
    }
}

/* Each counter and sensor stays open, and each processor has one: the usual soft limit is 1024. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* All that there are, or as many as leave a descriptor for the output. */
static struct sensor_list open_sensors(void)
{
    int kept = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct sensor_list sensors = sensors_open(system_root());
    if (kept >= 0)
        close(kept);
    if (sensors.is_cut)
        message_warning("some sensors are left out: raise the limit on open files (ulimit -n)");
    return sensors;
}

int main(int argc, char **argv)
{
    message_program(argv[0]);
    struct order order = parse_order(argc, argv);
    sigset_t ending = block_signals();
    allow_descriptors();
    struct energy_meter *meter = energy_meter_create();
    struct sensor_list sensors = open_sensors();
    struct timeline *timeline = timeline_create(meter, &sensors);
    if (!timeline_has_columns(timeline))
        message_fatal(POLLUX_MACHINE, "nothing can be sampled here: %s", meter->total.reason);
    struct output output = open_output(order.path);
    bool is_over = find_mirrors(meter, &ending);
    write_head(&order, timeline, &output);
    sample(&order, timeline, &output, &ending, is_over);
    if (order.path && close(output.descriptor) != 0)
        message_fatal(POLLUX_MACHINE, "cannot write to %s: %s", output.name, strerror(errno));
    timeline_destroy(timeline);
    sensors_close(&sensors);
    energy_meter_destroy(meter);
    return POLLUX_OK;
}
