/* SPDX-License-Identifier: BSD-3-Clause
 * Reads /proc and /sys, the power settings below system_root(); what a missing file would report is unknown, never an error. */
#include "common/machine/host.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/control_groups.h"
#include "common/base/json.h"
#include "common/base/limits.h"
#include "common/base/sizes.h"
#include "common/base/system_file.h"
#include "common/base/text.h"
#include "common/machine/affinity.h"

static const size_t PROCESSORS_MAX = (size_t)AFFINITY_SETS * CPU_SETSIZE;

/* Reads the line of a file of the processors' power settings. @return false if there is none */
static bool setting(const char *file, char *line, size_t size)
{
    char path[SYSTEM_PATH_SIZE];
    system_path(path, "%s/sys/devices/system/cpu/%s", system_root(), file);
    return system_line(path, line, size) == 0 && line[0];
}

/* The next processor, from this one on, that the program was started on; PROCESSORS_MAX: there is none. */
static size_t allowed_from(size_t processor)
{
    const size_t bytes = AFFINITY_SETS * sizeof(cpu_set_t);
    while (processor < PROCESSORS_MAX && !CPU_ISSET_S(processor, bytes, affinity_initial()))
        processor++;
    return processor;
}

static void add_once(json_t *texts, const char *line)
{
    json_t *text = json_text(line);
    for (size_t i = 0; i < json_array_size(texts); i++)
        if (json_equal(json_array_get(texts, i), text)) {
            json_decref(text);
            return;
        }
    json_array_append_new(texts, text);
}

/* What a file says of the allowed processors, each text once. */
static json_t *settings(const char *file)
{
    json_t *texts = json_array();
    for (size_t p = allowed_from(0); p < PROCESSORS_MAX; p = allowed_from(p + 1)) {
        char path[128], line[64];
        snprintf(path, sizeof path, "cpu%zu/%s", p, file);
        if (setting(path, line, sizeof line))
            add_once(texts, line);
    }
    return texts;
}

/* Of several governors all: "performance, powersave". */
static json_t *governor(void)
{
    char names[256] = "";
    json_t *texts = settings("cpufreq/scaling_governor");
    for (size_t i = 0; i < json_array_size(texts); i++)
        text_add_item(names, sizeof names, ", ", json_string_value(json_array_get(texts, i)));
    json_decref(texts);
    return names[0] ? json_text(names) : json_null();
}

/* Whether a switch of turbo is on for any of the processors; each policy has one since Linux 6.11. */
static bool is_boosted(const json_t *switches)
{
    for (size_t i = 0; i < json_array_size(switches); i++)
        if (strcmp(json_string_value(json_array_get(switches, i)), "0") != 0)
            return true;
    return false;
}

/* "on", "off" or null; intel_pstate has the inverse value. */
static json_t *turbo(void)
{
    char line[16];
    if (setting("intel_pstate/no_turbo", line, sizeof line))
        return json_string(line[0] == '0' ? "on" : "off");
    json_t *switches = settings("cpufreq/boost");
    if (json_array_size(switches) == 0 && setting("cpufreq/boost", line, sizeof line))
        json_array_append_new(switches, json_text(line));
    json_t *found = json_array_size(switches) == 0
                        ? json_null()
                        : json_string(is_boosted(switches) ? "on" : "off");
    json_decref(switches);
    return found;
}

static void add_idle_states(size_t processor, json_t *states)
{
    for (int state = 0;; state++) {
        char path[128], name[64], disabled[8];
        snprintf(path, sizeof path, "cpu%zu/cpuidle/state%d/name", processor, state);
        if (!setting(path, name, sizeof name))
            return;
        snprintf(path, sizeof path, "cpu%zu/cpuidle/state%d/disable", processor, state);
        if (!setting(path, disabled, sizeof disabled) || disabled[0] == '0')
            add_once(states, name);
    }
}

/* Names of the idle states that any of the processors may enter, or null. */
static json_t *idle_states(void)
{
    json_t *states = json_array();
    for (size_t p = allowed_from(0); p < PROCESSORS_MAX; p = allowed_from(p + 1))
        add_idle_states(p, states);
    if (json_array_size(states) > 0)
        return states;
    json_decref(states);
    return json_null();
}

json_t *host_describe(const struct topology *topology)
{
    char hostname[256] = "";
    struct utsname system = {0};
    json_t *host = json_object();
    gethostname(hostname, sizeof hostname - 1);
    uname(&system);
    json_object_set_new(host, "hostname", json_text(hostname));
    json_object_set_new(host, "kernel", json_string(system.release));
    topology_describe(topology, host);
    json_object_set_new(host, "governor", governor());
    json_object_set_new(host, "turbo", turbo());
    json_object_set_new(host, "cstates", idle_states());
    return host;
}

/* MemAvailable of /proc/meminfo, or SIZE_MAX where it cannot be read. */
static size_t system_available_bytes(void)
{
    char line[128];
    const char *text = system_line_after("/proc/meminfo", "MemAvailable:", line, sizeof line);
    return text ? (size_t)strtoull(text, NULL, 10) << 10 : SIZE_MAX;
}

size_t host_available_bytes(void)
{
    return smaller(limits_memory_bytes(""),
                   smaller(system_available_bytes(), control_groups_memory_bytes("")));
}
