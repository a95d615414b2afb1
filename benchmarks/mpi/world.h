/* SPDX-License-Identifier: BSD-3-Clause
 * The ranks of an MPI program and their grid. MPI begins after the program has restarted itself, if it had to, and an
 * error on any rank ends all of them: MPI_Abort is called where a rank leaves before world_end. */
#ifndef POLLUX_BENCHMARKS_MPI_WORLD_H
#define POLLUX_BENCHMARKS_MPI_WORLD_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/message.h"

/** The ranks, in a grid of rows × columns; the ranks of a row follow each other. */
struct world {
    int rank, ranks;
    int here;    /**< ranks on this machine */
    int hosts;   /**< machines */
    int machine; /**< the first rank on this machine */
    size_t rows, columns;
    size_t row, column; /**< the place of this rank */
    size_t ahead;       /**< steps whose tiles of other ranks are kept at a time */
    double patience;  /**< seconds after which a run is given up that does not move (watchdog.h) */
    int asked, level; /**< thread level asked for, and given */
    size_t largest_tag; /**< of a message */
    bool given;         /**< --grid says rows and columns */
};

/** The world of this process; before world_begin it is one rank. */
const struct world *world(void);

/** The options --grid, --ahead and --patience, ended by one without a name, and what takes them. */
extern const struct argp_option world_options[];
void world_take_option(int key, const char *text);

/** The place of --patience in them, the last one: a table of it alone begins here. */
enum { WORLD_PATIENCE = 2 };

/** Prints no errors, and no --list, twice: call first in main. */
void world_before(void);

/** Whether the launcher has started this process as another rank than the first, MPI or not. */
bool world_has_others_before(void);

/** Initialises MPI and lays out the grid. Ends the program with one line where the ranks do not fit the grid, or the
 * MPI library does not allow threads as asked.
 * @param[in] level MPI_THREAD_…
 * @param[in] remedy what the user can do where the library gives a lower one
 * @return whether this is rank 0 */
bool world_begin(int level, const char *remedy);

/** The remedy where variants need levels of their own. */
extern const char world_lower_variant[];

/** Finalises MPI. */
void world_end(void);

/** Returns when all ranks have come here. */
void world_gather(void);

/** The rank on which tile (i, j) lives: tiles are dealt out in turn along rows and columns. */
int world_owner(size_t i, size_t j);

/** The name of this rank's file: its number before the ending, t.jsonl becomes t.1.jsonl. Released by free. */
char *world_own_file(const char *path);

/** Whether a file has such a name, of any rank. */
bool world_is_own_file(const char *path, const char *file);

/** Library, version, thread level, ranks, hosts and grid. */
json_t *world_describe(void);

/** Ends all ranks with one line of the one that found what is wrong. Any thread may call it. */
_Noreturn void world_fail(enum pollux_exit status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** As world_fail, of what all ranks find alike: one of them prints it. */
_Noreturn void world_refuse(enum pollux_exit status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
