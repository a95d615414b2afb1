/* SPDX-License-Identifier: BSD-3-Clause
 * Limits of control groups, on made-up systems: group_limits.json, which tests/scripts/ reads too. */
#include <omp.h>

#include <jansson.h>

#include <cmath>
#include <functional>

#include "tests/files.h"

extern "C" {
#include "common/base/control_groups.h"
#include "common/execution/team.h"
}

class GroupLimits : public Files {
  protected:
    json_t *systems = nullptr;

    void SetUp() override
    {
        Files::SetUp();
        systems = json_load_file(POLLUX_TEST_GROUP_LIMITS, 0, nullptr);
        ASSERT_GT(json_array_size(systems), 0u);
        unsetenv("OMP_NUM_THREADS"); /* which the runtime has read */
    }
    void TearDown() override
    {
        json_decref(systems);
        Files::TearDown();
    }
    /** What a system is and has. */
    struct expected {
        std::string root;
        const char *name;
        double quota, memory;
    };
    static double number_of(const json_t *system, const char *key)
    {
        const json_t *number = json_object_get(system, key);
        return json_is_number(number) ? json_number_value(number) : INFINITY;
    }
    void each(const std::function<void(const expected &)> &examine)
    {
        size_t i;
        json_t *system;
        json_array_foreach(systems, i, system)
        {
            const std::filesystem::path root = folder / std::to_string(i);
            const char *path;
            json_t *text;
            std::filesystem::create_directories(root / "sys");
            json_object_foreach(json_object_get(system, "files"), path, text)
            {
                std::filesystem::create_directories((root / path).parent_path());
                std::ofstream(root / path) << json_string_value(text);
            }
            examine({root.string(), json_string_value(json_object_get(system, "name")),
                     number_of(system, "quota"), number_of(system, "memory")});
        }
    }
};

TEST_F(GroupLimits, AreTheLeastOfAllGroupsOfBothVersions)
{
    each([](const expected &system) {
        const size_t bytes = control_groups_memory_bytes(system.root.c_str());
        EXPECT_DOUBLE_EQ(control_groups_quota(system.root.c_str()), system.quota) << system.name;
        EXPECT_DOUBLE_EQ(bytes < SIZE_MAX ? (double)bytes : INFINITY, system.memory) << system.name;
    });
}

TEST_F(GroupLimits, LimitTheTeamThatIsStartedByDefault)
{
    const int usual = omp_get_max_threads();
    omp_set_num_threads(8);
    each([](const expected &system) {
        const double quota = system.quota;
        const size_t threads = quota < 1 ? 1 : quota < 8 ? (size_t)quota : 8;
        setenv("POLLUX_SYSTEM_ROOT", system.root.c_str(), 1);
        testing::internal::CaptureStderr();
        EXPECT_EQ(team_default_threads(), threads) << system.name;
        team_explain_default();
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(said.find("because of a CPU quota of ") != std::string::npos, threads < 8)
            << system.name << ": " << said;
    });
    unsetenv("POLLUX_SYSTEM_ROOT");
    omp_set_num_threads(usual);
}

TEST_F(GroupLimits, DoNotLimitATeamThatIsAskedFor)
{
    const int usual = omp_get_max_threads();
    omp_set_num_threads(8);
    setenv("OMP_NUM_THREADS", "8", 1);
    each([](const expected &system) {
        setenv("POLLUX_SYSTEM_ROOT", system.root.c_str(), 1);
        EXPECT_EQ(team_default_threads(), 8u) << system.name;
    });
    unsetenv("POLLUX_SYSTEM_ROOT");
    unsetenv("OMP_NUM_THREADS");
    omp_set_num_threads(usual);
}
