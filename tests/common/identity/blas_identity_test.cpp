/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels that OpenBLAS is made to use. */
#include "tests/support.h"

TEST(BlasCore, IsRaisedOnlyWhereItIsFarBelowTheCpu)
{
    for (const char *old :
         {"Prescott", "prescott", "Nehalem", "Core2", "Sandybridge", "Bulldozer"}) {
        EXPECT_STREQ(blas_core_for(old, 3), "SkylakeX") << old;
        EXPECT_STREQ(blas_core_for(old, 2), "Haswell") << old;
        EXPECT_EQ(blas_core_for(old, 1), nullptr) << old;
        EXPECT_EQ(blas_core_for(old, 0), nullptr) << old;
        EXPECT_EQ(blas_core_for(old, -1), nullptr) << old;
    }
    for (const char *fit :
         {"Haswell", "Zen", "SkylakeX", "Cooperlake", "NEOVERSEN1", "unknown", ""})
        for (int level = -1; level <= 3; level++)
            EXPECT_EQ(blas_core_for(fit, level), nullptr) << fit << " " << level;
}
