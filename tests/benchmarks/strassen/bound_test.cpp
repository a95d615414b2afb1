// SPDX-License-Identifier: BSD-3-Clause
// The error bound of the verification: it follows from the additions of each form, holds for results at every depth,
// and does not hold for wrong ones.
#include <array>
#include <cfloat>
#include <cmath>

#include "multiplication.h"

namespace {

const double UNIT_ROUNDOFF = DBL_EPSILON / 2;

/* ---- where the bound comes from ---- */

// What is known of a matrix of a level of order n, with elements of A and B of at most 1 and products of half the
// order whose errors are at most f(n/2) u: of a sum of quadrants, its elements are at most `norm` and their errors
// at most `own` u; of a product, or a sum of some, norm n and (products f(n/2) + own n) u.
struct Estimate {
    double norm, own, products;
};

// Both operands' errors, and one rounding of the result.
Estimate sum_of(const Estimate &x, const Estimate &y)
{
    double norm = x.norm + y.norm;
    return {norm, x.own + y.own + norm, x.products + y.products};
}

// The product's own errors, and those of its factors times the other factor.
Estimate product_of(const Estimate &x, const Estimate &y)
{
    return {x.norm * y.norm / 2, (x.own * y.norm + x.norm * y.own) / 2, x.norm * y.norm};
}

// The quadrants of C with the largest constants.
Estimate level_of(const struct form &form)
{
    std::array<Estimate, WORK + WORK_MAX> at{};
    std::fill(at.begin(), at.begin() + C11, Estimate{1.0, 0.0, 0.0});
    auto add = [&](const sum &sum) {
        for (std::size_t a = 0; a < sum.additions; a++)
            at[sum.addition[a].to] = sum_of(at[sum.addition[a].left], at[sum.addition[a].right]);
    };
    std::for_each(form.sums, form.sums + form.combinations, add);
    for (const factors &f : form.products)
        at[f.out] = product_of(at[f.left], at[f.right]);
    std::for_each(form.sums + form.combinations, form.sums + form.sum_count, add);
    Estimate worst{};
    for (std::size_t quadrant = C11; quadrant < WORK; quadrant++) {
        worst.own = std::max(worst.own, at[quadrant].own);
        worst.products = std::max(worst.products, at[quadrant].products);
    }
    return worst;
}

// f(n) = g f(n/2) + c n with f(h) = h² has the solution g^k (h² + s h) - s n, s = c / (g/2 - 1), n = 2^k h. The
// theorems round s up to a whole number.
TEST(Bound, FollowsFromTheAdditionsOfEachForm)
{
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN}) {
        SCOPED_TRACE(form_names[form]);
        Estimate level = level_of(forms[form]);
        EXPECT_EQ(level.products, forms[form].growth);
        EXPECT_EQ(std::ceil(level.own / (level.products / 2 - 1)), forms[form].slope);
    }
}

// Higham, Theorems 23.2 and 23.3, for n = 8 and leaves of order 2.
TEST(Bound, IsThatOfTheTheorems)
{
    Multiplication winograd({8, 2, FORM_WINOGRAD}), original({8, 2, FORM_STRASSEN}), leaf({8, 8});
    const double u = UNIT_ROUNDOFF;
    EXPECT_DOUBLE_EQ(strassen_error_bound(&winograd.recursion()), (18 * 18 * (4 + 12) - 48) * u);
    EXPECT_DOUBLE_EQ(strassen_error_bound(&original.recursion()), (12 * 12 * (4 + 10) - 40) * u);
    EXPECT_DOUBLE_EQ(strassen_error_bound(&leaf.recursion()), 64 * u);
}

/* ---- right results ---- */

// The largest error of an element of C, against products in extended precision.
double largest_error(const struct matrices &s, std::size_t n)
{
    double worst = 0.0;
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (std::size_t k = 0; k < n; k++)
                sum += static_cast<long double>(*tile_matrix_element(s.A, i, k)) *
                       *tile_matrix_element(s.B, k, j);
            worst = std::max(worst,
                             static_cast<double>(std::fabs(sum - *tile_matrix_element(s.C, i, j))));
        }
    return worst;
}

void take_absolute_values(const tile_matrix *A)
{
    for (std::size_t l = 0; l < A->bytes / sizeof(double); l++)
        A->storage[l] = std::fabs(A->storage[l]);
}

// Depths from none to leaves of one element, with and without zeros at the end; elements with and without signs.
TEST(Bound, HoldsForResultsAtEveryDepth)
{
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN})
        for (std::size_t n : Sizes{64, 49})
            for (std::size_t depth = 0; depth <= 6; depth++) {
                Case c{n, 8, form, depth, 1};
                SCOPED_TRACE(testing::Message() << c);
                Multiplication run(c);
                ASSERT_EQ(run.recursion().levels, depth);
                double bound = strassen_error_bound(&run.recursion());
                run.once();
                EXPECT_LE(largest_error(run.matrices(), n), bound);
                take_absolute_values(run.matrices().A);
                take_absolute_values(run.matrices().B);
                run.submit();
                EXPECT_LE(largest_error(run.matrices(), n), bound);
            }
}

/* ---- wrong results ---- */

// One and two levels.
void expect_fails(const struct form &wrong, std::size_t form)
{
    for (std::size_t nb : Sizes{12, 6}) {
        Multiplication run({24, nb, form});
        run.use(&wrong);
        run.once();
        EXPECT_FALSE(run.passes(CHECK_FAST)) << "NB = " << nb;
        EXPECT_FALSE(run.passes(CHECK_FULL)) << "NB = " << nb;
    }
}

TEST(Checks, FailWhereAnySignIsWrong)
{
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN})
        for (std::size_t sum = 0; sum < forms[form].sum_count; sum++)
            for (std::size_t a = 0; a < forms[form].sums[sum].additions; a++) {
                SCOPED_TRACE(testing::Message() << form_names[form] << ' ' << sum << ' ' << a);
                struct form wrong = forms[form];
                signed char &sign = wrong.sums[sum].addition[a].sign;
                sign = static_cast<signed char>(-sign);
                expect_fails(wrong, form);
            }
}

// Factors exchanged, those of another product, and as in KASTORS' program a quadrant of C in place of A.
TEST(Checks, FailWhereAProductHasWrongFactors)
{
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN})
        for (std::size_t number = 0; number < PRODUCTS; number++) {
            SCOPED_TRACE(testing::Message() << form_names[form] << ' ' << number);
            const factors right = forms[form].products[number],
                          other = forms[form].products[(number + 1) % PRODUCTS];
            struct form wrong = forms[form];
            for (factors f : {factors{right.right, right.left, right.out},
                              factors{other.left, right.right, right.out},
                              factors{right.left, other.right, right.out},
                              factors{C22, right.left, right.out}}) {
                if (f.left == right.left && f.right == right.right)
                    continue;
                wrong.products[number] = f;
                expect_fails(wrong, form);
            }
        }
}

TEST(Checks, FailWhereAnElementIsWrongByABillionth)
{
    Multiplication run({64, 16});
    run.once();
    for (std::size_t i = 0; i < 64; i++)
        for (std::size_t j = 0; j < 64; j++) {
            double &element = *tile_matrix_element(run.matrices().C, i, j);
            const double right = element;
            if (std::fabs(right) < 5.0)
                continue;
            element *= 1 + 1e-9;
            EXPECT_FALSE(run.passes(CHECK_FAST) || run.passes(CHECK_FULL)) << i << ' ' << j;
            element = right;
        }
    EXPECT_TRUE(run.passes(CHECK_FAST) && run.passes(CHECK_FULL));
}

TEST(Checks, FindAnErrorInAnyElement)
{
    Multiplication run({19, 5});
    run.once();
    for (std::size_t i = 0; i < 19; i++)
        for (std::size_t j = 0; j < 19; j++) {
            double &element = *tile_matrix_element(run.matrices().C, i, j);
            const double right = element;
            for (double wrong : {right + 1e-9, std::nan(""), HUGE_VAL}) {
                element = wrong;
                EXPECT_FALSE(run.passes(CHECK_FAST)) << i << " " << j << " " << wrong;
                EXPECT_FALSE(run.passes(CHECK_FULL)) << i << " " << j << " " << wrong;
            }
            element = right;
        }
    EXPECT_TRUE(run.passes(CHECK_FAST) && run.passes(CHECK_FULL));
}

TEST(Checks, FullFindsErrorsJustAboveTheBound)
{
    Multiplication run({64, 8});
    run.once();
    const double bound = strassen_error_bound(&run.recursion());
    *tile_matrix_element(run.matrices().C, 40, 3) += 2 * bound;
    EXPECT_FALSE(run.passes(CHECK_FULL));
}

// The sum of what the threshold allows for is at most twice the threshold, whatever the signs of the probes.
TEST(Checks, FastFindsErrorsOfTwiceItsThresholdInAnElement)
{
    Multiplication run({64, 8});
    run.once();
    const double n = 64.0, bound = strassen_error_bound(&run.recursion());
    const double threshold =
        std::min(n, 10.0 * std::sqrt(n)) * bound + 3.0 * n * n * n * UNIT_ROUNDOFF;
    *tile_matrix_element(run.matrices().C, 40, 3) += 2 * threshold;
    EXPECT_FALSE(run.passes(CHECK_FAST));
}

} // namespace
