/* SPDX-License-Identifier: BSD-3-Clause
 * What a benchmark is: a table of variants and a few functions. The driver does the rest. */
#ifndef POLLUX_COMMON_BENCHMARK_H
#define POLLUX_COMMON_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/execution/execution.h"
#include "common/identity/capabilities.h"
#include "common/matrix/input.h"
#include "common/matrix/kernel_set.h"
#include "common/matrix/tile_matrix.h"
#include "common/run/processes.h"
#include "common/run/verification.h"

/** Priorities of tasks on and near the critical path; other tasks have 0, or that of their step. They
 * take effect where OMP_MAX_TASK_PRIORITY is at least PRIORITY_MAX when the runtime starts. */
enum priority { PRIORITY_NEXT = 32, PRIORITY_SOLVE = 33, PRIORITY_PANEL = 34, PRIORITY_MAX = 34 };

/** Below PRIORITY_NEXT, an older step has a higher priority. With few steps, and thus long tasks, this
 * keeps any column from falling so far behind that only its tasks are left at the end. With more
 * steps, all have 0. In the same way for columns: the leftmost first. */
static inline int priority_of_step(size_t k, size_t steps)
{
    return steps <= PRIORITY_NEXT ? (int)(steps - 1 - k) : 0;
}

/** A number or a word that a benchmark has besides the sizes: the option --NAME, an axis like sizes, and a
 * member of the records' `parameters`. Its value is the number, or the word's place in the list. */
struct parameter {
    const char
        *name; /**< lower case, words joined by hyphens; it replaces an option of that name */
    const char *metavar;      /**< of a number, e.g. "S" */
    const char *summary;      /**< one line, for --help */
    const char *const *words; /**< the words it can be, ended by NULL; NULL: it is a whole number */
    size_t least, most;       /**< range of a number; at most NUMBER_MAX */
    size_t standard;          /**< value where the option is not given */
    /** It is the number of threads of the parallel regions inside tasks: only nested variants have it. */
    bool inner_team;
    bool of_random_input; /**< it says what this is like: a file of --matrix takes its place */
    const char *variant;  /**< the only one that has it; NULL: all do */
};

enum { PARAMETERS_MAX = 4, STANDARD_SIZE = 2048 };

/** The most threads of a parallel region inside a task. */
enum { INNER_THREADS_MAX = 1024 };

/** A further result of a run, for the records' `figures`. */
struct figure {
    const char *name; /**< lower case, words joined by underscores; ends with a unit, if any */
    double value;
};

enum { FIGURES_MAX = 12 };

struct spread;
struct variant;

/** One problem to be run: sizes, matrix and what the algorithm adds to it. */
struct problem {
    size_t m, n;    /**< rows and columns */
    size_t mb, nb;  /**< tile as requested (A's is cut to the matrix) */
    size_t ib;      /**< inner block of QR, else 0 */
    size_t threads; /**< threads of the team: one where the variant is sequential */
    const struct topology
        *interleave; /**< machine over whose nodes pages are spread, or NULL: first touch */
    size_t parameters[PARAMETERS_MAX]; /**< in the order of the benchmark's table */
    struct input input;                /**< known when `create` is called, except for its seed */
    struct tile_matrix *A; /**< NULL where the benchmark has `generate`, unless `create` sets it */
    struct execution *execution;
    void *factors;         /**< pivots, T …: the algorithm's own */
    struct spread *spread; /**< where its tiles are, of several processes; NULL: all are here */
    const struct variant *variant; /**< that it is for; NULL: sizes are listed for any of them */
};

/** A way of writing concurrently; see cw-extension/. */
struct concurrent_write {
    const char *clause; /**< the clause used, as written */
    bool native;        /**< false: another kind of dependence takes its place */
    const char
        *notice; /**< what a user who asked for the variant might not expect; NULL: nothing */
    /** What it does on that many threads: "concurrent", "serialised", "broken" or "not shown". */
    const char *(*probe)(size_t threads);
};

/** One way to express the algorithm's task graph. */
struct variant {
    const char *name;
    const char *summary;      /**< one line */
    const char *digest_group; /**< variants of one group give the same factors bit for bit */
    enum input_kind input;    /**< the random input it is made for */
    bool sequential;          /**< runs outside any parallel region */
    /** It opens the team itself: `submit` is called outside of any parallel region, and the regions that it opens
     * have problem->threads threads. */
    bool own_team;
    bool nested; /**< its tasks open parallel regions, of as many threads as a parameter says */
    /** Most tasks with dependences that a step has for each tile it updates; 0: none have any. */
    unsigned tasks_per_update;
    unsigned needs;      /**< set of enum capability: what it needs beyond the base */
    const char *library; /**< without which this build cannot have it; NULL: none */
    const struct concurrent_write *concurrent_write; /**< that of its tasks; NULL: there is none */
    /** Creates the tasks, called by one thread of the team; NULL if this build cannot. */
    void (*submit)(struct problem *problem);
};

/** A benchmark: an algorithm with its variants. Functions may be NULL where noted.
 *
 * Usually it factors a matrix A: the driver makes A and fills it, and verifies A X against `multiply`. A
 * benchmark that does something else has `generate` and `verify` of its own. */
struct benchmark {
    const char *name;
    const char *algorithm; /**< that of benchmarks whose variants are compared; NULL: the name */
    const char *summary;
    const struct variant *variants;
    size_t variant_count;
    const struct kernel *const *kernels; /**< those that its tasks call */
    size_t kernel_count;
    const struct parameter *parameters; /**< at most PARAMETERS_MAX */
    size_t parameter_count;
    const char *default_variant;
    size_t standard_size; /**< order without --size; 0: STANDARD_SIZE */
    bool rectangular;     /**< m != n is allowed */
    bool symmetric;       /**< the input is symmetric and only its lower triangle is used */
    bool inner_block;     /**< ib matters */
    bool tall_tiles;      /**< mb != nb is allowed */
    bool pattern_files;   /**< with `generate`: --matrix gives the positions of the non-zeros */
    const char *residual_name;      /**< e.g. "A-LLT"; NULL where verify is not */
    const char *orthogonality_name; /**< NULL where round_trip is */
    const char *failure; /**< what info = +i means, e.g. "leading minor … "; NULL: it never fails */
    const struct processes *processes; /**< NULL: a run is one process */
    unsigned kernel_sets; /**< HAS_… (common/matrix/kernel_set.h); the lowest is the default */

    /** Why this kernel set cannot run here, as the end of a sentence; NULL if it can. NULL: all can. */
    const char *(*kernels_missing)(enum kernel_set set);
    /** Makes all tasks created from now on run this kernel set. NULL: there is one only. */
    void (*use_kernels)(enum kernel_set set);
    /** Which code of a kernel set runs here, for the records' `kernels_isa`. NULL: kernel_set_isa. */
    const char *(*kernels_isa)(enum kernel_set set);
    /** Ends the program with a line of its own where a problem cannot be run; sizes, parameters and input only are known.
     * NULL: all can, as far as memory allows. */
    void (*require)(const struct problem *problem);
    /** Operation count by LAPACK Working Note 41, appendix C. NULL where `operations` is not. */
    double (*flops)(double m, double n);
    /** Operation count, where it depends on more than m and n; before `create`, of a problem whose sizes and
     * parameters only are known, as well as after a run; NaN: not known. NULL: `flops`. */
    double (*operations)(const struct problem *problem);
    /** Tasks of a variant at most, or its kernel calls where these are more; sizes, parameters and input only are
     * known; NaN: not known. NULL: as many as a factorization of the tiles of A has. */
    double (*tasks)(const struct problem *problem, const struct variant *variant);
    /** Bytes that create allocates, and generate of the benchmark's own, for the memory check; SIZE_MAX if that
     * overflows. Variant, sizes, parameters and input only are known. NULL: none. */
    size_t (*factor_bytes)(const struct problem *problem);
    /** Bytes that `verify` of the benchmark's own needs besides. NULL: none. */
    size_t (*verify_bytes)(const struct problem *problem, enum check check);
    /** Doubles of workspace for each thread; variant, sizes and parameters only are known. NULL: none. */
    size_t (*workspace_doubles)(const struct problem *problem);
    /** Allocates problem->factors, with all that the task graph depends on: --graph submits it without
     * `generate`. NULL: there is nothing. @return 0, or -1 if out of memory */
    int (*create)(struct problem *problem);
    /** Releases problem->factors; NULL is fine. */
    void (*destroy)(struct problem *problem);
    /** Fills in the input by the seed in problem->input, before each repetition. NULL: the driver makes and
     * fills problem->A. */
    void (*generate)(struct problem *problem);
    /** The variant of that place in the table, where parameters change its input or its digests. NULL: the table's. */
    const struct variant *(*variant_for)(size_t index, const size_t *parameters);
    /** Adds the residuals of the result (verification_add), by probes or in full; a wrong result fails in
     * both. NULL: the driver compares A X with `multiply`. @return false if out of memory */
    bool (*verify)(struct problem *problem, enum check check, struct verification *result);
    /** Further results of a run that took that many seconds, at most FIGURES_MAX; values that are not
     * finite become null. NULL: none. @return how many */
    size_t (*figures)(const struct problem *problem, double seconds, struct figure *figures);
    /** Y := (product of the factors) X, which should be A X; X is n × p, Y is m × p, column-major. Runs
     * on the calling thread. NULL where `verify` is not. */
    void (*multiply)(struct problem *problem, struct tile X, struct tile Y);
    /** X := Qᵀ (Q X), X is m × p. NULL for factorizations without an orthogonal factor. */
    void (*round_trip)(struct problem *problem, struct tile X);
    /** Digest of the result. */
    uint64_t (*digest)(const struct problem *problem);
    /** Coordinates of an object that names a kernel call of step k and is no tile of problem->A. NULL: there
     * is none. */
    void (*coordinates)(const struct problem *problem, size_t k, const void *object, size_t *i,
                        size_t *j);
};

/** The algorithm of a benchmark: its variants are compared with those of others that have the same. */
static inline const char *benchmark_algorithm(const struct benchmark *benchmark)
{
    return benchmark->algorithm ? benchmark->algorithm : benchmark->name;
}

#endif
