/* SPDX-License-Identifier: BSD-3-Clause
 * Texts in buffers, and words in lists. */
#include <cstring>

#include "tests/support.h"

TEST(Text, LeavesOutWhatDoesNotFit)
{
    char text[9] = "", after = text[8];
    for (const char *item : {"abc", "de", "fgh", "i"})
        text_add_item(text, 8, ", ", item);
    EXPECT_STREQ(text, "abc, de");
    EXPECT_EQ(text[8], after);
}

TEST(Text, ListsWholeWordsAlone)
{
    for (const char *word : {"cpu", "cpuacct", "io"})
        EXPECT_TRUE(text_lists("cpu,cpuacct,io", word, strlen(word))) << word;
    for (const char *word : {"", "cp", "acct", "cpuacct,io"})
        EXPECT_FALSE(text_lists("cpu,cpuacct,io", word, strlen(word))) << word;
    EXPECT_TRUE(text_lists("a,cpu", "cpuset", 3));
}
