// SPDX-License-Identifier: BSD-3-Clause
// The self-test of the BLAS, on a product that is wrong when two threads compute it at once.
#include <omp.h>

#include <atomic>
#include <thread>

#include "tests/support.h"

extern "C" {
#include <cblas.h>

#include "common/process/blas_selftest.h"
}

namespace {

std::atomic<bool> is_safe{true};
std::atomic<int> callers{0};
std::atomic<bool> has_met{false};

// Waits, for a bounded time, until another thread is inside too; who has met one does not wait again.
bool meets_another_caller()
{
    constexpr int patience = 100'000;
    for (int i = 0; i < patience && !has_met; i++) {
        if (callers > 1)
            has_met = true;
        std::this_thread::yield();
    }
    return callers > 1;
}

void become_unsafe()
{
    is_safe = false;
    has_met = false;
}

} // namespace

// Stands in for OpenBLAS' product in this executable: C := A(0,0), or one more where an unsafe
// product is disturbed.
extern "C" void cblas_dgemm(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const CBLAS_TRANSPOSE,
                            const int m, const int n, const int, const double, const double *A,
                            const int, const double *, const int, const double, double *C,
                            const int ldc)
{
    callers++;
    bool disturbed = !is_safe && omp_get_num_threads() > 1 && meets_another_caller();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            C[i + j * ldc] = A[0] + (disturbed ? 1.0 : 0.0);
    callers--;
}

TEST(SelfTest, PassesWhereProductsAreRight)
{
    is_safe = true;
    EXPECT_EQ(blas_selftest(64, 2), 0);
    EXPECT_EQ(blas_selftest(1, 5), 0);
}

TEST(SelfTest, CountsWrongProductsOfConcurrentCalls)
{
    become_unsafe();
    EXPECT_GT(blas_selftest(64, 2), 0);
    EXPECT_EQ(blas_selftest(64, 1), 0) << "one thread alone is never disturbed";
}

TEST(SelfTest, EndsTheProgramWhereProductsAreWrong)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            become_unsafe();
            blas_require_selftest(64, 2);
        },
        testing::ExitedWithCode(POLLUX_MACHINE), "not thread-safe.*order 64 by 2 threads");
}
