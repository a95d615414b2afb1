// SPDX-License-Identifier: BSD-3-Clause
// One product by the benchmark, at sizes and parameters of a test's choice.
#ifndef POLLUX_TESTS_STRASSEN_MULTIPLICATION_H
#define POLLUX_TESTS_STRASSEN_MULTIPLICATION_H

#include "tests/support.h"

struct Case {
    std::size_t n, nb;
    std::size_t form = FORM_WINOGRAD, depth = DEPTH_MAX, cutoff = 1024;
    std::size_t threads = 2;
};

inline std::ostream &operator<<(std::ostream &out, const Case &c)
{
    return out << form_names[c.form] << ", N = " << c.n << ", NB = " << c.nb << ", depth "
               << c.depth << ", cut-off " << c.cutoff << ", " << c.threads << " threads";
}

class Multiplication {
  public:
    Multiplication(const Case &c, const char *variant = "seq") : configuration_()
    {
        configuration_.benchmark = &strassen;
        configuration_.m = configuration_.n = c.n;
        configuration_.mb = configuration_.nb = c.nb;
        configuration_.threads = c.threads;
        configuration_.parameters[PARAMETER_FORM] = c.form;
        configuration_.parameters[PARAMETER_DEPTH] = c.depth;
        configuration_.parameters[PARAMETER_CUTOFF] = c.cutoff;
        for (std::size_t v = 0; v < strassen.variant_count; v++)
            if (strassen.variants[v].name == std::string(variant))
                configuration_.variant = &strassen.variants[v];
        problem_ = run_create(&configuration_);
    }
    ~Multiplication()
    {
        run_destroy(&configuration_, problem_);
    }
    Multiplication(const Multiplication &) = delete;
    Multiplication &operator=(const Multiplication &) = delete;

    outcome once(check check = CHECK_NONE, std::uint64_t seed = 7)
    {
        return run_once(&configuration_, problem_, seed, check, nullptr, nullptr);
    }
    bool passes(check check)
    {
        verification result = {};
        return verify(&strassen, problem_, check, &result) && result.passed;
    }
    // The task graph alone, on A and B as they are.
    void multiply()
    {
        configuration_.variant->submit(problem_);
    }
    struct problem *problem()
    {
        return problem_;
    }
    // Another form from now on, of which there may be a wrong one.
    void use(const struct form *form)
    {
        strassen_of(problem_)->recursion.form = form;
    }
    const struct matrices &matrices() const
    {
        return *strassen_of(problem_);
    }
    const struct recursion &recursion() const
    {
        return matrices().recursion;
    }
    std::size_t bytes() const
    {
        return strassen.factor_bytes(problem_);
    }

  private:
    configuration configuration_;
    struct problem *problem_;
};

// The first n rows and columns.
inline Matrix square(const tile_matrix *A, std::size_t n)
{
    Matrix all(n, n);
    for (std::size_t j = 0; j < n; j++)
        for (std::size_t i = 0; i < n; i++)
            all(i, j) = *tile_matrix_element(A, i, j);
    return all;
}

#endif
