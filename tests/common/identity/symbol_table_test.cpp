/* SPDX-License-Identifier: BSD-3-Clause
 * Symbol tables of the objects in this process. */
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "common/identity/object_calls.h"
#include "common/identity/shared_objects.h"
#include "common/identity/symbol_table.h"
}

static void keep(const char *symbol, void *data)
{
    static_cast<std::vector<std::string> *>(data)->push_back(symbol);
}

static std::vector<std::string> symbols_of(const link_map *object)
{
    std::vector<std::string> symbols;
    symbol_table_each(object, keep, &symbols);
    return symbols;
}

static const link_map *c_library()
{
    return address_owner(dlsym(RTLD_DEFAULT, "printf"));
}

TEST(SymbolTable, DefinesWhatItListsAndNothingElse)
{
    size_t total = 0;
    for (const link_map *object = shared_objects(); object; object = object->l_next) {
        SCOPED_TRACE(object->l_name);
        for (const std::string &symbol : symbols_of(object)) {
            EXPECT_TRUE(symbol_table_defines(object, symbol.c_str())) << symbol;
            EXPECT_FALSE(symbol_table_defines(object, (symbol + "-other").c_str())) << symbol;
            total++;
        }
    }
    EXPECT_GT(total, 1000u);
}

TEST(SymbolTable, DoesNotAskTheObjectsThatAnObjectDependsOn)
{
    const link_map *program = shared_objects();
    ASSERT_NE(c_library(), nullptr);
    EXPECT_TRUE(symbol_table_defines(c_library(), "printf"));
    EXPECT_FALSE(symbol_table_defines(program, "printf"));
    EXPECT_TRUE(object_refers(program, "dlsym"));
    EXPECT_FALSE(object_refers(program, "no_such_function"));
}
