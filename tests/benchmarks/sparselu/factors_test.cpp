/* SPDX-License-Identifier: BSD-3-Clause
 * The factors of sparse LU: those of the dense algorithm, with the blocks that symbolic elimination predicts, and
 * errors in any of them are found. */
#include <cmath>

#include "tests/support.h"

namespace {

/* A matrix in blocks by a rule, or by the positions of the elements of `file`. */
struct Case {
    size_t n, nb;
    pattern_rule rule;
    Matrix file = Matrix(0, 0);
};

/* One run of a variant. */
class Factored {
  public:
    Factored(const struct benchmark &benchmark, const char *variant, const Case &c) : c_()
    {
        c_.benchmark = &benchmark;
        for (size_t v = 0; v < benchmark.variant_count; v++)
            if (benchmark.variants[v].name == std::string(variant))
                c_.variant = &benchmark.variants[v];
        c_.m = c_.n = c.n;
        c_.mb = c_.nb = c.nb;
        c_.threads = 1;
        c_.parameters[0] = c.rule;
        file_ = {c.n, c.n, const_cast<double *>(c.file.a.data())};
        c_.file = c.file.rows > 0 ? &file_ : nullptr;
        problem_ = run_create(&c_);
        result_ = run_once(&c_, problem_, SEED, CHECK_FULL, nullptr, nullptr);
    }
    ~Factored()
    {
        run_destroy(&c_, problem_);
    }
    Factored(const Factored &) = delete;
    Factored &operator=(const Factored &) = delete;

    static constexpr uint64_t SEED = 7;

    const outcome &result() const
    {
        return result_;
    }
    struct problem *problem() const
    {
        return problem_;
    }
    const block_matrix &blocks() const
    {
        return *sparselu_blocks(problem_);
    }
    uint64_t seed_of_values() const
    {
        return c_.file ? 0 : SEED;
    }
    const block_pattern &pattern() const
    {
        return static_cast<sparselu_factors *>(problem_->factors)->pattern;
    }
    bool passes(check check) const
    {
        verification found = {};
        found.passed = true;
        EXPECT_TRUE(sparselu_verify(problem_, check, &found));
        return found.passed;
    }

  private:
    configuration c_;
    dense_matrix file_;
    struct problem *problem_;
    outcome result_;
};

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (size_t n : Sizes{1, 5, 24, 75})
        for (size_t nb : Sizes{3, 6, 8, 100})
            for (pattern_rule rule : {PATTERN_KASTORS, PATTERN_GRID})
                all.push_back({n, nb, rule});
    Matrix arrow(50, 50);
    for (size_t i = 0; i < 50; i++)
        arrow(i, 0) = arrow(0, i) = i % 9 == 0 ? 1e300 : 0.0;
    all.push_back({50, 7, PATTERN_KASTORS, arrow});
    return all;
}

std::string describe_case(const Case &c)
{
    return describe({{"n", c.n}, {"nb", c.nb}, {"rule", c.rule}, {"file", c.file.rows}});
}

/* The matrix that the run factored, with zeros where there is no block. */
Matrix input_of(const Factored &run)
{
    const block_matrix &A = run.blocks();
    Matrix values = input_matrix(INPUT_DOMINANT, A.n, A.n, run.seed_of_values());
    for (size_t j = 0; j < A.n; j++)
        for (size_t i = 0; i < A.n; i++)
            if (!pattern_has(&run.pattern(), i / A.nb, j / A.nb))
                values(i, j) = 0.0;
    return values;
}

Matrix factors_of(const Factored &run)
{
    const block_matrix &A = run.blocks();
    Matrix factors(A.n, A.n);
    for (size_t j = 0; j < A.n; j++)
        for (size_t i = 0; i < A.n; i++)
            if (block_address(&A, i / A.nb, j / A.nb)) {
                struct tile t = block_at(&A, i / A.nb, j / A.nb);
                factors(i, j) = t.a[i % A.nb + j % A.nb * t.ld];
            }
    return factors;
}

TEST(SparseLu, GivesTheFactorsOfTheDenseAlgorithmBitForBit)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(describe_case(c));
        Factored sparse(sparselu, "depend", c);
        Factored dense(lu, "nopiv", {c.n, c.nb, c.rule, input_of(sparse)});
        EXPECT_EQ(factors_of(sparse).a, to_matrix(dense.problem()->A).a);
    }
}

TEST(SparseLu, StoresTheBlocksThatSymbolicEliminationPredicts)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(describe_case(c));
        Factored run(sparselu, "depend", c);
        const block_matrix &A = run.blocks();
        block_pattern filled;
        ASSERT_TRUE(pattern_create(&filled, A.nt));
        std::copy_n(run.pattern().present, A.nt * A.nt, filled.present);
        pattern_fill_in(&filled);
        for (size_t t = 0; t < A.nt * A.nt; t++)
            EXPECT_EQ(A.block[t] != nullptr, bool(filled.present[t])) << t;
        EXPECT_EQ(A.used, A.pool->nt);
        pattern_destroy(&filled);
    }
}

/* Counted in KASTORS' program: lu0, fwd, bdiv and bmod. */
TEST(SparseLu, HasAsManyTasksAsKastorsProgram)
{
    EXPECT_EQ(Factored(sparselu, "depend", {32, 1, PATTERN_KASTORS}).result().tasks,
              32U + 256 + 256 + 2736);
}

TEST(SparseLu, FindsTheCoordinatesOfEveryBlockAndOfNothingElse)
{
    Factored run(sparselu, "seq", {97, 8, PATTERN_KASTORS});
    const block_matrix &A = run.blocks();
    for (size_t s = 0; s < A.used; s++) {
        size_t i = 0, j = 0;
        const double *address = A.block[A.index[s]];
        EXPECT_TRUE(blocks_locate(&A, address, &i, &j));
        EXPECT_EQ(i + j * A.nt, A.index[s]);
        EXPECT_FALSE(blocks_locate(&A, address + 1, &i, &j));
    }
}

TEST(SparseLuCheck, FindsAnErrorInAnyBlock)
{
    Factored run(sparselu, "seq", {97, 8, PATTERN_KASTORS});
    const block_matrix &A = run.blocks();
    ASSERT_TRUE(run.result().passed);
    for (size_t s = 0; s < A.used; s++)
        for (double error : {1e-6, double(NAN)}) {
            double *element = A.block[A.index[s]];
            const double before = *element;
            *element += error;
            EXPECT_FALSE(run.passes(CHECK_FAST)) << s << " " << error;
            EXPECT_FALSE(run.passes(CHECK_FULL)) << s << " " << error;
            *element = before;
        }
    EXPECT_TRUE(run.passes(CHECK_FAST));
    EXPECT_TRUE(run.passes(CHECK_FULL));
}

/* The residual of both checks is that of dense products. */
TEST(SparseLuCheck, MeasuresTheNormOfTheDifference)
{
    Factored run(sparselu, "seq", {97, 8, PATTERN_GRID});
    block_at(&run.blocks(), 4, 4).a[3] += 1.0;
    const Matrix factors = factors_of(run), A = input_of(run);
    const Matrix product = part_of(factors, Part::unit_lower) * part_of(factors, Part::upper);
    double error = 0.0, norm = 0.0;
    for (size_t t = 0; t < A.a.size(); t++) {
        error += (A.a[t] - product.a[t]) * (A.a[t] - product.a[t]);
        norm += A.a[t] * A.a[t];
    }
    const double expected = std::sqrt(error / norm) / (97 * std::numeric_limits<double>::epsilon());
    verification full = {}, fast = {};
    ASSERT_TRUE(sparselu_verify(run.problem(), CHECK_FULL, &full));
    ASSERT_TRUE(sparselu_verify(run.problem(), CHECK_FAST, &fast));
    EXPECT_NEAR(full.residuals[0].value / expected, 1.0, 1e-6);
    EXPECT_GT(fast.residuals[0].value, 0.2 * expected);
    EXPECT_LT(fast.residuals[0].value, 5.0 * expected);
}

} // namespace
