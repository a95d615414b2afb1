/* SPDX-License-Identifier: BSD-3-Clause
 * Messages are lines of their own, and values in them are cut. */
#include <string>

#include "tests/support.h"

static std::string cut(const std::string &value)
{
    return quoted(value.c_str()).text;
}

static std::string times(size_t count, const std::string &character)
{
    std::string text;
    for (size_t i = 0; i < count; i++)
        text += character;
    return text;
}

TEST(Quoted, ValuesOfMoreThanSixtyCharactersEndWithAnEllipsis)
{
    EXPECT_EQ(cut(""), "");
    for (const char *character : {"x", "é", "…", "𝄞"}) {
        for (size_t count : {1, 59, 60})
            EXPECT_EQ(cut(times(count, character)), times(count, character));
        for (size_t count : {61, 1000})
            EXPECT_EQ(cut(times(count, character)), times(59, character) + "…");
    }
}

TEST(Quoted, BytesThatAreNotUtf8AreCutToo)
{
    for (const char *byte : {"\x80", "\xff", "\xe2"}) {
        EXPECT_EQ(cut(byte), byte);
        EXPECT_LT(cut(times(1000, byte)).size(), sizeof(quotation));
    }
}

TEST(Message, ProgressGivesWayToAMessage)
{
    testing::internal::CaptureStderr();
    message_progress("[%d/2]", 1);
    message_warning("slow");
    message_warning("slower");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "\r[1/2]\r\033[Kpollux: warning: slow\npollux: warning: slower\n");
}
