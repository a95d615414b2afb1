/* SPDX-License-Identifier: BSD-3-Clause
 * CPU quotas of control groups, on made-up systems: quotas.json, which tests/scripts/ reads too. */
#include <omp.h>

#include <jansson.h>

#include <cmath>
#include <functional>

#include "tests/files.h"

extern "C" {
#include "common/base/control_groups.h"
#include "common/execution/team.h"
}

class Quotas : public Files {
  protected:
    json_t *systems = nullptr;

    void SetUp() override
    {
        Files::SetUp();
        systems = json_load_file(POLLUX_TEST_QUOTAS, 0, nullptr);
        ASSERT_GT(json_array_size(systems), 0u);
        unsetenv("OMP_NUM_THREADS"); /* which the runtime has read */
    }
    void TearDown() override
    {
        json_decref(systems);
        Files::TearDown();
    }
    /** Calls a function for each system, with its root, its name and its quota. */
    void each(const std::function<void(const std::string &, const char *, double)> &examine)
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
            json_t *quota = json_object_get(system, "quota");
            examine(root.string(), json_string_value(json_object_get(system, "name")),
                    json_is_null(quota) ? INFINITY : json_number_value(quota));
        }
    }
};

TEST_F(Quotas, AreTheLeastOfAllGroupsOfBothVersions)
{
    each([](const std::string &root, const char *name, double quota) {
        EXPECT_DOUBLE_EQ(control_groups_quota(root.c_str()), quota) << name;
    });
}

TEST_F(Quotas, LimitTheTeamThatIsStartedByDefault)
{
    const int usual = omp_get_max_threads();
    omp_set_num_threads(8);
    each([](const std::string &root, const char *name, double quota) {
        const size_t expected = quota < 1 ? 1 : quota < 8 ? (size_t)quota : 8;
        setenv("POLLUX_SYSTEM_ROOT", root.c_str(), 1);
        testing::internal::CaptureStderr();
        EXPECT_EQ(team_default_threads(), expected) << name;
        team_explain_default();
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(said.find("because of a CPU quota of ") != std::string::npos, expected < 8)
            << name << ": " << said;
    });
    unsetenv("POLLUX_SYSTEM_ROOT");
    omp_set_num_threads(usual);
}

TEST_F(Quotas, DoNotLimitATeamThatIsAskedFor)
{
    const int usual = omp_get_max_threads();
    omp_set_num_threads(8);
    setenv("OMP_NUM_THREADS", "8", 1);
    each([](const std::string &root, const char *name, double) {
        setenv("POLLUX_SYSTEM_ROOT", root.c_str(), 1);
        EXPECT_EQ(team_default_threads(), 8u) << name;
    });
    unsetenv("POLLUX_SYSTEM_ROOT");
    unsetenv("OMP_NUM_THREADS");
    omp_set_num_threads(usual);
}
