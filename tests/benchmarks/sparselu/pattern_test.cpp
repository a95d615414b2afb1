/* SPDX-License-Identifier: BSD-3-Clause
 * Which blocks exist and fill in, and the operations that are counted for them. */
#include <cmath>

#include "tests/support.h"

namespace {

/* A pattern that is released. */
class Pattern {
  public:
    explicit Pattern(size_t nt)
    {
        EXPECT_TRUE(pattern_create(&pattern_, nt));
    }
    Pattern(size_t nt, pattern_rule rule) : Pattern(nt)
    {
        pattern_add_rule(&pattern_, rule);
    }
    Pattern(const Matrix &A, size_t nb) : Pattern((A.rows + nb - 1) / nb)
    {
        pattern_add_elements(&pattern_, A.a.data(), A.rows, nb);
    }
    ~Pattern()
    {
        pattern_destroy(&pattern_);
    }
    Pattern(const Pattern &) = delete;
    Pattern &operator=(const Pattern &) = delete;

    block_pattern *get()
    {
        return &pattern_;
    }
    bool has(size_t i, size_t j) const
    {
        return pattern_has(&pattern_, i, j);
    }
    size_t count() const
    {
        return pattern_count(&pattern_);
    }

  private:
    block_pattern pattern_;
};

/* Counted in the memory of KASTORS' program before and after its factorization. */
TEST(KastorsPattern, HasAsManyBlocksAsTheProgramBeforeAndAfterFillIn)
{
    const size_t counts[][3] = {
        {32, 184, 544}, {50, 364, 1300}, {100, 1148, 5100}, {128, 1768, 8320}};
    for (const auto &[nt, before, after] : counts) {
        Pattern pattern(nt, PATTERN_KASTORS);
        EXPECT_EQ(pattern.count(), before) << nt;
        pattern_fill_in(pattern.get());
        EXPECT_EQ(pattern.count(), after) << nt;
    }
}

/* Of a grid numbered row by row, the band fills in from the second row of the grid on. */
TEST(GridPattern, FillsItsBand)
{
    for (size_t width : Sizes{1, 2, 3, 7}) {
        size_t nt = width * width;
        Pattern pattern(nt, PATTERN_GRID);
        EXPECT_EQ(pattern.count(), nt + 4 * width * (width - 1)) << width;
        pattern_fill_in(pattern.get());
        for (size_t i = 0; i < nt; i++)
            for (size_t j = 0; j <= i; j++) {
                bool filled = i - j <= 1 || (i - j <= width && i >= width);
                EXPECT_EQ(pattern.has(i, j), filled) << width << ": " << i << " " << j;
                EXPECT_EQ(pattern.has(j, i), filled) << width << ": " << j << " " << i;
            }
    }
}

/* Elements other than 0 on the diagonal, and in about one place of eight. */
Matrix scattered(size_t n, uint64_t seed)
{
    Matrix A = random_matrix(n, n, seed);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            if (i != j && std::fabs(A(i, j)) < 0.875)
                A(i, j) = 0.0;
    return A;
}

/* The smallest set of blocks that contains the pattern and that elimination does not leave. */
std::vector<bool> closure(const Pattern &pattern, size_t nt)
{
    std::vector<bool> set(nt * nt);
    for (size_t t = 0; t < nt * nt; t++)
        set[t] = pattern.has(t % nt, t / nt);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < nt; i++)
            for (size_t j = 0; j < nt; j++)
                for (size_t k = 0; k < std::min(i, j); k++)
                    if (set[i + k * nt] && set[k + j * nt] && !set[i + j * nt])
                        changed = set[i + j * nt] = true;
    }
    return set;
}

TEST(FillIn, IsWhatEliminationReaches)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t nt = 5 + seed;
        Pattern pattern(scattered(nt, seed), 1);
        const std::vector<bool> expected = closure(pattern, nt);
        pattern_fill_in(pattern.get());
        for (size_t t = 0; t < nt * nt; t++)
            EXPECT_EQ(pattern.has(t % nt, t / nt), expected[t]) << seed << " " << t;
    }
}

TEST(PatternOfElements, HasTheDiagonalAndTheBlocksOfAllElements)
{
    Matrix A(11, 11);
    A(10, 0) = 1e-300;
    A(3, 4) = -1.0;
    A(4, 5) = std::nan("");
    Pattern pattern(A, 4);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            EXPECT_EQ(pattern.has(i, j), i == j || (i == 2 && j == 0) || (i == 0 && j == 1))
                << i << " " << j;
}

TEST(PatternFlops, OfADenseMatrixAreThoseOfLapack)
{
    for (size_t n : Sizes{1, 5, 40, 97})
        for (size_t nb : Sizes{1, 8, 40}) {
            const size_t order = std::min(n, nb);
            Matrix ones(n, n);
            std::fill(ones.a.begin(), ones.a.end(), 1.0);
            Pattern pattern(ones, order);
            EXPECT_EQ(std::round(pattern_flops(pattern.get(), n, order)),
                      std::round(flops_getrf(double(n), double(n))))
                << describe({{"n", n}, {"nb", nb}});
        }
}

} // namespace
