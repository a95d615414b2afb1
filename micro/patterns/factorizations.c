/* SPDX-License-Identifier: BSD-3-Clause
 * The graphs of the factorizations, with kernels that compute nothing. No task can precede the panel of the first
 * step, which writes tile A(0,0). */
#include "cw-extension/concurrent_write.h"
#include "micro/factorization.h"
#include "micro/patterns/patterns.h"

const struct pattern cholesky_graph = {.name = "cholesky",
                                       .summary =
                                           "the graph of cholesky -v depend, with empty kernels",
                                       .algorithm = &cholesky_algorithm,
                                       .addresses = algorithm_addresses,
                                       .roots = first_address,
                                       .define = algorithm_define,
                                       .prepare = algorithm_prepare,
                                       .release = algorithm_release,
                                       .create = algorithm_create,
                                       .call = algorithm_call};

const struct pattern lu_graph = {.name = "lu",
                                 .summary = "the graph of lu -v depend, with empty kernels",
                                 .algorithm = &lu_algorithm,
                                 .addresses = algorithm_addresses,
                                 .roots = first_address,
                                 .define = algorithm_define,
                                 .prepare = algorithm_prepare,
                                 .release = algorithm_release,
                                 .create = algorithm_create,
                                 .call = algorithm_call};

const struct pattern lu_cw_graph = {.name = "lu-cw",
                                    .summary = "the graph of lu-cw -v cw, with empty kernels",
                                    .needs = CONCURRENT_WRITE_NEEDS,
                                    .algorithm = &lu_cw_algorithm,
                                    .addresses = algorithm_addresses,
                                    .roots = first_address,
                                    .define = algorithm_define,
                                    .prepare = algorithm_prepare,
                                    .release = algorithm_release,
                                    .create = algorithm_create,
                                    .call = algorithm_call};

const struct pattern qr_graph = {.name = "qr",
                                 .summary = "the graph of qr -v depend, with empty kernels",
                                 .algorithm = &qr_algorithm,
                                 .addresses = algorithm_addresses,
                                 .roots = first_address,
                                 .define = algorithm_define,
                                 .prepare = algorithm_prepare,
                                 .release = algorithm_release,
                                 .create = algorithm_create,
                                 .call = algorithm_call};
