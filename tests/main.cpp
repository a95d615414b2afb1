/* SPDX-License-Identifier: BSD-3-Clause
 * The tests' main function: BLAS with one thread per call and its kernels for this processor, as in every
 * executable, and the kernel set that POLLUX_TEST_KERNELS names. */
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

void skip_kernels_that_overrun()
{
    const blas_identity blas = blas_identify();
    if (!blas_core_overruns(&blas))
        return;
    std::printf("skipped: OpenBLAS %s overruns its buffers with its %s kernels here\n",
                blas.version, blas.core);
    std::exit(SKIPPED);
}

// OpenBLAS reads its environment before main begins: where its kernels are far below this processor, the program
// starts again with better ones.
void use_better_core(char **argv)
{
    const blas_identity blas = blas_identify();
    const char *core = blas_better_core(&blas);
    if (!core || std::getenv("OPENBLAS_CORETYPE"))
        return;
    setenv("OPENBLAS_CORETYPE", core, 0);
    execv("/proc/self/exe", argv);
}

// Death tests start the program again, by its first argument: in an emulator, that is the one that it names.
std::vector<char *> words_to_start_with(int argc, char **argv)
{
    std::vector<char *> words(argv, argv + argc);
    if (char *emulator = std::getenv(EMULATOR_VARIABLE))
        words.insert(words.begin(), emulator);
    words.push_back(nullptr);
    return words;
}
} // namespace

int main(int argc, char **argv)
{
    use_better_core(argv);
    skip_kernels_that_overrun();
    choose_kernels();
    std::vector<char *> words = words_to_start_with(argc, argv);
    int count = static_cast<int>(words.size()) - 1;
    testing::InitGoogleTest(&count, words.data());
    testing::AddGlobalTestEnvironment(new OneBlasThread);
    return RUN_ALL_TESTS();
}
