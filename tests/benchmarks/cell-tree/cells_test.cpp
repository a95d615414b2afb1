// SPDX-License-Identifier: BSD-3-Clause
// The tree of cells: what a cell computes, and what its verification finds.
#include <cmath>

#include "tests/support.h"

namespace {

// Two roots, levels of 2, 6 and 18 cells, slices of 8, 8 and 5 rows.
Trial::Shape small_tree()
{
    return {21, 21, 8, 0, 2, 1, {2, 3, 2, 2}};
}

class Cells : public testing::Test {
  protected:
    Cells() : trial_(subject_named("cell-tree seq"), small_tree())
    {
        trial_.once(7);
    }

    problem *tree()
    {
        return trial_.problem();
    }

    Trial trial_;
};

TEST_F(Cells, AreTheProductsOfTheirChildrensVectors)
{
    const size_t n = 21;
    for (size_t level = 0; level < 2; level++)
        for (size_t cell = 0; cell < cells_on_level(tree(), level); cell++)
            for (size_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (size_t child = 0; child < 3; child++)
                    for (size_t j = 0; j < n; j++)
                        sum += cells_of(tree())->P[i + (child * n + j) * cells_of(tree())->ld] *
                               cell_vector(tree(), level + 1, 3 * cell + child)[j];
                /* 63 columns: 1/8 is the largest power of 2 below their root's inverse */
                EXPECT_NEAR(cell_vector(tree(), level, cell)[i], sum / 8, 1e-13);
            }
}

TEST_F(Cells, OfEachLevelAreAsManyAsItsParentsHaveChildren)
{
    EXPECT_EQ(cells_on_level(tree(), 0), 2U);
    EXPECT_EQ(cells_on_level(tree(), 1), 6U);
    EXPECT_EQ(cells_on_level(tree(), 2), 18U);
    EXPECT_EQ(cells_operations(tree()), 2.0 * 21 * 21 * (18 + 3 * (6 + 2)));
}

TEST_F(Cells, WithAWrongElementFailBothChecks)
{
    ASSERT_TRUE(trial_.verify(CHECK_FULL).passed);
    for (size_t level = 0; level <= 2; level++)
        for (check mode : {CHECK_FAST, CHECK_FULL}) {
            double &element = cell_vector(tree(), level, 1)[20];
            const double right = element;
            element += 1e-6;
            verification wrong = trial_.verify(mode);
            EXPECT_FALSE(wrong.residuals[0].passed) << level;
            EXPECT_FALSE(wrong.passed);
            element = NAN;
            EXPECT_FALSE(trial_.verify(mode).passed) << level;
            element = right;
        }
}

TEST_F(Cells, WithAnotherBitFailTheFullCheck)
{
    double &element = cell_vector(tree(), 0, 1)[3];
    element = std::nextafter(element, 10.0);
    verification other = trial_.verify(CHECK_FULL);
    EXPECT_TRUE(other.residuals[0].passed);
    EXPECT_EQ(other.residuals[1].value, 1.0);
    EXPECT_FALSE(other.passed);
}

TEST(CellTrees, TooLargeForMemoryHaveThatManyBytes)
{
    problem p = {};
    p.n = p.m = p.nb = 256;
    p.threads = 2;
    p.parameters[CELLS_DEPTH] = TREE_DEPTH_MAX;
    p.parameters[CELLS_BRANCHING] = BRANCHING_MAX;
    p.parameters[CELLS_ROOTS] = 1;
    EXPECT_EQ(cells_bytes(&p), SIZE_MAX);
}

} // namespace
