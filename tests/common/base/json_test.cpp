/* SPDX-License-Identifier: BSD-3-Clause
 * Any bytes as JSON: characters are kept, and what belongs to none is replaced. */
#include <string>

#include "tests/support.h"

static std::string in_json(const char *text)
{
    json_t *json = json_text(text);
    std::string value(json_string_value(json), json_string_length(json));
    json_decref(json);
    return value;
}

TEST(JsonText, KeepsCharacters)
{
    for (const char *text : {"", "m/a.mtx", "\xc3\xa9\xe2\x80\xa6\xf0\x9f\x98\x80", "\n\""})
        EXPECT_EQ(in_json(text), text);
}

TEST(JsonText, ReplacesEachByteThatBelongsToNoCharacter)
{
    const std::string replacement = "\xef\xbf\xbd";
    EXPECT_EQ(in_json("\xff"), replacement);
    EXPECT_EQ(in_json("a\xff\xc3\xa9\xc3"), "a" + replacement + "\xc3\xa9" + replacement);
    EXPECT_EQ(in_json("\xc0\xaf"), replacement + replacement);
}
