// SPDX-License-Identifier: BSD-3-Clause
// Jacobi's sweeps against plain loops over a dense grid, its discretisation against the exact solution, its
// verification against planted errors.
#include <algorithm>
#include <cmath>

#include "tests/support.h"

extern "C" {
#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "common/matrix/digest.h"
}

namespace {

struct Case {
    std::size_t n, nb;
    std::size_t sweeps = 4, time_tile = 4, threads = 2;
};

std::ostream &operator<<(std::ostream &out, const Case &c)
{
    return out << "N = " << c.n << ", NB = " << c.nb << ", " << c.sweeps << " sweeps, "
               << c.time_tile << " in a time tile, " << c.threads << " threads";
}

class Solver : public Trial {
  public:
    explicit Solver(const Case &c, const std::string &variant = "seq")
        : Trial(subject_named("jacobi " + variant),
                {c.n, c.n, c.nb, 0, c.threads, 1, {c.sweeps, c.time_tile}})
    {
    }
    tile_matrix *buffer(std::size_t sweep)
    {
        return grid_buffer(problem(), sweep);
    }
    tile_matrix *result()
    {
        return buffer(jacobi_sweeps(problem()));
    }
};

double residual(const verification &v, const char *name)
{
    for (std::size_t i = 0; i < v.count; i++)
        if (v.residuals[i].name == std::string(name))
            return v.residuals[i].value;
    return std::nan("");
}

/* ---- the sweeps ---- */

double coordinate(std::size_t i, std::size_t n)
{
    return double(i) / double(n + 1);
}

// The grid with its boundary around it.
Matrix with_boundary(const tile_matrix *u)
{
    const std::size_t n = u->n;
    Matrix grid(n + 2, n + 2);
    for (std::size_t i = 0; i < n + 2; i++)
        for (std::size_t j = 0; j < n + 2; j++) {
            const bool inside = i % (n + 1) != 0 && j % (n + 1) != 0;
            grid(i, j) = inside ? *tile_matrix_element(u, i - 1, j - 1)
                                : grid_harmonic(coordinate(i, n), coordinate(j, n));
        }
    return grid;
}

Matrix plain_sweeps(Solver &run, std::size_t sweeps)
{
    Matrix u = with_boundary(run.buffer(0)), b = to_matrix(grid_of(run.problem())->b);
    for (std::size_t s = 0; s < sweeps; s++) {
        Matrix v = u;
        for (std::size_t i = 1; i + 1 < u.rows; i++)
            for (std::size_t j = 1; j + 1 < u.cols; j++)
                v(i, j) = 0.25 * (((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1))) +
                                  b(i - 1, j - 1));
        u = v;
    }
    return u;
}

std::size_t different(const Matrix &expected, const tile_matrix *u)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < u->m; i++)
        for (std::size_t j = 0; j < u->n; j++)
            count += !same_bits(expected(i + 1, j + 1), *tile_matrix_element(u, i, j));
    return count;
}

// One point, tiles of one point, a tile above the size, ragged tiles, tiles that end where the shift of a tile
// in time does; time tiles that do and do not divide the sweeps, or are longer than a tile.
std::vector<Case> cases()
{
    std::vector<Case> list;
    for (auto [n, nb] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {1, 8}, {2, 1}, {5, 2}, {7, 8}, {8, 8}, {9, 8}, {22, 8}, {24, 8}, {25, 8}})
        for (auto [sweeps, time_tile] : std::vector<std::pair<std::size_t, std::size_t>>{
                 {1, 1}, {1, 4}, {4, 4}, {5, 1}, {7, 3}, {9, 8}, {13, 20}})
            list.push_back({n, nb, sweeps, time_tile});
    return list;
}

class EveryVariant : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override
    {
        for (const Subject &subject : subjects({&jacobi}))
            if (subject.variant->name == std::string(GetParam()))
                return;
        GTEST_SKIP() << "this build cannot run it";
    }
};
INSTANTIATE_TEST_SUITE_P(Jacobi, EveryVariant,
                         testing::Values("seq", "forkjoin", "depend", "lean", "affinity",
                                         "taskloop", "wavefront"));

TEST_P(EveryVariant, GivesTheBitsOfPlainLoops)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(testing::PrintToString(c));
        Solver run(c, GetParam());
        run.generate();
        const Matrix expected = plain_sweeps(run, c.sweeps);
        const outcome result = run.once(7, CHECK_FAST);
        EXPECT_TRUE(result.passed);
        EXPECT_EQ(different(expected, run.result()), 0U);
    }
}

void add_flops(void *sum, struct call call, const struct access *, std::size_t)
{
    *static_cast<double *>(sum) += double(work_of_call(call.kernel, call.sizes).flops);
}

TEST_P(EveryVariant, ComputesEveryPointOnceInEachSweep)
{
    for (Case c : cases()) {
        SCOPED_TRACE(testing::PrintToString(c));
        c.threads = 1;
        Solver run(c, GetParam());
        double sum = 0.0;
        const observer observer = {add_flops, &sum};
        run.problem()->execution->observer = &observer;
        const outcome result = run.once();
        run.problem()->execution->observer = nullptr;
        EXPECT_EQ(sum, result.flops);
        EXPECT_EQ(sum, 5.0 * double(c.n * c.n * c.sweeps));
    }
}

// No routine of the C library and no fused operation takes part.
TEST(Jacobi, HasTheSameDigestOnEveryMachine)
{
    EXPECT_EQ(Solver({50, 16, 5}).once(1).digest, UINT64_C(0xaf1c4b98ba1c757f));
}

/* ---- the equation ---- */

TEST(Sine, IsThatOfTheLibraryToRounding)
{
    const double pi = std::acos(-1.0);
    for (int i = 0; i <= 1000; i++) {
        const double x = i / 1000.0;
        EXPECT_NEAR(sine_of_pi(x), std::sin(pi * x), 5e-16) << x;
    }
    EXPECT_EQ(sine_of_pi(0.0), 0.0);
    EXPECT_EQ(sine_of_pi(1.0), 0.0);
    EXPECT_NEAR(grid_sine(5, 7, 11), std::sin(5 * pi * 7 / 12), 5e-16);
}

// The solution of the differential equation, but for its harmonic polynomial.
double wave_at(double x, double y)
{
    const double pi = std::acos(-1.0);
    return std::sin(int(WAVES_X) * pi * x) * std::sin(int(WAVES_Y) * pi * y);
}

double largest_error(Solver &run, double amplification)
{
    const tile_matrix *u = run.result();
    double largest = 0.0;
    for (std::size_t i = 0; i < u->n; i++)
        for (std::size_t j = 0; j < u->n; j++) {
            const double x = coordinate(i + 1, u->n), y = coordinate(j + 1, u->n);
            const double exact = amplification * wave_at(x, y) + grid_harmonic(x, y);
            const double error = *tile_matrix_element(u, i, j) - exact;
            largest = std::max(largest, std::fabs(error));
        }
    return largest;
}

// The truncation error is at most h²/12 times the largest sum of fourth derivatives, here 17 π⁴, and the solution
// for a right-hand side of 1 at most 1/8: LeVeque, "Finite Difference Methods for Ordinary and Partial
// Differential Equations", SIAM 2007, section 3.4.
double error_bound(std::size_t n)
{
    const double h = 1.0 / double(n + 1), pi = std::acos(-1.0);
    return h * h / 96.0 * 17.0 * std::pow(pi, 4);
}

// So many sweeps that nothing is left of the initial values.
TEST(Discretisation, ConvergesToTheExactSolutionWithTheSquareOfTheDistance)
{
    double coarser = 0.0;
    for (std::size_t n : {7U, 15U, 31U}) {
        SCOPED_TRACE(n);
        Solver run({n, 8, 40 * n * n, 8}, "seq");
        EXPECT_TRUE(run.once(7, CHECK_FAST).passed);
        EXPECT_LE(largest_error(run, grid_amplification(n)), 1e-13);
        const double error = largest_error(run, 1.0);
        EXPECT_LE(error, error_bound(n));
        if (coarser > 0.0) {
            EXPECT_NEAR(coarser / error, 4.0, 0.4);
        }
        coarser = error;
    }
}

/* ---- verification ---- */

TEST(Verification, FindsOneWrongBitInAnyPoint)
{
    Solver run({19, 8, 5, 2});
    run.once();
    EXPECT_TRUE(run.verify(CHECK_FAST).passed);
    for (std::size_t i = 0; i < 19; i++)
        for (std::size_t j = 0; j < 19; j++) {
            double *point = tile_matrix_element(run.result(), i, j);
            const double right = *point;
            *point = std::nextafter(right, 9.0);
            for (check check : {CHECK_FAST, CHECK_FULL}) {
                const verification found = run.verify(check);
                EXPECT_FALSE(found.passed);
                EXPECT_EQ(residual(found, "WRONG-POINTS"), 1.0) << i << ' ' << j;
            }
            *point = right;
        }
}

TEST(Verification, FindsWhatNoSweepWrote)
{
    Solver run({19, 8, 1});
    run.generate();
    EXPECT_FALSE(run.verify(CHECK_FAST).passed);
    EXPECT_EQ(residual(run.verify(CHECK_FAST), "WRONG-POINTS"), 19.0 * 19.0);
    EXPECT_TRUE(std::isnan(residual(run.verify(CHECK_FAST), "MODES")));
}

// Such a result has the bits of sequential sweeps, which have the same boundary values.
TEST(Verification, FindsSweepsOfAnotherEquation)
{
    for (int side = 0; side < 4; side++) {
        Solver run({40, 16, 6});
        run.generate();
        const grid *g = grid_of(run.problem());
        double *const sides[] = {g->west, g->east, g->north, g->south};
        sides[side][17] += 1e-3;
        run.submit();
        const verification found = run.verify(CHECK_FAST);
        EXPECT_EQ(residual(found, "WRONG-POINTS"), 0.0);
        EXPECT_GT(residual(found, "MODES"), 30.0);
        EXPECT_FALSE(found.passed);
    }
}

TEST(Verification, FindsAnotherRightHandSide)
{
    Solver run({40, 16, 6});
    run.generate();
    grid *g = grid_of(run.problem());
    for (std::size_t i = 0; i < 40; i++) {
        g->sine_x[i] *= 1.001;
        for (std::size_t j = 0; j < 40; j++)
            *tile_matrix_element(g->b, i, j) = grid_b(g, grid_b_scale(40), i, j);
    }
    run.submit();
    const verification found = run.verify(CHECK_FAST);
    EXPECT_EQ(residual(found, "WRONG-POINTS"), 0.0);
    EXPECT_GT(residual(found, "MODES"), 30.0);
}

/* ---- figures ---- */

TEST(Figures, StateWhatASweepMovesAndTheRateOfATriad)
{
    Solver run({64, 16, 3});
    const outcome result = run.once();
    ASSERT_EQ(result.figure_count, 3U);
    EXPECT_DOUBLE_EQ(result.figures[0].value, 1e-9 * 3 * 24 * 64 * 64);
    EXPECT_DOUBLE_EQ(result.figures[1].value, result.figures[0].value / result.seconds);
    EXPECT_GT(result.figures[2].value, 0.0);
    // The triad leaves the result alone.
    EXPECT_EQ(digest_matrix(run.result(), DIGEST_ALL, 1), result.digest);
}

} // namespace
