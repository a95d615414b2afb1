/* SPDX-License-Identifier: BSD-3-Clause
 * The table of patterns, in the order in which --list shows them. */
#include "micro/patterns/patterns.h"

#include "micro/factorization.h"

const struct pattern *const patterns[] = {
    &independent, &iterator,      &chain,      &depobj,    &detach,         &fan_out,
    &fan_in,      &stencil_1d,    &stencil_2d, &butterfly, &random_graph,   &readers,
    &inoutset,    &mutexinoutset, &tree,       &taskloop,  &cholesky_graph, &lu_graph,
    &lu_cw_graph, &qr_graph,      NULL};

size_t pattern_width(size_t tasks)
{
    size_t width = 1;
    while (width * width < tasks)
        width++;
    return width;
}

size_t pattern_fit(const struct pattern *pattern, size_t least)
{
    return pattern->algorithm ? algorithm_fit(pattern->algorithm, least) : least;
}

struct shape pattern_shape(const struct pattern *pattern, size_t tasks, size_t items, uint64_t seed)
{
    return (struct shape){
        .tasks = tasks, .items = items, .seed = seed, .algorithm = pattern->algorithm};
}

size_t one_address(const struct shape *shape)
{
    (void)shape;
    return 1;
}

struct range first_address(const struct shape *shape)
{
    (void)shape;
    return (struct range){0, 1};
}
