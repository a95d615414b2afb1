/* SPDX-License-Identifier: BSD-3-Clause
 * The skeleton of a micro-benchmark: all of main but what is measured. A micro-benchmark fills in a struct
 * micro_program, and its main is `return micro_main(&program, argc, argv);`. Options, --list, the plan of every
 * combination of variants, sizes, parameters and threads, warm-ups, records, tables, CSV and the exit status follow
 * from the tables in it. In CMake: link Pollux::micro_program and call pollux_micro_benchmark(NAME). */
#ifndef POLLUX_MICRO_PROGRAM_H
#define POLLUX_MICRO_PROGRAM_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/process/setup.h"
#include "common/run/benchmark.h"
#include "common/run/quantity.h"

enum { MICRO_PARAMETERS_MAX = 8, MICRO_QUANTITIES_MAX = 16, MICRO_FAULT_SIZE = 160 };

/** One of the things that are measured: a pattern of tasks, a construct, a schedule. */
struct micro_variant {
    const char *name; /**< NULL ends the list */
    const char *summary;
    unsigned needs; /**< set of enum capability: what it needs beyond the base */
    bool missing;   /**< this build's compiler cannot express it */
    bool
        sequential; /**< it has one thread, whatever --threads says: run for the first value only */
    unsigned
        parameters; /**< set of those that it has, bit i for parameter i; others are null in records */
};

/** A column of the table, in the order in which they are printed; all of them fit into 80 characters. */
struct micro_column {
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
struct micro_size {
    const char *option; /**< long name: what the size counts; NULL: there is none */
    int key;            /**< its letter */
    const char *metavar, *summary;
    size_t standard;
};

/** One combination of the command line's lists. */
struct micro_point {
    const struct micro_variant *variant;
    size_t index; /**< of the variant in the list */
    size_t size;
    size_t parameter[MICRO_PARAMETERS_MAX];
    size_t threads;
};

/** What the process knows before a point is measured. */
struct micro_context {
    const struct setup *setup;
    uint64_t seed;
    double clock_ns; /**< one reading of the clock */
    bool first;      /**< no other point was measured before */
};

/** What a repetition gave. The skeleton sets the times, and has set every quantity to NaN. */
struct micro_result {
    int64_t start_unix_ns, end_unix_ns;
    double value[MICRO_QUANTITIES_MAX];       /**< of the quantities; NaN: not known */
    const char *reason[MICRO_QUANTITIES_MAX]; /**< why not; NULL where it is */
    bool passed;
    char fault
        [MICRO_FAULT_SIZE]; /**< what was wrong; empty where passed. Its quantities are forgotten. */
    json_t *figures;        /**< further numbers of the record: an object that the skeleton made */
    json_t *unknown;        /**< why figures of these names are null: likewise */
    json_t *details;        /**< further results that are no numbers: likewise */
    json_t *levels;         /**< threads of nested regions (docs/record.md); NULL: there are none */
};

/** A micro-benchmark. Pointers may be NULL where the text says so. */
struct micro_program {
    const char *name;    /**< of the executable */
    const char *summary; /**< what it measures: one sentence without its dot */
    const char *example; /**< options, for --help */
    const char *failure; /**< what status 1 means, as "tasks ran in a wrong order" */
    const char *title;   /**< what the numbers of the table are */
    bool blas;           /**< it calls BLAS */
    bool nested;         /**< it opens parallel regions inside others */

    const char *variant_option; /**< long name; --variant is another name for it */
    int variant_key;            /**< its letter */
    const char *variant_summary;
    /** The list of variants: entry `index`, or one without a name behind the last. */
    struct micro_variant (*variant)(size_t index);
    struct micro_size size;
    const struct parameter *parameters; /**< names must differ from those of all other options */
    size_t parameter_count;
    const struct quantity *quantities; /**< the first one is the headline */
    size_t quantity_count;
    const struct micro_column *columns;
    /** A derived value of the table, from all repetitions of a point. NULL: there are none. */
    double (*derive)(size_t index, const struct micro_result *results, size_t count);
    const char *const *csv_figures; /**< those that CSV has besides, ended by NULL; or NULL */

    const struct argp_option *options; /**< further options, keys from MICRO_KEY_OWN; or NULL */
    /** Takes one of them; bad values end the program with POLLUX_USAGE. NULL: there are none. */
    void (*take_option)(int key, const char *text);
    /** Ends the program with POLLUX_USAGE where a parameter in its range cannot have this value. NULL: it can. */
    void (*check_parameter)(size_t parameter, size_t value);
    /** Ends the program with POLLUX_USAGE where options exclude each other. NULL: none do. */
    void (*check_options)(const struct micro_point *point);
    /** The highest priority of a task that a value of a parameter asks for. NULL: no task has one. */
    int (*priority)(size_t parameter, size_t value);
    /** What a point needs beyond its variant, a set of enum capability. NULL: nothing. */
    unsigned (*needs)(const struct micro_point *point);
    /** Replaces the size by one that the variant can have. NULL: it can have all. */
    size_t (*fit)(const struct micro_point *point);
    /** Threads that exist at once, those of regions inside others included. NULL: those of the team. */
    size_t (*all_threads)(const struct micro_point *point);
    /** Bytes of memory that it needs; SIZE_MAX if that overflows. NULL: next to none. */
    size_t (*bytes)(const struct micro_point *point);
    /** Ends the program with POLLUX_MACHINE where the machine lacks something other than memory. NULL: nothing. */
    void (*require)(const struct micro_point *point);

    /** Prepares a point; what it returns is handed to the others. */
    void *(*create)(const struct micro_point *point, const struct micro_context *context);
    void (*destroy)(void *bench);
    /** Runs one repetition. */
    void (*repeat)(void *bench, struct micro_result *result);
    /** Prints lines below the row of a point, indented by four spaces. NULL: none. */
    void (*remark)(const struct micro_point *point, const struct micro_result *results,
                   size_t count);
};

/** The first key of a program's own options. */
enum { MICRO_KEY_OWN = 1024 };

/** Marks a repetition as failed; the first fault is kept. */
__attribute__((format(printf, 2, 3))) void micro_fail(struct micro_result *result,
                                                      const char *format, ...);

/** Sets a figure of the record; null where the number is not finite. */
void micro_set_figure(struct micro_result *result, const char *name, double value);

/** Median of those values of a quantity that are known; NaN where none is. */
double micro_median(const struct micro_result *results, size_t count, size_t quantity);

/** All of main. @return the exit status */
int micro_main(const struct micro_program *program, int argc, char **argv);

#endif
