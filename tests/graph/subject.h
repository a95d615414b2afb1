/* SPDX-License-Identifier: BSD-3-Clause
 * One variant of one benchmark on one matrix, for programs in C++ that look at its task graph. */
#ifndef POLLUX_TESTS_GRAPH_SUBJECT_H
#define POLLUX_TESTS_GRAPH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct subject;

/** Called for every kernel call and each object it touches. */
typedef void (*subject_callback)(void *context, const char *kernel, size_t step,
                                 const void *const *objects, const bool *written, size_t count);

/** Whether the benchmark accepts that matrix in those tiles. */
bool subject_takes(const char *benchmark, size_t m, size_t n, size_t mb, size_t nb);

/** @return NULL if there is no such variant in this build */
struct subject *subject_create(const char *benchmark, const char *variant, size_t m, size_t n,
                               size_t mb, size_t nb, size_t ib, uint64_t seed);

/** The same for a square problem, with these values of the benchmark's parameters. */
struct subject *subject_create_with(const char *benchmark, const char *variant, size_t n, size_t nb,
                                    const size_t *parameters, uint64_t seed);
void subject_destroy(struct subject *subject);

/** The sequential variant of the same algorithm and digest group, on the same matrix.
 * @return NULL if there is none */
struct subject *subject_create_sequential(const struct subject *subject);

/** Whether the variant uses only what every runtime supports. */
bool subject_is_base(const struct subject *subject);

/** The variant's own count of its tasks with dependences, for each tile that a step updates. */
unsigned subject_tasks_per_update(const struct subject *subject);

/** The most tasks that the benchmark states for the variant; HUGE_VAL where it states none. */
double subject_tasks_at_most(const struct subject *subject);

/** Generates the matrix again. */
void subject_reset(struct subject *subject);

void subject_observe(struct subject *subject, subject_callback callback, void *context);

/** The same while kernels compute nothing. */
void subject_describe(struct subject *subject, subject_callback callback, void *context);

struct problem;

/** Replaces the variant's task graph. */
void subject_plant(struct subject *subject, void (*submit)(struct problem *problem));

/** Creates the tasks, on the calling thread. */
void subject_submit(struct subject *subject);

bool subject_failed(const struct subject *subject);
uint64_t subject_digest(const struct subject *subject);

/** Tile coordinates of an object, if it is a tile of the matrix. */
bool subject_locate(const struct subject *subject, const void *object, size_t *i, size_t *j);

#ifdef __cplusplus
}
#endif

#endif
