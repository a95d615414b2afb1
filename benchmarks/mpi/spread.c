/* SPDX-License-Identifier: BSD-3-Clause
 * Tiles that live here come first in the storage, then the buffers of one step after another. */
#include "benchmarks/mpi/spread.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/log.h"
#include "benchmarks/mpi/tree.h"
#include "common/base/sizes.h"
#include "common/matrix/digest.h"
#include "common/matrix/input.h"
#include "common/run/verify.h"

static size_t first_from(size_t first, size_t place, size_t count)
{
    return first + (place + count - first % count) % count;
}

size_t first_row_here(size_t first)
{
    return first_from(first, world()->row, world()->rows);
}

size_t first_column_here(size_t first)
{
    return first_from(first, world()->column, world()->columns);
}

static bool exists(const struct spreading *about, size_t i, size_t j)
{
    return !about->lower || i >= j;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The ranks found so far. */
struct route {
    int *ranks;
    size_t count;
};

static void add_reader(void *argument, size_t i, size_t j)
{
    struct route *route = argument;
    int owner = world_owner(i, j);
    for (size_t r = 0; r < route->count; r++)
        if (route->ranks[r] == owner)
            return;
    route->ranks[route->count++] = owner;
}

static size_t find_route(const struct spreading *about, const struct tile_matrix *A, size_t i,
                         size_t j, int *ranks)
{
    struct route route = {ranks, 1};
    ranks[0] = about->panels_together ? world_owner(smaller(i, j), j) : world_owner(i, j);
    add_reader(&route, i, j);
    about->for_readers(A, i, j, add_reader, &route);
    qsort(ranks + 1, route.count - 1, sizeof *ranks, compare_ranks);
    return route.count;
}

size_t spread_route(const struct spread *s, size_t i, size_t j, int *ranks)
{
    return find_route(s->about, s->A, i, j, ranks);
}

/* What this rank needs, from the sizes alone. */
struct needs {
    size_t here, buffers, transfers;
};

/* Tiles of step k: those in its row and column, from the diagonal on. */
static size_t tiles_of_step(const struct tile_matrix *A, size_t k)
{
    return A->mt - k + A->nt - k - 1;
}

static void tile_of_step(const struct tile_matrix *A, size_t k, size_t index, size_t *i, size_t *j)
{
    bool below = index < A->mt - k;
    *i = below ? k + index : k;
    *j = below ? k : k + 1 + index - (A->mt - k);
}

static void count_if_here(void *argument, size_t i, size_t j)
{
    size_t *count = argument;
    *count += is_here(i, j);
}

/* What this rank has to do with a tile. */
struct part {
    struct tree_place tree; /* that the final tile takes */
    size_t moves;           /* to this rank */
    bool buffered;          /* it comes here and lives elsewhere */
};

static struct part part_in(const struct problem *p, const struct spreading *about,
                           const struct tile_matrix *A, size_t i, size_t j, int *ranks)
{
    size_t count = find_route(about, A, i, j, ranks);
    struct part part = {.tree = tree_place(ranks, count, world()->rank)};
    if (about->for_moves)
        about->for_moves(p, A, i, j, count_if_here, &part.moves);
    part.buffered = !is_here(i, j) && (part.tree.place != TREE_ABSENT || part.moves > 0);
    return part;
}

/* Counts one tile, which leaves a rank as often as it is moved there. @return whether it needs a buffer here */
static bool count_tile(const struct problem *p, const struct spreading *about,
                       const struct tile_matrix *A, size_t i, size_t j, int *ranks,
                       struct needs *needs)
{
    struct part part = part_in(p, about, A, i, j, ranks);
    needs->here += is_here(i, j);
    needs->transfers += (1 + about->shared_again + about->companions) *
                            ((part.tree.parent >= 0) + part.tree.children) +
                        2 * part.moves;
    return part.buffered;
}

/* As many steps as --ahead says, if there are so many. */
static size_t sets_of_buffers(const struct problem *p, const struct spreading *about,
                              const struct tile_matrix *A)
{
    size_t least = about->least_ahead ? about->least_ahead(p, A) : 1;
    return smaller(larger(world()->ahead, least), smaller(A->mt, A->nt));
}

static struct needs count_needs(const struct problem *p, const struct spreading *about,
                                const struct tile_matrix *A, int *ranks)
{
    struct needs needs = {0};
    for (size_t k = 0; k < smaller(A->mt, A->nt); k++) {
        size_t received = 0;
        for (size_t index = 0; index < tiles_of_step(A, k); index++) {
            size_t i, j;
            tile_of_step(A, k, index, &i, &j);
            if (exists(about, i, j))
                received += count_tile(p, about, A, i, j, ranks, &needs);
        }
        needs.buffers = larger(needs.buffers, received);
    }
    needs.buffers = saturating_multiply(needs.buffers, sets_of_buffers(p, about, A));
    return needs;
}

/* The grid of tiles alone: nothing is stored. */
static struct tile_matrix shape_of(const struct problem *p)
{
    size_t nb = smaller(p->nb, p->n);
    size_t nt = ceiling(p->n, nb);
    return (struct tile_matrix){.m = p->n, .n = p->n, .mb = nb, .nb = nb, .mt = nt, .nt = nt};
}

static int *list_of_ranks(void)
{
    return malloc((size_t)world()->ranks * sizeof(int));
}

/* Of this rank; the others may need a tile more. SIZE_MAX where there is no memory to count in. */
static struct needs needs_of(const struct problem *p, const struct spreading *about)
{
    const struct tile_matrix shape = shape_of(p);
    int *ranks = list_of_ranks();
    struct needs needs = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    if (ranks)
        needs = count_needs(p, about, &shape, ranks);
    free(ranks);
    return needs;
}

/* MPI counts the elements of a message in an int. */
static void require_messages(const struct problem *p, const struct spreading *about)
{
    const struct tile_matrix shape = shape_of(p);
    size_t elements = saturating_multiply(tile_leading_dimension(shape.mb), shape.nb);
    if (world()->ranks == 1)
        return;
    if (elements > INT_MAX)
        world_refuse(POLLUX_MACHINE,
                     "tiles of %zu x %zu have more elements than a message of MPI: choose smaller "
                     "tiles",
                     shape.mb, shape.nb);
    if (message_tags(&shape, about->last_kind) > world()->largest_tag)
        world_refuse(POLLUX_MACHINE,
                     "%zu x %zu tiles are more than this MPI has tags for (%zu): choose larger "
                     "tiles",
                     shape.mt, shape.nt, world()->largest_tag);
}

/* For the memory check. So many tiles that counting them would take long are not counted: these have at least this
 * rank's share. */
static struct needs quick_needs_of(const struct problem *p, const struct spreading *about)
{
    const double most = 1 << 24;
    const struct tile_matrix shape = shape_of(p);
    double tiles = (double)shape.mt * (double)shape.nt / (about->lower ? 2.0 : 1.0);
    if (tiles <= most)
        return needs_of(p, about);
    return (struct needs){.here = (size_t)(tiles / (double)world()->ranks)};
}

/* All ranks on this machine take their memory from it. */
size_t spread_bytes(const struct problem *p, const struct spreading *about, size_t doubles)
{
    require_messages(p, about);
    struct needs needs = quick_needs_of(p, about);
    size_t tiles = saturating_add(needs.here, needs.buffers);
    size_t nb = smaller(p->nb, p->n);
    size_t matrix = tile_matrix_part_bytes(p->n, p->n, nb, nb, tiles);
    size_t table = saturating_multiply(saturating_multiply(ceiling(p->n, nb), ceiling(p->n, nb)),
                                       sizeof(double *));
    size_t companion = saturating_multiply(tiles, doubles * sizeof(double));
    return saturating_multiply(saturating_add(saturating_add(matrix, companion), table),
                               (size_t)world()->here);
}

/* Gives every tile of A, or of its companion, that lives here or is received here its place. */
static void place_tiles(const struct problem *p, const struct spread *s, struct tile_matrix *M,
                        int *ranks)
{
    const struct tile_matrix *A = s->A;
    size_t next = 0, sets = sets_of_buffers(p, s->about, A), each = s->buffers / sets;
    for (size_t k = 0; k < smaller(A->mt, A->nt); k++) {
        size_t buffer = s->here + k % sets * each;
        for (size_t index = 0; index < tiles_of_step(A, k); index++) {
            size_t i, j;
            tile_of_step(A, k, index, &i, &j);
            if (!exists(s->about, i, j))
                continue;
            if (is_here(i, j)) {
                s->tiles[next] = i + j * A->mt;
                M->column[i + j * A->mt] = tile_matrix_place(M, next++);
            } else if (part_in(p, s->about, A, i, j, ranks).buffered)
                M->column[i + j * A->mt] = tile_matrix_place(M, buffer++);
        }
    }
}

static bool allocate(struct problem *p, struct spread *s)
{
    int *ranks = list_of_ranks();
    struct needs needs = needs_of(p, s->about);
    size_t nb = smaller(p->nb, p->n), tiles = saturating_add(needs.here, needs.buffers);
    s->here = needs.here;
    s->buffers = needs.buffers;
    const struct tile_matrix shape = shape_of(p);
    s->transfers =
        saturating_add(needs.transfers, s->about->further ? s->about->further(&shape) : 0);
    s->bytes = tile_matrix_part_bytes(p->n, p->n, nb, nb, larger(tiles, 1));
    s->buffer_bytes = tile_matrix_part_bytes(p->n, p->n, nb, nb, needs.buffers);
    s->A = tile_matrix_create_part(p->n, p->n, nb, nb, larger(tiles, 1), p->interleave);
    s->tiles = calloc(larger(s->here, 1), sizeof *s->tiles);
    p->A = s->A;
    bool complete = s->A && s->tiles && ranks;
    if (complete)
        place_tiles(p, s, s->A, ranks);
    free(ranks);
    return complete;
}

int spread_create(struct problem *p, const struct spreading *about)
{
    struct spread *s = calloc(1, sizeof *s);
    p->spread = s;
    if (!s)
        return -1;
    s->about = about;
    return allocate(p, s) ? 0 : -1;
}

int spread_add_companion(struct problem *p, size_t which, size_t m, size_t n, size_t mb, size_t nb)
{
    struct spread *s = p->spread;
    size_t tiles = larger(s->here + s->buffers, 1);
    struct tile_matrix *M = tile_matrix_create_part(m, n, mb, nb, tiles, p->interleave);
    s->companions[which] = M;
    if (!M)
        return -1;
    int *ranks = list_of_ranks();
    if (!ranks)
        return -1;
    place_tiles(p, s, M, ranks);
    free(ranks);
    s->bytes += M->bytes;
    s->buffer_bytes += tile_matrix_part_bytes(m, n, mb, nb, s->buffers);
    return 0;
}

void spread_destroy(struct problem *p)
{
    if (p->spread) {
        for (size_t c = 0; c < COMPANIONS_MAX; c++)
            tile_matrix_destroy(p->spread->companions[c]);
        log_destroy(p->spread->log);
        free(p->spread->tiles);
    }
    free(p->spread); /* the driver releases p->A */
    p->spread = NULL;
}

void spread_generate(struct problem *p)
{
    struct tile_matrix *A = p->A;
    size_t rows = world()->rows;
#pragma omp parallel for schedule(static, 1) num_threads((int)p->threads)
    for (size_t j = world()->column; j < A->nt; j += world()->columns)
        for (size_t i = first_row_here(p->spread->about->lower ? j : 0); i < A->mt; i += rows)
            input_tile(&p->input, i * A->mb, j * A->nb, tile_at(A, i, j));
}

static const double *address_of(const struct spread *s, size_t index)
{
    return s->A->column[s->tiles[index]];
}

/* Among the tiles that live here. */
static bool locate_here(const struct spread *s, const void *object, size_t *i, size_t *j)
{
    size_t low = 0, high = s->here;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)address_of(s, middle) < (uintptr_t)object)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->here || address_of(s, low) != object)
        return false;
    *i = s->tiles[low] % s->A->mt;
    *j = s->tiles[low] / s->A->mt;
    return true;
}

bool spread_locate(const struct problem *p, size_t step, const void *object, size_t *i, size_t *j)
{
    if (locate_here(p->spread, object, i, j))
        return true;
    if (step == 0 || tile_address(p->A, step, step - 1) != object)
        return false;
    *i = step;
    *j = step - 1;
    return true;
}

uint64_t spread_digest(const struct problem *p)
{
    const struct tile_matrix *A = p->A;
    uint64_t digest = 0, sum;
    size_t rows = world()->rows;
#pragma omp parallel for schedule(static, 1) num_threads((int)p->threads)
    for (size_t j = world()->column; j < A->nt; j += world()->columns)
        for (size_t i = first_row_here(p->spread->about->lower ? j : 0); i < A->mt; i += rows) {
            bool triangle = p->spread->about->lower && i == j;
            uint64_t own = triangle ? digest_lower_tile(tile_at(A, i, j), i + j * A->mt)
                                    : digest_tile(tile_at(A, i, j), i + j * A->mt);
#pragma omp atomic
            digest += own;
        }
    MPI_Allreduce(&digest, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* A message that no rank has asked for. */
static void check_no_message_is_left(const struct spread *s)
{
    MPI_Status status;
    int found;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (!found)
        return;
    char words[64];
    message_words(message_name(s->A, status.MPI_TAG), words, sizeof words);
    world_fail(POLLUX_MACHINE,
               "%s has come from rank %d, but nobody asked for it: a message was doubled or went "
               "astray",
               words, status.MPI_SOURCE);
}

/* The smallest column at which a rank failed; 0: none did. */
static void agree_on_failure(struct execution *x)
{
    int64_t own = atomic_load(&x->failure), all;
    own = own == 0 ? INT64_MAX : own;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    atomic_store(&x->failure, all == INT64_MAX ? 0 : all);
}

/* Of this process, from its start on. */
static uint64_t peak_bytes(void)
{
    const uint64_t KIB = 1024;
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? KIB * (uint64_t)usage.ru_maxrss : 0;
}

void spread_conclude(struct problem *p, struct share *share)
{
    struct traffic *t = &p->spread->traffic;
    uint64_t counts[] = {share->tasks, t->messages, t->bytes}, sums[3];
    uint64_t memory[] = {peak_bytes(), p->spread->bytes, p->spread->buffer_bytes};
    double times[] = {share->seconds, -share->seconds}, most[2];
    p->spread->calls = share->tasks;
    check_no_message_is_left(p->spread);
    agree_on_failure(p->execution);
    MPI_Allreduce(counts, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(times, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *share = (struct share){.seconds = most[0], .tasks = sums[0]};
    MPI_Allreduce(MPI_IN_PLACE, memory, 3, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    *t = (struct traffic){sums[1], sums[2], -most[1], memory[0], memory[1], memory[2]};
}

json_t *spread_describe(const struct problem *p)
{
    const struct spread *s = p->spread;
    json_t *mpi = world_describe();
    size_t ahead = sets_of_buffers(p, s->about, s->A);
    json_object_set_new(mpi, "ahead", json_integer((json_int_t)ahead));
    json_object_set_new(mpi, "messages", json_integer((json_int_t)s->traffic.messages));
    json_object_set_new(mpi, "bytes", json_integer((json_int_t)s->traffic.bytes));
    json_object_set_new(mpi, "fastest_rank_seconds", json_real(s->traffic.fastest_seconds));
    json_object_set_new(mpi, "peak_rank_bytes", json_integer((json_int_t)s->traffic.peak_bytes));
    json_object_set_new(mpi, "matrix_bytes", json_integer((json_int_t)s->traffic.matrix_bytes));
    json_object_set_new(mpi, "in_flight_bytes",
                        json_integer((json_int_t)s->traffic.in_flight_bytes));
    return mpi;
}
