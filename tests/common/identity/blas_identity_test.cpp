/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels that OpenBLAS is made to use, on processors of every kind. */
#include <array>
#include <cctype>

#include "tests/support.h"

namespace {

constexpr std::array<simd_level, 4> CPUS = {SIMD_SSE, SIMD_AVX, SIMD_AVX2, SIMD_AVX512};

/* What OpenBLAS is made to use instead of `core` on each of CPUS; nullptr: the core is kept. */
struct Row {
    const char *core;
    std::array<const char *, 4> instead;
    simd_level least; /* what its kernels need */
};

const char *const KEPT = nullptr;
const Row blas_rows[] = {
    {"generic", {KEPT, KEPT, "Haswell", "SkylakeX"}, SIMD_SSE},
    {"Prescott", {KEPT, KEPT, "Haswell", "SkylakeX"}, SIMD_SSE},
    {"Core2", {KEPT, KEPT, "Haswell", "SkylakeX"}, SIMD_SSE},
    {"Nehalem", {KEPT, KEPT, "Haswell", "SkylakeX"}, SIMD_SSE},
    {"Sandybridge", {"Prescott", KEPT, "Haswell", "SkylakeX"}, SIMD_AVX},
    {"Bulldozer", {"Prescott", KEPT, "Haswell", "SkylakeX"}, SIMD_AVX},
    {"Haswell", {"Prescott", "Sandybridge", KEPT, KEPT}, SIMD_AVX2},
    {"Zen", {"Prescott", "Sandybridge", KEPT, KEPT}, SIMD_AVX2},
    {"SkylakeX", {"Prescott", "Sandybridge", "Haswell", KEPT}, SIMD_AVX512},
    {"Cooperlake", {"Prescott", "Sandybridge", "Haswell", KEPT}, SIMD_AVX512},
    {"SapphireRapids", {"Prescott", "Sandybridge", "Haswell", KEPT}, SIMD_AVX512},
    {"NEOVERSEN1", {KEPT, KEPT, KEPT, KEPT}, SIMD_SSE},
    {"LunarLakeX", {KEPT, KEPT, KEPT, KEPT}, SIMD_SSE},
    {"Unknown", {KEPT, KEPT, KEPT, KEPT}, SIMD_SSE},
    {"", {KEPT, KEPT, KEPT, KEPT}, SIMD_SSE},
};

std::string upper(std::string text)
{
    for (char &c : text)
        c = (char)std::toupper((unsigned char)c);
    return text;
}

} // namespace

TEST(BlasCore, IsChangedWhereItIsFarBelowTheCpuOrAboveIt)
{
    for (const Row &row : blas_rows)
        for (size_t i = 0; i < CPUS.size(); i++) {
            EXPECT_STREQ(blas_core_for(row.core, CPUS[i]), row.instead[i]) << row.core << " " << i;
            EXPECT_EQ(blas_core_runs_on(row.core, CPUS[i]), CPUS[i] >= row.least)
                << row.core << " " << i;
        }
}

/* Builds for one processor write the names in capitals. */
TEST(BlasCore, IsKnownInEitherCase)
{
    for (const Row &row : blas_rows)
        for (size_t i = 0; i < CPUS.size(); i++)
            EXPECT_STREQ(blas_core_for(upper(row.core).c_str(), CPUS[i]), row.instead[i])
                << row.core << " " << i;
}

TEST(BlasCore, IsKeptOnOtherArchitectures)
{
    for (const Row &row : blas_rows) {
        EXPECT_EQ(blas_core_for(row.core, SIMD_UNKNOWN), nullptr) << row.core;
        EXPECT_TRUE(blas_core_runs_on(row.core, SIMD_UNKNOWN)) << row.core;
    }
}

/* What it is replaced by needs no further change. */
TEST(BlasCore, IsReplacedByOneThatFits)
{
    for (const Row &row : blas_rows)
        for (size_t i = 0; i < CPUS.size(); i++)
            if (row.instead[i]) {
                EXPECT_EQ(blas_core_for(row.instead[i], CPUS[i]), nullptr) << row.core << " " << i;
            }
}

TEST(BlasCore, OverrunsItsBuffersInOneVersionOnAmdWithAvx512)
{
    for (const char *core : {"Haswell", "Zen", "ZEN", "Excavator"}) {
        EXPECT_TRUE(blas_core_overruns_on("0.3.34", core, SIMD_AVX512, true)) << core;
        EXPECT_FALSE(blas_core_overruns_on("0.3.34", core, SIMD_AVX512, false)) << core;
        EXPECT_FALSE(blas_core_overruns_on("0.3.34", core, SIMD_AVX2, true)) << core;
        EXPECT_FALSE(blas_core_overruns_on("0.3.33", core, SIMD_AVX512, true)) << core;
        EXPECT_FALSE(blas_core_overruns_on("0.3.35", core, SIMD_AVX512, true)) << core;
    }
    for (const char *core : {"Cooperlake", "SkylakeX", "Sandybridge", "Prescott"})
        EXPECT_FALSE(blas_core_overruns_on("0.3.34", core, SIMD_AVX512, true)) << core;
}
