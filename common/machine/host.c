/* SPDX-License-Identifier: BSD-3-Clause
 * Reads /proc and /sys, the power settings below system_root(); what a missing file would report is unknown, never an error. */
#include "common/machine/host.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/control_groups.h"
#include "common/base/json_text.h"
#include "common/base/limits.h"
#include "common/base/sizes.h"
#include "common/base/system_file.h"
#include "common/base/system_root.h"

/* Reads the line of a file of the processors' power settings. @return false if there is none */
static bool setting(const char *file, char *line, size_t size)
{
    char path[SYSTEM_PATH_SIZE];
    system_path(path, "%s/sys/devices/system/cpu/%s", system_root(), file);
    return system_line(path, line, size) == 0 && line[0];
}

static json_t *setting_or_null(const char *file)
{
    char line[256];
    return setting(file, line, sizeof line) ? json_text(line) : json_null();
}

/* "on", "off" or null; intel_pstate has the inverse value. */
static json_t *turbo(void)
{
    char line[16];
    if (setting("intel_pstate/no_turbo", line, sizeof line))
        return json_string(line[0] == '0' ? "on" : "off");
    if (setting("cpufreq/boost", line, sizeof line))
        return json_string(line[0] == '1' ? "on" : "off");
    return json_null();
}

/* Names of the idle states that are not disabled on processor 0, or null. */
static json_t *idle_states(void)
{
    json_t *states = json_array();
    for (int state = 0;; state++) {
        char path[128], name[64], disabled[8];
        snprintf(path, sizeof path, "cpu0/cpuidle/state%d/name", state);
        if (!setting(path, name, sizeof name))
            break;
        snprintf(path, sizeof path, "cpu0/cpuidle/state%d/disable", state);
        if (!setting(path, disabled, sizeof disabled) || disabled[0] == '0')
            json_array_append_new(states, json_text(name));
    }
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
    json_object_set_new(host, "governor", setting_or_null("cpu0/cpufreq/scaling_governor"));
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
