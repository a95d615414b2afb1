// SPDX-License-Identifier: BSD-3-Clause
// How much of a factorization is computed inside OpenBLAS: its entry points are replaced by functions of the
// same names that count the operations of each call and pass it on.
#include <cblas.h>
#include <dlfcn.h>
#include <lapacke.h>

#include <map>
#include <mutex>

#include "tests/support.h"

namespace {

// Operations by entry point, since the last clear. Nested variants call from several threads.
std::map<std::string, double> counted;
std::mutex counting;
thread_local int depth = 0; // calls that OpenBLAS makes to itself are part of the outermost

// Counts a call, and passes it on while it exists.
template <typename Function> class Counted {
  public:
    Counted(const char *name, double operations, Function *)
        : next_(reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name)))
    {
        if (depth++ > 0)
            return;
        const std::lock_guard<std::mutex> lock(counting);
        counted[name] += operations;
    }
    ~Counted()
    {
        depth--;
    }
    template <typename... Arguments> auto operator()(Arguments... arguments) const
    {
        return next_(arguments...);
    }

  private:
    Function *next_;
};

// Elements of each column (of each row, where transposed) that are neither zero nor one.
std::vector<double> factors(bool by_row, int rows, int cols, const double *a, int ld)
{
    std::vector<double> found(size_t(by_row ? rows : cols));
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            found[size_t(by_row ? i : j)] +=
                a[i + size_t(j) * size_t(ld)] != 0.0 && a[i + size_t(j) * size_t(ld)] != 1.0;
    return found;
}

// Products with zero or one are no work: triangles are stored with zeros, unit triangles are copied with both,
// and a program that multiplied them as full matrices would appear to compute more inside OpenBLAS than the
// factorization needs.
double operations_of_gemm(bool ta, bool tb, int m, int n, int k, const double *a, int lda,
                          const double *b, int ldb)
{
    const std::vector<double> left =
        ta ? factors(true, k, m, a, lda) : factors(false, m, k, a, lda);
    const std::vector<double> right =
        tb ? factors(false, n, k, b, ldb) : factors(true, k, n, b, ldb);
    double sum = 0;
    for (size_t l = 0; l < size_t(k); l++)
        sum += 2 * left[l] * right[l];
    return sum;
}

// Of a triangular solve or product.
double triangular_operations(CBLAS_SIDE side, CBLAS_DIAG diag, int m, int n)
{
    const double order = side == CblasLeft ? m : n, others = side == CblasLeft ? n : m;
    return others * order * (diag == CblasUnit ? order - 1 : order);
}

double flops_of(const kernel &kernel, int m, int n, int k, int ib)
{
    return kernel.flops({uint32_t(m), uint32_t(n), uint32_t(k), uint32_t(ib)});
}

} // namespace

extern "C" {

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta,
                 double *c, int ldc)
{
    const double operations =
        operations_of_gemm(ta == CblasTrans, tb == CblasTrans, m, n, k, a, lda, b, ldb);
    Counted("cblas_dgemm", operations, cblas_dgemm)(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb,
                                                    beta, c, ldc);
}

void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                 double alpha, const double *a, int lda, double beta, double *c, int ldc)
{
    Counted("cblas_dsyrk", double(n) * (n + 1) * k, cblas_dsyrk)(layout, uplo, trans, n, k, alpha,
                                                                 a, lda, beta, c, ldc);
}

void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b,
                 int ldb)
{
    const double operations = triangular_operations(side, diag, m, n);
    Counted("cblas_dtrsm", operations, cblas_dtrsm)(layout, side, uplo, trans, diag, m, n, alpha, a,
                                                    lda, b, ldb);
}

void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b,
                 int ldb)
{
    const double operations = triangular_operations(side, diag, m, n);
    Counted("cblas_dtrmm", operations, cblas_dtrmm)(layout, side, uplo, trans, diag, m, n, alpha, a,
                                                    lda, b, ldb);
}

int LAPACKE_dgetrf_work(int layout, int m, int n, double *a, int lda, int *pivots)
{
    return Counted("LAPACKE_dgetrf_work", flops_getrf(m, n), LAPACKE_dgetrf_work)(layout, m, n, a,
                                                                                  lda, pivots);
}

int LAPACKE_dtpqrt_work(int layout, int m, int n, int l, int nb, double *a, int lda, double *b,
                        int ldb, double *t, int ldt, double *work)
{
    const double operations = flops_of(about_ttqrt, m, n, n, nb);
    return Counted("LAPACKE_dtpqrt_work", operations,
                   LAPACKE_dtpqrt_work)(layout, m, n, l, nb, a, lda, b, ldb, t, ldt, work);
}

int LAPACKE_dtpmqrt_work(int layout, char side, char trans, int m, int n, int k, int l, int nb,
                         const double *v, int ldv, const double *t, int ldt, double *a, int lda,
                         double *b, int ldb, double *work)
{
    const double operations = flops_of(about_ttmqr, m, n, k, nb);
    return Counted("LAPACKE_dtpmqrt_work", operations, LAPACKE_dtpmqrt_work)(
        layout, side, trans, m, n, k, l, nb, v, ldv, t, ldt, a, lda, b, ldb, work);
}

} // extern "C"

namespace {

void add_flops(void *context, struct call call, const struct access *, size_t)
{
    *static_cast<double *>(context) += double(work_of_call(call.kernel, call.sizes).flops);
}

// The share of the operations of a factorization's kernels that OpenBLAS computes.
double share_inside(const Subject &subject, Trial::Shape shape)
{
    Trial trial(subject, shape);
    double all = 0.0, inside = 0.0;
    const observer observer = {add_flops, &all};
    trial.problem()->execution->observer = &observer;
    counted.clear();
    trial.once(7);
    trial.problem()->execution->observer = nullptr;
    for (const auto &[name, operations] : counted)
        inside += operations;
    return inside / all;
}

std::string by_entry_point()
{
    std::string text;
    for (const auto &[name, operations] : counted)
        text += name + " " + std::to_string(operations * 1e-9) + " · 10⁹\n";
    return text;
}

class Share : public testing::TestWithParam<Subject> {};

// Four tiles in a row. Variants of a benchmark call the same kernels in other orders, or kernels of their own:
// wider tiles and tall ones need no more than one of them.
std::vector<Trial::Shape> shapes(const Subject &subject)
{
    std::vector<Trial::Shape> all = {{512, 512, 128, 32, 1}};
    if (subject.variant->sequential)
        all.push_back({768, 768, 192, 64, 1});
    if (subject.variant->sequential && subject.benchmark->tall_tiles)
        all.push_back({512, 512, 128, 32, 1, 4});
    return all;
}

TEST_P(Share, OfOpenBlasIsNearlyAllWithItsKernels)
{
    for (Trial::Shape shape : shapes(GetParam())) {
        SCOPED_TRACE(describe({{"n", shape.n}, {"nb", shape.nb}, {"height", shape.height}}));
        const double share = share_inside(GetParam(), shape);
        EXPECT_GE(share, 0.95) << by_entry_point();
        // More would hide what is computed elsewhere. Halving QR's blocks takes a little more than LAPACK's count,
        // 2 % with an inner block of 64.
        EXPECT_LE(share, 1.02) << by_entry_point();
    }
}

INSTANTIATE_TEST_SUITE_P(All, Share, testing::ValuesIn(subjects(factorizations())), subject_name);

// The counts do tell whose kernels ran.
TEST(ShareOfOpenBlas, IsSmallWithOurOwnKernels)
{
    if (const char *missing = kernel_set_missing(KERNELS_TUNED))
        GTEST_SKIP() << missing;
    kernel_set_use(KERNELS_TUNED);
    for (const Subject &subject : subjects(factorizations()))
        if (subject.variant->sequential) {
            EXPECT_LE(share_inside(subject, shapes(subject).front()), 0.5) << by_entry_point();
        }
    kernel_set_use(KERNELS_BLAS);
}

} // namespace
