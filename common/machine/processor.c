/* SPDX-License-Identifier: BSD-3-Clause
 * One row for each range of models that share a name. */
#include "common/machine/processor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Models of one family, as vendors number them. */
struct models {
    const char *name, *vendor;
    long family, first_model, last_model;
};

static const struct models families[] = {
    {"zen4", "AuthenticAMD", 25, 16, 31},
    {"zen4", "AuthenticAMD", 25, 96, 127},
    {"zen4", "AuthenticAMD", 25, 160, 175},
    {"sapphirerapids", "GenuineIntel", 6, 143, 143},
    {"sapphirerapids", "GenuineIntel", 6, 207, 207}, /* Emerald Rapids: the same cores */
};

static bool is_of(const struct models *models, struct processor p)
{
    if (!p.vendor || !p.family || !p.model || strcmp(p.vendor, models->vendor) != 0)
        return false;
    long model = strtol(p.model, NULL, 10);
    return strtol(p.family, NULL, 10) == models->family && model >= models->first_model &&
           model <= models->last_model;
}

const char *processor_family(struct processor processor)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (is_of(&families[i], processor))
            return families[i].name;
    return PROCESSOR_ANY;
}
