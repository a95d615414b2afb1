/* SPDX-License-Identifier: BSD-3-Clause
 * The tests' main function: BLAS with one thread per call, as in every executable, and the kernel set that
 * POLLUX_TEST_KERNELS names. */
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/pollux.h"

namespace {
class OneBlasThread : public testing::Environment {
    void SetUp() override
    {
        blas_use_one_thread();
    }
};

const int SKIPPED = 77; // SKIP_RETURN_CODE of tests/CMakeLists.txt

void choose_kernels()
{
    const char *name = std::getenv("POLLUX_TEST_KERNELS");
    if (!name || std::strcmp(name, kernel_set_names[KERNELS_TUNED]) != 0)
        return;
    if (const char *missing = kernel_set_missing(KERNELS_TUNED)) {
        std::printf("skipped: kernel set %s: %s\n", name, missing);
        std::exit(SKIPPED);
    }
    kernel_set_use(KERNELS_TUNED);
}
} // namespace

int main(int argc, char **argv)
{
    choose_kernels();
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new OneBlasThread);
    return RUN_ALL_TESTS();
}
