/* SPDX-License-Identifier: BSD-3-Clause
 * SLATE's potrf, getrf (with partial pivoting or none) or geqrf on the suite's random matrices: what the factorizations
 * over MPI are compared with. One line of JSON for each repetition, by rank 0.
 *
 *     mpirun -n P*Q slate-reference potrf|getrf|getrf_nopiv|geqrf N NB P Q REPETITIONS
 *
 * The threads of a rank are OMP_NUM_THREADS, and SLATE's tasks expect OPENBLAS_NUM_THREADS=1. All of SLATE's options are
 * its defaults. A first repetition is not reported. Each is checked by solving a system whose residual is judged as
 * LAPACK's tests judge theirs. Exit status 1: one was too large. */
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <omp.h>
#include <slate/slate.hh>
#include <string>

extern "C" {
#include "common/base/clock.h"
#include "common/matrix/input.h"
#include "docs/evaluation/reference.h"
#include "kernels/flops.h"
}

using Matrix = slate::Matrix<double>;

/* The tiles of this rank, as the suite's programs make them. */
template <typename Tiles> static void generate(Tiles &A, const input &input, int nb)
{
    for (int64_t j = 0; j < A.nt(); j++)
        for (int64_t i = 0; i < A.mt(); i++)
            if (A.tileIsLocal(i, j) && A.tileExists(i, j)) {
                auto t = A(i, j);
                input_tile(
                    &input, size_t(i * nb), size_t(j * nb),
                    {t.data(), size_t(t.mb()), size_t(t.nb()), size_t(t.stride()), t.data()});
            }
}

/* @return a matrix of the given width, without values */
static Matrix create(const reference &run, int columns, int nb)
{
    Matrix A(run.n, columns, run.nb, nb, slate::GridOrder::Row, run.rows, run.columns,
             MPI_COMM_WORLD);
    A.insertLocalTiles();
    return A;
}

/* A matrix that its factors replace. */
class Factorization {
  public:
    virtual ~Factorization() = default;
    virtual void fill(const input &input) = 0;
    virtual bool factor() = 0;
    virtual void solve(Matrix &x) = 0; /* x := A^-1 x */
};

class Cholesky : public Factorization {
  public:
    explicit Cholesky(const reference &run)
        : nb(run.nb), A(slate::Uplo::Lower, run.n, run.nb, slate::GridOrder::Row, run.rows,
                        run.columns, MPI_COMM_WORLD)
    {
        A.insertLocalTiles();
    }

    void fill(const input &input) override
    {
        generate(A, input, nb);
    }

    bool factor() override
    {
        return slate::potrf(A) == 0;
    }

    void solve(Matrix &x) override
    {
        slate::potrs(A, x);
    }

  private:
    int nb;
    slate::HermitianMatrix<double> A;
};

class Lu : public Factorization {
  public:
    Lu(const reference &run, slate::MethodLU method)
        : nb(run.nb), options{{slate::Option::MethodLU, method}}, A(create(run, run.n, run.nb))
    {
    }

    void fill(const input &input) override
    {
        generate(A, input, nb);
    }

    bool factor() override
    {
        return slate::getrf(A, pivots, options) == 0;
    }

    void solve(Matrix &x) override
    {
        slate::getrs(A, pivots, x, options);
    }

  private:
    int nb;
    slate::Options options;
    Matrix A;
    slate::Pivots pivots;
};

class Qr : public Factorization {
  public:
    explicit Qr(const reference &run) : nb(run.nb), A(create(run, run.n, run.nb))
    {
    }

    void fill(const input &input) override
    {
        generate(A, input, nb);
    }

    bool factor() override
    {
        slate::geqrf(A, T);
        return true;
    }

    void solve(Matrix &x) override
    {
        slate::unmqr(slate::Side::Left, slate::Op::Trans, A, T, x);
        slate::TriangularMatrix<double> R(slate::Uplo::Upper, slate::Diag::NonUnit, A);
        slate::trsm(slate::Side::Left, 1.0, R, x);
    }

  private:
    int nb;
    Matrix A;
    slate::TriangularFactors<double> T;
};

struct Routine {
    input_kind input;
    double (*flops)(double m, double n);
    std::unique_ptr<Factorization> (*make)(const reference &run);
};

template <slate::MethodLU method>
static std::unique_ptr<Factorization> make_lu(const reference &run)
{
    return std::make_unique<Lu>(run, method);
}

template <typename Kind> static std::unique_ptr<Factorization> make(const reference &run)
{
    return std::make_unique<Kind>(run);
}

static const std::map<std::string, Routine> routines = {
    {"potrf", {INPUT_SPD, flops_potrf, make<Cholesky>}},
    {"getrf", {INPUT_UNIFORM, flops_getrf, make_lu<slate::MethodLU::PartialPiv>}},
    {"getrf_nopiv", {INPUT_DOMINANT, flops_getrf, make_lu<slate::MethodLU::NoPiv>}},
    {"geqrf", {INPUT_UNIFORM, flops_geqrf, make<Qr>}}};

/* |b - A x| / (|A| |x| n eps) of the solution x of A x = b for b = A (1, 1, …). */
static double residual(Factorization &factors, Matrix &A, const reference &run)
{
    Matrix x = create(run, 1, 1), b = create(run, 1, 1);
    slate::set(1.0, x);
    slate::gemm(1.0, A, x, 0.0, b);
    slate::copy(b, x);
    factors.solve(x);
    slate::gemm(-1.0, A, x, 1.0, b);
    double scale = slate::norm(slate::Norm::Fro, A) * slate::norm(slate::Norm::Fro, x);
    return slate::norm(slate::Norm::Fro, b) / (scale * run.n * DBL_EPSILON);
}

/* @return the time of the slowest rank; NaN: there are no factors */
static double seconds_to_factor(Factorization &factors)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now_seconds();
    bool factored = factors.factor();
    double own = now_seconds() - start, slowest;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return factored ? slowest : NAN;
}

/* @return whether all were right */
static bool measure(const reference &run, const Routine &routine, bool prints)
{
    bool right = true;
    auto factors = routine.make(run);
    Matrix kept = create(run, run.n, run.nb);
    for (int r = -1; r < run.repetitions; r++) {
        input input = {routine.input, size_t(run.n), size_t(run.n), uint64_t(42 + r), nullptr};
        factors->fill(input);
        generate(kept, input, run.nb);
        double seconds = seconds_to_factor(*factors);
        double scaled = std::isnan(seconds) ? NAN : residual(*factors, kept, run);
        if (r >= 0 && prints)
            reference_print(&run, omp_get_max_threads(), routine.flops(run.n, run.n), seconds,
                            scaled);
        right = right && scaled < REFERENCE_THRESHOLD;
    }
    return right;
}

int main(int argc, char **argv)
{
    int provided, ranks, rank, status = 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reference run;
    bool usable = reference_parse(&run, argc, argv, ranks);
    auto routine = usable ? routines.find(run.routine) : routines.end();
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "slate-reference: this MPI lets one thread at a time call it\n");
        status = 3;
    } else if (routine != routines.end()) {
        status = measure(run, routine->second, rank == 0) ? 0 : 1;
    } else if (rank == 0) {
        fprintf(stderr,
                "usage: mpirun -n P*Q slate-reference potrf|getrf|getrf_nopiv|geqrf N NB P Q "
                "REPETITIONS\n");
    }
    MPI_Finalize();
    return status;
}
