/* SPDX-License-Identifier: BSD-3-Clause
 * Limits on threads and address space: read from the files of a made-up system, and compared with what
 * a team needs. */
#include <sys/resource.h>

#include <cstdint>
#include <string>

#include "tests/files.h"

extern "C" {
#include "common/base/limits.h"
}

class Limits : public Files {
  protected:
    void SetUp() override
    {
        Files::SetUp();
        put("proc/loadavg", "0.52 0.50 0.48 2/800 4711\n");
        put("proc/sys/kernel/threads-max", "50000\n");
        put("proc/sys/kernel/pid_max", "32768\n");
        put("proc/sys/vm/max_map_count", "65530\n");
        put("proc/self/cgroup", "5:memory:/elsewhere\n0::/batch/job 7/task\n");
        put("sys/fs/cgroup/batch/pids.max", "max\n");
        put("sys/fs/cgroup/batch/job 7/pids.max", "100\n");
        put("sys/fs/cgroup/batch/job 7/pids.current", "40\n");
        put("sys/fs/cgroup/batch/job 7/task/pids.max", "90\n");
        put("sys/fs/cgroup/batch/job 7/task/pids.current", "2\n");
    }
    void put(const std::string &name, const std::string &text) const
    {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
    limits read(size_t threads = 8) const
    {
        return limits_read(folder.c_str(), threads);
    }
};

TEST_F(Limits, TheSystemsAreReducedByWhatRuns)
{
    EXPECT_EQ(read().system_threads, 32768u - 800u);
    put("proc/sys/kernel/threads-max", "801\n");
    EXPECT_EQ(read().system_threads, 1u);
}

TEST_F(Limits, ThatOfTheGroupIsTheLowestOnTheWayToItsRoot)
{
    EXPECT_EQ(read().group_threads, 60u);
    put("sys/fs/cgroup/batch/job 7/task/pids.max", "3\n");
    EXPECT_EQ(read().group_threads, 1u);
    put("sys/fs/cgroup/batch/job 7/task/pids.max", "1\n");
    EXPECT_EQ(read().group_threads, 0u);
}

TEST_F(Limits, GroupsOfTheOlderVersionAreReadToo)
{
    put("proc/self/cgroup", "8:pids:/job\n0::/\n");
    put("sys/fs/cgroup/pids/job/pids.max", "17\n");
    put("sys/fs/cgroup/pids/job/pids.current", "7\n");
    EXPECT_EQ(read().group_threads, 10u);
}

TEST_F(Limits, MappingsInUseAreCountedWhereTheyMatter)
{
    put("proc/self/maps", "a\nb\nc\n");
    EXPECT_EQ(read(8).mappings, 65530u);
    EXPECT_EQ(read(40000).mappings, 65527u);
}

TEST_F(Limits, ThatOfTheUserHoldsForRootOfANamespaceToo)
{
    rlimit own, few = {};
    ASSERT_EQ(getrlimit(RLIMIT_NPROC, &own), 0);
    few.rlim_cur = 20;
    few.rlim_max = own.rlim_max;
    put("proc/loadavg", "0.52 0.50 0.48 2/5 4711\n");
    put("proc/self/status", "CapEff:\t000001ffffffffff\n");
    put("proc/self/uid_map", "         0          0 4294967295\n");
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &few), 0);
    const limits of_all = read();
    put("proc/self/uid_map", "         0       1000          1\n");
    const limits of_namespace = read();
    setrlimit(RLIMIT_NPROC, &own);
    EXPECT_EQ(of_all.user_threads, SIZE_MAX);
    EXPECT_EQ(of_namespace.user_threads, 15u);
}

TEST_F(Limits, WhatCannotBeReadIsNoLimit)
{
    std::filesystem::remove_all(folder / "proc");
    const limits none = read();
    EXPECT_EQ(none.system_threads, SIZE_MAX);
    EXPECT_EQ(none.group_threads, SIZE_MAX);
    EXPECT_EQ(none.mappings, SIZE_MAX);
}

TEST(Team, FitsExactlyIntoEachLimitAndNoFurther)
{
    const size_t MIB = 1 << 20;
    struct {
        size_t limits::*limit;
        size_t enough;
        const char *named;
    } const cases[] = {
        {&limits::user_threads, 3, "ulimit -u"},
        {&limits::group_threads, 3, "pids.max"},
        {&limits::system_threads, 3, "kernel.threads-max"},
        {&limits::mappings, 6, "vm.max_map_count"},
        {&limits::stack_bytes, 3 * 160 + MIB / 4, "ulimit -s"},
        /* Data; BLAS for four threads; stacks with guards and arenas for three. */
        {&limits::address_bytes, 5 * MIB + 4 * 128 * MIB + 3 * (8 * MIB + 4096) + 3 * 64 * MIB,
         "ulimit -v"},
        {&limits::writable_bytes, 5 * MIB + 4 * 128 * MIB + 3 * 8 * MIB, "ulimit -d"},
    };
    const team_needs needs = {4, 8 * MIB, 128 * MIB, 5 * MIB};
    std::vector<char> buffer(512);
    char *text = buffer.data();
    for (const auto &c : cases) {
        SCOPED_TRACE(c.named);
        limits limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
        EXPECT_EQ(limits_exceeded(&limits, &needs, text, buffer.size()), nullptr);
        limits.*c.limit = c.enough;
        EXPECT_EQ(limits_exceeded(&limits, &needs, text, buffer.size()), nullptr);
        limits.*c.limit = c.enough - 1;
        ASSERT_NE(limits_exceeded(&limits, &needs, text, buffer.size()), nullptr);
        EXPECT_NE(std::string(text).find(c.named), std::string::npos) << text;
        EXPECT_EQ(std::string(text).rfind("4 threads ", 0), 0u) << text;
    }
}

TEST(Team, WhoseStacksAreTooManyBytesForANumberDoesNotFit)
{
    const team_needs needs = {3, SIZE_MAX / 2 + 1, 0, 0};
    std::vector<char> text(512);
    for (size_t limits::*limit : {&limits::address_bytes, &limits::writable_bytes}) {
        limits limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
        limits.*limit = size_t(1) << 40;
        EXPECT_NE(limits_exceeded(&limits, &needs, text.data(), text.size()), nullptr);
    }
}
