/* SPDX-License-Identifier: BSD-3-Clause
 * The matrix of a problem: its pattern, its memory and its elements, and what is reported of them.
 *
 * Symbolic elimination is done before the timed region. It decides how much memory is reserved and how many
 * operations are counted; the task graphs find the blocks that fill in by themselves. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/sparselu/sparselu.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/machine/host.h"
#include "common/matrix/digest.h"

static struct sparselu_factors *factors(const struct problem *p)
{
    return p->factors;
}

struct block_matrix *sparselu_blocks(const struct problem *p)
{
    return &factors(p)->blocks;
}

struct input sparselu_values(const struct problem *p)
{
    /* A file is the same matrix for all seeds. */
    uint64_t seed = p->input.kind == INPUT_FILE ? 0 : p->input.seed;
    return (struct input){.kind = INPUT_DOMINANT, .m = p->n, .n = p->n, .seed = seed};
}

static size_t block_order(const struct problem *p)
{
    return smaller(p->nb, p->n);
}

/* The blocks of A. */
static bool create_pattern(const struct problem *p, struct block_pattern *pattern)
{
    size_t nb = block_order(p);
    if (!pattern_create(pattern, ceiling(p->n, nb)))
        return false;
    if (p->input.kind == INPUT_FILE)
        pattern_add_elements(pattern, p->input.elements, p->n, nb);
    else
        pattern_add_rule(pattern, (enum pattern_rule)p->parameters[0]);
    return true;
}

/* What is known after symbolic elimination. */
struct prediction {
    bool known;          /* false: out of memory, or too many blocks */
    size_t blocks;       /* of L + U, or of A alone where there was no elimination */
    double flops, tasks; /* NaN where they are not known */
};

/* Symbolic elimination; none where A alone takes more than `most_bytes`: that may take minutes. */
static struct prediction predict(const struct problem *p, size_t most_bytes)
{
    size_t nb = block_order(p);
    struct block_pattern filled;
    struct prediction prediction = {
        .known = create_pattern(p, &filled), .flops = NAN, .tasks = NAN};
    if (prediction.known)
        prediction.blocks = pattern_count(&filled);
    if (prediction.known && blocks_bytes(p->n, nb, prediction.blocks) <= most_bytes) {
        pattern_fill_in(&filled);
        prediction.blocks = pattern_count(&filled);
        prediction.flops = pattern_flops(&filled, p->n, nb);
        prediction.tasks = pattern_tasks(&filled);
    }
    pattern_destroy(&filled);
    return prediction;
}

double sparselu_operations(const struct problem *p)
{
    return p->factors ? factors(p)->flops : predict(p, host_available_bytes()).flops;
}

double sparselu_tasks(const struct problem *p, const struct variant *variant)
{
    (void)variant; /* all call the same kernels */
    return predict(p, host_available_bytes()).tasks;
}

void sparselu_require(const struct problem *p)
{
    size_t nt = ceiling(p->n, block_order(p));
    if (nt > PATTERN_MOST)
        message_fatal(POLLUX_MACHINE,
                      "N = %zu has %zu rows of blocks of order %zu, more than %d: choose a smaller "
                      "configuration, or larger blocks (--tile)",
                      p->n, nt, block_order(p), PATTERN_MOST);
}

/* A column of blocks and two blocks for each thread, or the vectors of the probes. */
size_t sparselu_verify_bytes(const struct problem *p, enum check check)
{
    (void)check; /* the same for each */
    size_t rows = saturating_add(p->n, 2 * block_order(p));
    size_t columns = larger(saturating_multiply(block_order(p), p->threads), (size_t)4 * PROBES);
    return saturating_multiply(saturating_multiply(rows, columns), sizeof(double));
}

size_t sparselu_bytes(const struct problem *p)
{
    struct prediction prediction = predict(p, host_available_bytes());
    size_t nb = block_order(p), nt = ceiling(p->n, nb);
    if (!prediction.known)
        return SIZE_MAX;
    size_t bytes = blocks_bytes(p->n, nb, prediction.blocks);
    return saturating_add(bytes, saturating_multiply(2 * nt, nt));
}

/* Stores the blocks of A, column by column, and no other. */
static void place_blocks(struct problem *p)
{
    const struct block_pattern *pattern = &factors(p)->pattern;
    struct block_matrix *A = sparselu_blocks(p);
    blocks_clear(A);
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->nt; i++)
            if (pattern_has(pattern, i, j))
                block_appear(A, i, j);
}

int sparselu_create(struct problem *p)
{
    struct prediction prediction = predict(p, SIZE_MAX);
    struct sparselu_factors *f = calloc(1, sizeof *f);
    p->factors = f;
    if (!f || !prediction.known || !create_pattern(p, &f->pattern) ||
        !blocks_create(&f->blocks, p->n, block_order(p), prediction.blocks, p->interleave))
        return -1;
    f->flops = prediction.flops;
    place_blocks(p);
    return 0;
}

void sparselu_destroy(struct problem *p)
{
    if (!p->factors)
        return;
    pattern_destroy(&factors(p)->pattern);
    blocks_destroy(&factors(p)->blocks);
    free(p->factors);
    p->factors = NULL;
}

static void fill_with_nan(struct tile t)
{
    for (size_t j = 0; j < t.cols; j++)
        for (size_t i = 0; i < t.rows; i++)
            t.a[i + j * t.ld] = NAN;
}

/* Memory of blocks to come contains NaN: an update that reads it before another has written it fails. */
void sparselu_generate(struct problem *p)
{
    struct block_matrix *A = sparselu_blocks(p);
    const struct input values = sparselu_values(p);
    place_blocks(p);
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t s = 0; s < A->pool->nt; s++) {
        size_t i = A->index[s] % A->nt, j = A->index[s] / A->nt;
        if (s < A->used)
            input_tile(&values, i * A->nb, j * A->nb, block_at(A, i, j));
        else
            fill_with_nan(tile_at(A->pool, 0, s));
    }
}

uint64_t sparselu_digest(const struct problem *p)
{
    const struct block_matrix *A = sparselu_blocks(p);
    uint64_t digest = 0;
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t s = 0; s < A->used; s++) {
        size_t index = A->index[s];
        uint64_t own = digest_tile(block_at(A, index % A->nt, index / A->nt), index);
#pragma omp atomic
        digest += own;
    }
    return digest;
}

size_t sparselu_figures(const struct problem *p, double seconds, struct figure *figures)
{
    const struct block_matrix *A = sparselu_blocks(p);
    double input = (double)pattern_count(&factors(p)->pattern), stored = (double)A->used;
    double all = (double)A->nt * (double)A->nt;
    const struct figure list[] = {{"blocks", input},
                                  {"fill_in_blocks", stored - input},
                                  {"load_percent", 100.0 * stored / all}};
    size_t count = sizeof list / sizeof *list;
    (void)seconds;
    for (size_t i = 0; i < count; i++)
        figures[i] = list[i];
    return count;
}

void sparselu_coordinates(const struct problem *p, size_t k, const void *object, size_t *i,
                          size_t *j)
{
    (void)k;
    blocks_locate(sparselu_blocks(p), object, i, j);
}
