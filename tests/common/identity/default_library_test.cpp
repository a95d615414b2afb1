/* SPDX-License-Identifier: BSD-3-Clause
 * Lines as the dynamic linker prints them with LD_TRACE_LOADED_OBJECTS. */
#include "tests/support.h"

extern "C" {
#include "common/identity/default_library.h"
}

static std::string path_in(std::string line)
{
    const char *path = default_library_path(line.data(), "libgomp.so.1");
    return path ? path : "none";
}

TEST(DefaultLibrary, IsThePathBetweenArrowAndAddress)
{
    EXPECT_EQ(path_in("\tlibgomp.so.1 => /lib/libgomp.so.1 (0x00007f60a22f8000)"),
              "/lib/libgomp.so.1");
    EXPECT_EQ(path_in("\tlibgomp.so.1 => /my builds (new)/libgomp.so.1 (0x00007f60a22f8000)"),
              "/my builds (new)/libgomp.so.1");
}

TEST(DefaultLibrary, IsNotInOtherLines)
{
    for (const char *line :
         {"", "\tlibgomp.so.1 => not found", "\tlibm.so.6 => /lib/libm.so.6 (0x0000)",
          "\tlinux-vdso.so.1 (0x00007f60a4831000)", "\t/lib/ld.so (0x00007f60a4833000)"})
        EXPECT_EQ(path_in(line), "none") << line;
}
