/* SPDX-License-Identifier: BSD-3-Clause
 * Files of records: whole lines, whatever happens. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/files.h"
#include "tests/support.h"

class RecordFile : public Files {
  protected:
    static void append_to(record_file *file, int number)
    {
        json_t *record = json_pack("{s:i}", "number", number);
        record_file_append(file, record);
        json_decref(record);
    }

    template <typename Event> static void append_after(const std::string &path, Event happens)
    {
        record_file file = record_file_open(path.c_str());
        happens();
        append_to(&file, 7);
    }

    static void limit_files(rlim_t bytes)
    {
        const rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
    }

    /* A signal tells that a write is beyond the limit: then the limit is lifted, and another process appends. */
    static void append_when_limited(const std::string &path, size_t bytes)
    {
        static std::string appended_to;
        static rlimit lifted;
        appended_to = path;
        getrlimit(RLIMIT_FSIZE, &lifted);
        const rlimit limit = {bytes, lifted.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, [](int) {
            setrlimit(RLIMIT_FSIZE, &lifted);
            std::ofstream(appended_to, std::ios::app) << "\n{\"number\":8}\n";
        });
    }

    /* Whether a process waits for a lock, by the kernel's list; false once it has ended instead. */
    static bool waits_for_lock(pid_t process)
    {
        const std::string mark = " " + std::to_string(process) + " ";
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        const auto id = static_cast<id_t>(process);
        siginfo_t ended = {};
        while (ended.si_pid != process && std::chrono::steady_clock::now() < end) {
            std::ifstream locks("/proc/locks");
            for (std::string line; std::getline(locks, line);)
                if (line.find("->") != std::string::npos && line.find(mark) != std::string::npos)
                    return true;
            if (waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
                return false;
        }
        return false;
    }

    static void append(const std::string &path, int number)
    {
        record_file file = record_file_open(path.c_str());
        append_to(&file, number);
        record_file_close(&file);
        EXPECT_EQ(file.descriptor, -1);
    }
};

using RecordFileDeathTest = RecordFile;

TEST_F(RecordFile, KeepsWhatIsThereAndAppends)
{
    const std::string path = (folder / "new").string();
    append(path, 1);
    append(path, 2);
    EXPECT_EQ(content(path), "{\"number\":1}\n{\"number\":2}\n");
}

TEST_F(RecordFile, EndsALineThatWasLeftUnfinished)
{
    const std::string path = write("{\"number\":1}\n{\"num");
    append(path, 2);
    EXPECT_EQ(content(path), "{\"number\":1}\n{\"num\n{\"number\":2}\n");
}

TEST_F(RecordFile, WaitsForALineThatAnotherProcessIsWriting)
{
    const std::string path = write("{\"num");
    const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND);
    struct flock whole = {};
    whole.l_type = F_WRLCK;
    ASSERT_EQ(fcntl(descriptor, F_SETLK, &whole), 0);
    const pid_t other = fork();
    if (other == 0) {
        append(path, 2);
        _exit(0);
    }
    EXPECT_TRUE(waits_for_lock(other));
    EXPECT_EQ(::write(descriptor, "ber\":1}\n", 8), 8);
    close(descriptor); /* which unlocks the file */
    EXPECT_EQ(waitpid(other, nullptr, 0), other);
    EXPECT_EQ(content(path), "{\"number\":1}\n{\"number\":2}\n");
}

TEST_F(RecordFile, WithoutAPathKeepsNothing)
{
    record_file file = record_file_open(nullptr);
    json_t *record = json_pack("{s:i}", "number", 1);
    record_file_append(&file, record);
    json_decref(record);
    record_file_close(&file);
    EXPECT_EQ(file.descriptor, -1);
}

TEST_F(RecordFileDeathTest, RefusesFoldersAndMissingFolders)
{
    for (const std::string &path : {folder.string(), (folder / "none" / "file").string()})
        EXPECT_EXIT(record_file_open(path.c_str()), testing::ExitedWithCode(POLLUX_USAGE),
                    "^[^\n]*cannot write to " + path + "[^\n]*\n$");
}

TEST_F(RecordFileDeathTest, EndsTheRunWhenTheFileIsRenamed)
{
    const std::string path = write("");
    const std::string moved = path + "-moved";
    EXPECT_EXIT(append_after(path, [&] { rename(path.c_str(), moved.c_str()); }),
                testing::ExitedWithCode(POLLUX_MACHINE),
                "^[^\n]*" + path + " was renamed during the run; [^\n]*\n$");
    EXPECT_EQ(content(moved), "{\"number\":7}\n");
}

TEST_F(RecordFileDeathTest, GivesTheRecordToStandardErrorWhenTheFileIsRemoved)
{
    const std::string path = write("");
    EXPECT_EXIT(append_after(path, [&] { unlink(path.c_str()); }),
                testing::ExitedWithCode(POLLUX_MACHINE),
                "^\\{\"number\":7\\}\n[^\n]*" + path + " was removed during the run; [^\n]*\n$");
}

TEST_F(RecordFileDeathTest, GivesTheRecordToStandardErrorAtTheLimitOfFileSizes)
{
    const std::string before(1000, '\n'); /* standard error is a file here, and must fit */
    const std::string path = write(before);
    for (const rlim_t bytes : {before.size() + 5, before.size()}) {
        EXPECT_EXIT(append_after(path, [&] { limit_files(bytes); }),
                    testing::ExitedWithCode(POLLUX_MACHINE),
                    "^\\{\"number\":7\\}\n[^\n]*cannot write to " + path + "[^\n]*\n$");
        EXPECT_EQ(content(path), before);
    }
}

TEST_F(RecordFileDeathTest, LeavesAnIncompleteLineBehindWhichAnotherProcessHasWritten)
{
    const std::string path = write("\n");
    EXPECT_EXIT(append_after(path, [&] { append_when_limited(path, 6); }),
                testing::ExitedWithCode(POLLUX_MACHINE),
                "warning: an incomplete line remains in the output file\n\\{\"number\":7\\}\n");
    EXPECT_EQ(content(path), "\n{\"num\n{\"number\":8}\n");
}

TEST_F(RecordFileDeathTest, GivesTheRecordToStandardErrorWhenTheDiskIsFull)
{
    if (access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "this system has no /dev/full";
    EXPECT_EXIT(append("/dev/full", 7), testing::ExitedWithCode(POLLUX_MACHINE),
                "^\\{\"number\":7\\}\n[^\n]*cannot write to /dev/full: No space left[^\n]*\n$");
}
