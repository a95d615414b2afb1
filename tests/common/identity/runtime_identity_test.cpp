/* SPDX-License-Identifier: BSD-3-Clause
 * What follows from a runtime's name and version. */
#include <cstdio>

#include "tests/support.h"

TEST(RuntimeIdentity, LeavesPrioritiesOffWhereLibompMayStopForGood)
{
    auto is_safe = [](const char *name, const char *version) {
        runtime_identity identity = {};
        std::snprintf(identity.name, sizeof identity.name, "%s", name);
        std::snprintf(identity.version, sizeof identity.version, "%s", version);
        return runtime_priorities_are_safe(&identity);
    };
    for (const char *version : {"15", "16", ">=14", ">=16"})
        EXPECT_FALSE(is_safe("libomp", version)) << version;
    for (const char *version : {"14", "17", "19", ">=19"})
        EXPECT_TRUE(is_safe("libomp", version)) << version;
    EXPECT_TRUE(is_safe("libgomp", "16")) << "only libomp has the fault";
}
