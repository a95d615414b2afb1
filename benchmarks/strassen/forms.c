/* SPDX-License-Identifier: BSD-3-Clause
 * Strassen, "Gaussian elimination is not optimal", Numer. Math. 13 (1969); Winograd's form of it with 15
 * instead of 18 additions as in Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition
 * (SIAM 2002), (23.4) and (23.6), from where the constants of the error bounds are too (Theorems 23.2 and
 * 23.3). */
#include "benchmarks/strassen/forms.h"

#include "kernels/flops.h"

/* ---- the kernels ---- */

/* Sums: m × n elements, k additions. */
static double sum_flops(struct call_sizes s)
{
    return (double)s.m * s.n * s.k;
}

static double matrices(struct call_sizes s, double count)
{
    return count * matrix_bytes(s.m, s.n);
}

static double two_matrices(struct call_sizes s)
{
    return matrices(s, 2);
}

static double three_matrices(struct call_sizes s)
{
    return matrices(s, 3);
}

static double four_matrices(struct call_sizes s)
{
    return matrices(s, 4);
}

static double five_matrices(struct call_sizes s)
{
    return matrices(s, 5);
}

static double six_matrices(struct call_sizes s)
{
    return matrices(s, 6);
}

/* A product of order m by recursion down to order ib. */
static double product_flops(struct call_sizes s, double additions)
{
    double products = 1.0, sums = 0.0, order = s.m;
    while (order > s.ib) {
        order /= 2.0;
        sums += products * additions * order * order;
        products *= (double)PRODUCTS;
    }
    return products * 2.0 * s.ib * s.ib * s.ib + sums;
}

enum { WINOGRAD_ADDITIONS = 15, STRASSEN_ADDITIONS = 18 };

static double winograd_flops(struct call_sizes s)
{
    return product_flops(s, WINOGRAD_ADDITIONS);
}

static double strassen_flops(struct call_sizes s)
{
    return product_flops(s, STRASSEN_ADDITIONS);
}

static const char HIGHAM[] =
    "N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 23.1";

#define SUM_KERNEL(text, meaning, matrices_touched) \
    {.name = (text), \
     .operation = (meaning), \
     .count = "m n k", \
     .source = HIGHAM, \
     .growth = GROWS_WITH_BYTES, \
     .flops = sum_flops, \
     .bytes = (matrices_touched)}

static const struct kernel
    winograd_product = {.name = "product",
                        .operation = "product by Winograd's form down to order ib",
                        .count = "2 ib^3 7^r + 5 (7^r - 4^r) ib^2, r = log2(m / ib)",
                        .source = HIGHAM,
                        .flops = winograd_flops,
                        .bytes = three_matrices},
    winograd_s = SUM_KERNEL("s123", "S1 to S3 of Winograd's form", six_matrices),
    winograd_s4 = SUM_KERNEL("s4", "S4 of Winograd's form", three_matrices),
    winograd_t = SUM_KERNEL("t123", "T1 to T3 of Winograd's form", six_matrices),
    winograd_t4 = SUM_KERNEL("t4", "T4 of Winograd's form", three_matrices),
    winograd_u2 = SUM_KERNEL("u2", "C11 and U2 of Winograd's form", three_matrices),
    winograd_u3 = SUM_KERNEL("u3", "C21 and C22 of Winograd's form", four_matrices),
    winograd_u4 = SUM_KERNEL("u4", "C12 of Winograd's form", three_matrices),
    strassen_product = {.name = "product",
                        .operation = "product by Strassen's recursion down to order ib",
                        .count = "2 ib^3 7^r + 6 (7^r - 4^r) ib^2, r = log2(m / ib)",
                        .source = HIGHAM,
                        .flops = strassen_flops,
                        .bytes = three_matrices},
    strassen_s = SUM_KERNEL("s124", "sums of A for the products 1, 2 and 6", six_matrices),
    strassen_s2 = SUM_KERNEL("s35", "sums of A for the products 5 and 7", five_matrices),
    strassen_t = SUM_KERNEL("t124", "sums of B for the products 1, 3 and 6", six_matrices),
    strassen_t2 = SUM_KERNEL("t35", "sums of B for the products 4 and 7", five_matrices),
    strassen_c11 = SUM_KERNEL("c11", "C11 of Strassen's recursion", four_matrices),
    strassen_c22 = SUM_KERNEL("c22", "C22 of Strassen's recursion", four_matrices),
    strassen_c12 = SUM_KERNEL("c12", "C12 of Strassen's recursion", two_matrices),
    strassen_c21 = SUM_KERNEL("c21", "C21 of Strassen's recursion", two_matrices);

const struct kernel *const form_kernels[FORM_KERNELS] = {
    &winograd_product, &winograd_s,   &winograd_s4,      &winograd_t,   &winograd_t4, &winograd_u2,
    &winograd_u3,      &winograd_u4,  &strassen_product, &strassen_s,   &strassen_s2, &strassen_t,
    &strassen_t2,      &strassen_c11, &strassen_c22,     &strassen_c12, &strassen_c21};

/* ---- the forms ---- */

/* The workspace of Winograd's form. */
enum { S1 = WORK, S2, S3, S4, T1, T2, T3, T4, P1, P5, P6, WINOGRAD_END };

/* The workspace of Strassen's own. */
enum { X1 = WORK, X2, X4, X3, X5, Y1, Y2, Y4, Y3, Y5, M1, M4, M5, STRASSEN_END };

const char *const form_names[] = {[FORM_WINOGRAD] = "winograd", [FORM_STRASSEN] = "strassen", NULL};

const struct form forms[] = {
    [FORM_WINOGRAD] =
        {
            .name = "winograd",
            .sums =
                {
                    /* S1 := A21 + A22, S2 := S1 - A11, S3 := A11 - A21 */
                    {.kernel = &winograd_s,
                     .in = {A11, A21, A22},
                     .ins = 3,
                     .out = {S1},
                     .outs = 1,
                     .addition = {{S1, A21, +1, A22}, {S2, S1, -1, A11}, {S3, A11, -1, A21}},
                     .additions = 3},
                    /* S4 := A12 - S2 */
                    {.kernel = &winograd_s4,
                     .in = {A12, S2},
                     .ins = 2,
                     .out = {S4},
                     .outs = 1,
                     .addition = {{S4, A12, -1, S2}},
                     .additions = 1},
                    /* T1 := B12 - B11, T2 := B22 - T1, T3 := B22 - B12 */
                    {.kernel = &winograd_t,
                     .in = {B11, B12, B22},
                     .ins = 3,
                     .out = {T1},
                     .outs = 1,
                     .addition = {{T1, B12, -1, B11}, {T2, B22, -1, T1}, {T3, B22, -1, B12}},
                     .additions = 3},
                    /* T4 := T2 - B21 */
                    {.kernel = &winograd_t4,
                     .in = {B21, T2},
                     .ins = 2,
                     .out = {T4},
                     .outs = 1,
                     .addition = {{T4, T2, -1, B21}},
                     .additions = 1},
                    /* C11 := P1 + P2, U2 := P1 + P6; P2 is in C11, U2 replaces P6 */
                    {.kernel = &winograd_u2,
                     .in = {P1},
                     .ins = 1,
                     .out = {P6, C11},
                     .outs = 2,
                     .addition = {{C11, P1, +1, C11}, {P6, P1, +1, P6}},
                     .additions = 2},
                    /* U3 := U2 + P7, C21 := U3 - P4, C22 := U3 + P5; P4 is in C21, P7 and U3 in C22 */
                    {.kernel = &winograd_u3,
                     .in = {P6, P5},
                     .ins = 2,
                     .out = {C21, C22},
                     .outs = 2,
                     .addition = {{C22, P6, +1, C22}, {C21, C22, -1, C21}, {C22, C22, +1, P5}},
                     .additions = 3},
                    /* C12 := (U2 + P5) + P3; P3 is in C12 */
                    {.kernel = &winograd_u4,
                     .in = {P6, P5},
                     .ins = 2,
                     .out = {C12},
                     .outs = 1,
                     .addition = {{C12, C12, +1, P6}, {C12, C12, +1, P5}},
                     .additions = 2},
                },
            .right = 2,
            .combinations = 4,
            .sum_count = 7,
            .products = {{A11, B11, P1},
                         {A12, B21, C11},
                         {S4, B22, C12},
                         {A22, T4, C21},
                         {S1, T1, P5},
                         {S2, T2, P6},
                         {S3, T3, C22}},
            .product = &winograd_product,
            .work_count = WINOGRAD_END - WORK,
            .named = {S1, S1, S1, S4, T1, T1, T1, T4, P1, P5, P6},
            .additions = WINOGRAD_ADDITIONS,
            .growth = 18,
            .slope = 6,
        },
    [FORM_STRASSEN] =
        {
            .name = "strassen",
            .sums =
                {
                    /* X1 := A11 + A22, X2 := A21 + A22, X4 := A21 - A11 */
                    {.kernel = &strassen_s,
                     .in = {A11, A21, A22},
                     .ins = 3,
                     .out = {X1},
                     .outs = 1,
                     .addition = {{X1, A11, +1, A22}, {X2, A21, +1, A22}, {X4, A21, -1, A11}},
                     .additions = 3},
                    /* X3 := A11 + A12, X5 := A12 - A22 */
                    {.kernel = &strassen_s2,
                     .in = {A11, A12, A22},
                     .ins = 3,
                     .out = {X3},
                     .outs = 1,
                     .addition = {{X3, A11, +1, A12}, {X5, A12, -1, A22}},
                     .additions = 2},
                    /* Y1 := B11 + B22, Y2 := B12 - B22, Y4 := B11 + B12 */
                    {.kernel = &strassen_t,
                     .in = {B11, B12, B22},
                     .ins = 3,
                     .out = {Y1},
                     .outs = 1,
                     .addition = {{Y1, B11, +1, B22}, {Y2, B12, -1, B22}, {Y4, B11, +1, B12}},
                     .additions = 3},
                    /* Y3 := B21 - B11, Y5 := B21 + B22 */
                    {.kernel = &strassen_t2,
                     .in = {B11, B21, B22},
                     .ins = 3,
                     .out = {Y3},
                     .outs = 1,
                     .addition = {{Y3, B21, -1, B11}, {Y5, B21, +1, B22}},
                     .additions = 2},
                    /* C11 := M1 + M4 - M5 + M7; M7 is in C11 */
                    {.kernel = &strassen_c11,
                     .in = {M1, M4, M5},
                     .ins = 3,
                     .out = {C11},
                     .outs = 1,
                     .addition = {{C11, M1, +1, C11}, {C11, C11, +1, M4}, {C11, C11, -1, M5}},
                     .additions = 3},
                    /* C22 := M1 - M2 + M3 + M6; M2 is in C21, M3 in C12, M6 in C22 */
                    {.kernel = &strassen_c22,
                     .in = {M1, C21, C12},
                     .ins = 3,
                     .out = {C22},
                     .outs = 1,
                     .addition = {{C22, M1, +1, C22}, {C22, C22, -1, C21}, {C22, C22, +1, C12}},
                     .additions = 3},
                    /* C12 := M3 + M5 */
                    {.kernel = &strassen_c12,
                     .in = {M5},
                     .ins = 1,
                     .out = {C12},
                     .outs = 1,
                     .addition = {{C12, C12, +1, M5}},
                     .additions = 1},
                    /* C21 := M2 + M4 */
                    {.kernel = &strassen_c21,
                     .in = {M4},
                     .ins = 1,
                     .out = {C21},
                     .outs = 1,
                     .addition = {{C21, C21, +1, M4}},
                     .additions = 1},
                },
            .right = 2,
            .combinations = 4,
            .sum_count = 8,
            .products = {{X1, Y1, M1},
                         {X2, B11, C21},
                         {A11, Y2, C12},
                         {A22, Y3, M4},
                         {X3, B22, M5},
                         {X4, Y4, C22},
                         {X5, Y5, C11}},
            .product = &strassen_product,
            .work_count = STRASSEN_END - WORK,
            .named = {X1, X1, X1, X3, X3, Y1, Y1, Y1, Y3, Y3, M1, M4, M5},
            .additions = STRASSEN_ADDITIONS,
            .growth = 12,
            .slope = 5,
        },
};
