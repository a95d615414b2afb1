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

class Multiplication : public Trial {
  public:
    explicit Multiplication(const Case &c, const std::string &variant = "seq")
        : Trial(subject_named("strassen " + variant),
                {c.n, c.n, c.nb, 0, c.threads, 1, {c.form, c.depth, c.cutoff}})
    {
    }
    bool passes(check check)
    {
        return verify(check).passed;
    }
    // Another form from now on, of which there may be a wrong one.
    void use(const struct form *form)
    {
        strassen_of(problem())->recursion.form = form;
    }
    const struct matrices &matrices() const
    {
        return *strassen_of(problem());
    }
    const struct recursion &recursion() const
    {
        return matrices().recursion;
    }
    std::size_t bytes() const
    {
        return strassen.factor_bytes(problem()) + strassen.verify_bytes(problem(), CHECK_FULL);
    }
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
