/* SPDX-License-Identifier: BSD-3-Clause
 * The tests' main function: BLAS with one thread per call, as in every executable. */
#include <gtest/gtest.h>

#include "tests/pollux.h"

namespace {
class OneBlasThread : public testing::Environment {
    void SetUp() override
    {
        blas_use_one_thread();
    }
};
} // namespace

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new OneBlasThread);
    return RUN_ALL_TESTS();
}
