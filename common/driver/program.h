/* SPDX-License-Identifier: BSD-3-Clause
 * A benchmark as the driver sees it: tables, and what is done with one point of its plan. A benchmark fills in a struct
 * program, and its main is `return program_main(&program, argc, argv);`. Options, --list, the plan of every combination
 * of variants, sizes, parameters and threads, warm-ups, records, tables, CSV and the exit status follow from it.
 * Computations on a matrix are described by a struct benchmark, of which common/computation makes a struct program. */
#ifndef POLLUX_PROGRAM_H
#define POLLUX_PROGRAM_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/number_list.h"
#include "common/driver/result.h"
#include "common/driver/shared_options.h"
#include "common/output/record.h"
#include "common/process/setup.h"
#include "common/run/benchmark.h"
#include "common/run/quantity.h"

enum { PROGRAM_PARAMETERS_MAX = 8 };
enum { REASON_SIZE = CAPABILITY_TEXT_SIZE };

/** One of the things that are measured: a task graph, a pattern of tasks, a construct, a schedule. */
struct program_variant {
    const char *name; /**< NULL ends the list */
    const char *summary;
    const char *digest_group;  /**< only listed; NULL: it has no digest */
    const char *input;         /**< only listed; NULL: its own */
    unsigned needs;            /**< set of enum capability: what it needs beyond the base */
    unsigned parameters;       /**< set of those that it has, bit i for parameter i */
    unsigned tasks_per_update; /**< only listed, as the next two: as of struct variant */
    bool nested, own_team;
    bool missing;    /**< this build's compiler cannot express it */
    bool sequential; /**< one thread, whatever --threads says: run for its first value only */
};

/** A column of the table, in the order in which they are printed; all of them fit into 80 characters. */
struct column {
    enum {
        COLUMN_VARIANT,
        COLUMN_SIZE,
        COLUMN_PARAMETER,
        COLUMN_THREADS,
        COLUMN_QUANTITY, /**< its median */
        COLUMN_DERIVED   /**< by `derive` of the program, to hundredths */
    } kind;
    int width;
    const char *heading; /**< NULL ends the list */
    size_t index;        /**< of the parameter, quantity or derived value */
};

/** An option whose value is a list of numbers, each of which is run; --size is another name for it. */
struct size_axis {
    const char *option; /**< long name; NULL: there is none */
    int key;            /**< its letter */
    const char *metavar, *summary;
    size_t standard;
    const char *help;   /**< the summary for --help; NULL: the summary */
    const char *counts; /**< what it counts, as records name it; NULL: the option's name */
};

/** One combination of the command line's lists. */
struct point {
    const struct program_variant *variant;
    size_t index; /**< of the variant in the list */
    size_t size;
    size_t choice; /**< on the program's own axis, from 0 */
    size_t parameter[PROGRAM_PARAMETERS_MAX];
    size_t threads;
};

/** What the process knows before a point is measured. */
struct run_context {
    const struct setup *setup;
    const struct shared_options *options;
    const struct record_context *process; /**< what all records share */
    json_t *bindings;                     /**< where each thread of the team ran */
    uint64_t seed;
    double clock_ns;   /**< one reading of the clock */
    size_t number, of; /**< of the point in the plan, from 0 */
    bool first;        /**< no other point was measured before */
};

/** What the command line says. */
struct program_options {
    struct shared_options shared;
    struct number_list variants; /**< by their indices */
    bool all_variants;
    struct number_list sizes; /**< one value, 0, where the program has none */
    bool sizes_given;
    struct number_list parameters[PROGRAM_PARAMETERS_MAX];
    unsigned parameters_given; /**< as options: bit i for parameter i */
};

/** Points in the order in which they are measured. */
struct plan {
    size_t count;
    struct point *points;
};

/** What a report of the program's own prints, in place of the table that `columns` describe. */
struct program_report {
    void (*begin)(enum format format, const struct setup *setup);
    void (*repetition)(void *bench, const struct result *result, const json_t *record);
    /** The summary of a point. @return whether all of it passed */
    bool (*point)(void *bench, const struct result *results, size_t count);
};

/** A benchmark. Pointers may be NULL where the text says so. */
struct program {
    const char *name;      /**< of the executable */
    const char *summary;   /**< what it measures: one sentence without its dot */
    const char *help;      /**< the same for --help; NULL: the summary */
    const char *example;   /**< options, for --help */
    const char *failure;   /**< what status 1 means, as "tasks ran in a wrong order" */
    const char *title;     /**< what the numbers of the table are */
    const char *algorithm; /**< whose variants are compared; NULL: its own */
    bool computes; /**< how fast something is computed is measured; else what a runtime costs */
    bool blas;     /**< it calls BLAS */
    bool nested;   /**< it opens parallel regions inside others */

    const char *variant_option; /**< long name; --variant is another name for it */
    int variant_key;            /**< its letter */
    const char *variant_summary;
    const char *default_variant; /**< NULL: all of them */
    /** The list of variants: entry `index`, or one without a name behind the last. */
    struct program_variant (*variant)(size_t index);
    bool variants_last; /**< the plan's points vary by variant fastest, and by size slowest */
    struct size_axis size;
    const struct parameter *parameters; /**< names must differ from those of all other options */
    size_t parameter_count;
    const struct quantity *quantities; /**< the first one is the headline */
    size_t quantity_count;
    const struct column *columns; /**< NULL where `report` is not */
    /** A derived value of the table, from all repetitions of a point. NULL: there are none. */
    double (*derive)(size_t index, const struct result *results, size_t count);
    const char *const *csv_figures;      /**< those that CSV has besides, ended by NULL; or NULL */
    const struct program_report *report; /**< NULL: a table of `columns` */

    const struct argp_option *options; /**< further options, keys from PROGRAM_KEY_OWN; or NULL */
    const struct shared_texts *texts;  /**< of the help; NULL: the usual ones */
    /** Takes one of them; bad values end the program with POLLUX_USAGE. NULL: there are none. */
    void (*take_option)(int key, const char *text);
    /** Ends the program with POLLUX_USAGE where options exclude each other, and completes them. NULL: nothing. */
    void (*check_command_line)(struct program_options *options);
    /** Ends the program with POLLUX_USAGE where a parameter in its range cannot have this value. NULL: it can. */
    void (*check_parameter)(size_t parameter, size_t value);
    /** Ends the program with POLLUX_USAGE where a point has options that exclude each other. NULL: none do. */
    void (*check_options)(const struct point *point);
    /** Values of an axis of the program's own. NULL: there is none. */
    size_t (*choices)(void);
    /** The highest priority of a task that a value of a parameter asks for. NULL: no task has one. */
    int (*priority)(size_t parameter, size_t value);
    /** Changes what the process needs. NULL: nothing else. */
    void (*setup_needs)(struct setup_needs *needs);
    /** Ends the program where two of its files are one. NULL: only records are written. */
    void (*check_files)(const struct shared_options *options);

    /** Whether a variant can run here. NULL: by its needs alone. @param[out] reason REASON_SIZE: why not */
    bool (*available)(size_t variant, const struct runtime_identity *runtime, char *reason);
    /** What a point needs beyond its variant, a set of enum capability. NULL: nothing. */
    unsigned (*needs)(const struct point *point);
    /** Replaces the size by one that the variant can have. NULL: it can have all. */
    size_t (*fit)(const struct point *point);
    /** Threads that exist at once, those of regions inside others included. NULL: those of the team. */
    size_t (*all_threads)(const struct point *point);
    /** Bytes of memory that it needs; SIZE_MAX if that overflows. NULL: next to none. */
    size_t (*bytes)(const struct point *point);
    /** A point in words, into a buffer of that size. NULL: variant, size, and parameters that differ. */
    void (*words)(const struct point *point, char *text, size_t size);
    /** Ends the program with POLLUX_MACHINE where the machine lacks something other than memory. NULL: nothing. */
    void (*require)(const struct point *point);

    /** Adds to the description that --list prints. NULL: nothing. */
    void (*describe)(json_t *description);
    /** One combination of sizes, choices, parameters and threads, as the description has it, without a variant. NULL:
     * what the tables say of it. */
    json_t *(*instance)(const struct point *point);
    /** Prints the answer to --list for people. NULL: variants with their summaries. */
    void (*list)(const struct runtime_identity *runtime);
    /** Prints more below what --version says. NULL: nothing. */
    void (*version)(const struct setup *setup);

    /** Does something else than to plan and run, once the process is prepared. NULL: never. @return whether it did */
    bool (*probe)(const struct setup *setup);
    /** Before the plan is made; may change the options. NULL: nothing. */
    void (*begin)(const struct setup *setup, struct program_options *options);
    /** Does something else with the plan than to run it. NULL: never. @return whether it did */
    bool (*instead)(const struct plan *plan, const struct setup *setup);
    /** After the plan was checked, before the first point; sets what all records state. NULL: nothing. */
    const struct energy_meter *(*before)(const struct plan *plan, struct record_choices *choices);
    /** After the last point. NULL: nothing. */
    void (*end)(void);

    /** Prepares a point; what it returns is handed to the others. */
    void *(*create)(const struct point *point, const struct run_context *context);
    void (*destroy)(void *bench);
    /** Runs one repetition. */
    void (*repeat)(void *bench, struct result *result);
    /** The record of a repetition. NULL: of what the tables say; release with json_decref */
    json_t *(*record)(void *bench, const struct result *result);
    /** Prints lines below the row of a point, indented by four spaces. NULL: none. */
    void (*remark)(const struct point *point, const struct result *results, size_t count);
};

/** The first key of a program's own options; they are at most OWN_OPTIONS_MAX. */
enum { PROGRAM_KEY_OWN = 1024, OWN_OPTIONS_MAX = 20 };

/** Threads of the team of a point. */
size_t point_threads(const struct point *point);

/** Another process of the same run reports: from now on this one prints nothing that both would, and writes no
 * records. To be called by `begin`. */
void program_be_silent(struct program_options *options);

/** All of main. @return the exit status */
int program_main(const struct program *program, int argc, char **argv);

#endif
