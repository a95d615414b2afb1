/* SPDX-License-Identifier: BSD-3-Clause
 * The variables that records name. */
#include "tests/support.h"

TEST(Environment, HasNoVariableOfAnEntryWithoutAValue)
{
    char valueless[] = "OMP_NOTHING\0of it", usual[] = "OMP_OWN=1";
    char *entries[] = {valueless, usual, nullptr}, **before = environ;
    environ = entries;
    json_t *found = environment_found();
    environ = before;
    EXPECT_EQ(json_object_size(found), 1u);
    EXPECT_STREQ(json_string_value(json_object_get(found, "OMP_OWN")), "1");
    json_decref(found);
}
