/* SPDX-License-Identifier: BSD-3-Clause
 * Prepares the process for measurements, or refuses: the environment that runtimes and OpenBLAS read
 * at start, the libraries actually loaded, the machine. */
#ifndef POLLUX_COMMON_SETUP_H
#define POLLUX_COMMON_SETUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/identity/blas_identity.h"
#include "common/identity/runtime_identity.h"
#include "common/machine/topology.h"

/** What is known of process and machine after setup_create. */
struct setup {
    struct runtime_identity runtime;
    struct blas_identity blas;
    struct topology *topology;
    size_t allowed; /**< logical processors the process may use */
    double quota;   /**< processors' worth of time that its control groups allow; else INFINITY */
    json_t *environment_found; /**< as the user set it */
    json_t *environment_set;   /**< what the program set for itself */
};

/** What the runs need of the process. */
struct setup_needs {
    int priority_max;        /**< the highest priority of a task; 0: priorities are switched off */
    const char *tool_option; /**< the option that needs the OMPT tool; NULL: nothing needs it */
    bool nested;             /**< parallel regions are opened inside others */
    bool no_blas;            /**< no BLAS is called: none is looked for */
};

/** Whether task priorities have an effect in this process. */
enum priorities {
    PRIORITIES_OFF,            /**< switched off, or the runtime has none */
    PRIORITIES_WITHOUT_EFFECT, /**< switched on, but the runtime ignores them */
    PRIORITIES_IN_FORCE,
    PRIORITIES_UNKNOWN /**< switched on; whether the runtime honours them is unknown */
};

/** @param[out] evidence why they have no effect although switched on, else NULL */
enum priorities setup_priorities(const struct setup *setup, const char **evidence);

/** Prepares the process; restarts it where the environment has to change. Ends the program with
 * one line and status POLLUX_MACHINE if something cannot be corrected. */
void setup_create(struct setup *setup, const struct setup_needs *needs, char **argv);

void setup_destroy(struct setup *setup);

#endif
