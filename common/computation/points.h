/* SPDX-License-Identifier: BSD-3-Clause
 * What a point of a plan stands for: a configuration, with defaults for what the command line omits. */
#ifndef POLLUX_COMPUTATION_POINTS_H
#define POLLUX_COMPUTATION_POINTS_H

#include "common/computation/options.h"
#include "common/machine/topology.h"
#include "common/matrix/default_tile.h"
#include "common/run/run.h"

/** The input of a configuration; all of it is borrowed. */
struct given {
    const struct benchmark *benchmark;
    const struct computation_options *options;
    const struct topology *topology;
    const struct dense_matrix *file; /**< the matrix, or NULL: random */
};

/** What the tables of tiles are asked for; `fastest`: of any shape. */
struct tile_key tile_key_of(const struct given *given, bool fastest);

/** @param variant  NULL: the configuration has sizes only */
struct configuration configuration_of(const struct given *given, const struct point *point,
                                      const struct variant *variant);

#endif
