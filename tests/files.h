/* SPDX-License-Identifier: BSD-3-Clause
 * A folder for the files of one test. */
#ifndef POLLUX_TESTS_FILES_H
#define POLLUX_TESTS_FILES_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/** A test with a folder of its own, removed at its end. */
class Files : public testing::Test {
  protected:
    std::filesystem::path folder;

    void SetUp() override
    {
        std::string name = (std::filesystem::temp_directory_path() / "pollux-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override
    {
        std::filesystem::remove_all(folder);
    }
    std::string write(const std::string &text) const
    {
        const std::filesystem::path path = folder / "file";
        std::ofstream(path) << text;
        return path.string();
    }
    static std::string content(const std::string &path)
    {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
};

#endif
