/* SPDX-License-Identifier: BSD-3-Clause
 * Reads /proc and /sys, the power settings below system_root(); what a missing file would report is unknown, never an error. */
#include "common/machine/host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/control_groups.h"
#include "common/base/json_text.h"
#include "common/base/limits.h"
#include "common/base/sizes.h"
#include "common/base/system_root.h"

/* The first line of a file without its newline, or NULL. */
static char *first_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = fgets(line, size, file);
    fclose(file);
    if (text)
        text[strcspn(text, "\n")] = '\0';
    return text;
}

/* The same for a file of the processors' power settings. */
static char *setting(const char *file, char *line, int size)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/cpu/%s", system_root(), file);
    return length < (int)sizeof path ? first_line(path, line, size) : NULL;
}

static json_t *setting_or_null(const char *file)
{
    char line[256];
    return setting(file, line, sizeof line) ? json_string(line) : json_null();
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
            json_array_append_new(states, json_string(name));
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
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kibibytes = 0;
    size_t bytes = SIZE_MAX;
    if (!file)
        return bytes;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kibibytes) == 1)
            bytes = (size_t)kibibytes * 1024;
    fclose(file);
    return bytes;
}

size_t host_available_bytes(void)
{
    return smaller(limits_memory_bytes(""),
                   smaller(system_available_bytes(), control_groups_memory_bytes("")));
}
