/* SPDX-License-Identifier: BSD-3-Clause
 * The graphs of the factorizations, with kernels that compute nothing. No task can precede the panel of the first
 * step, which writes tile A(0,0). */
#include "cw-extension/concurrent_write.h"
#include "micro/factorization.h"
#include "micro/patterns/patterns.h"

#define GRAPH_OF(program, its_variant, its_algorithm) \
    .name = (program), \
    .summary = "the graph of " program " -v " its_variant ", with empty kernels", \
    .algorithm = &(its_algorithm), .addresses = algorithm_addresses, .roots = first_address, \
    .define = algorithm_define, .prepare = algorithm_prepare, .release = algorithm_release, \
    .create = algorithm_create, .call = algorithm_call

const struct pattern cholesky_graph = {GRAPH_OF("cholesky", "depend", cholesky_algorithm)};

const struct pattern lu_graph = {GRAPH_OF("lu", "depend", lu_algorithm)};

const struct pattern lu_cw_graph = {GRAPH_OF("lu-cw", "cw", lu_cw_algorithm),
                                    .needs = CONCURRENT_WRITE_NEEDS};

const struct pattern qr_graph = {GRAPH_OF("qr", "depend", qr_algorithm)};
