/* SPDX-License-Identifier: BSD-3-Clause
 * Every thread's partitions lie in memory of its own, which the system places where it is first written. It is
 * new for each mesh: a heap would hand out pages that another thread wrote first. */
#include "micro/clomp/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"

/* From the ratios of public versions of CLOMP: zones of the first partition take 1.5 / zones of what remains, those of
 * the last nearly 2.5 / zones. */
static const double FIRST_RATIO = 1.5;

static size_t partition_bytes(const struct mesh_shape *shape)
{
    const size_t line = _Alignof(struct partition);
    size_t bytes = saturating_multiply(shape->zones, shape->zone_bytes);
    return saturating_add(bytes, sizeof(struct partition) + line - 1) / line * line;
}

size_t mesh_bytes(const struct mesh_shape *shape)
{
    return saturating_multiply(shape->partitions,
                               saturating_add(partition_bytes(shape), sizeof(struct partition *)));
}

void mesh_share(const struct mesh *mesh, size_t thread, size_t *begin, size_t *end)
{
    size_t each = mesh->shape.partitions / mesh->threads;
    size_t larger_ones = mesh->shape.partitions % mesh->threads;
    *begin = thread * each + smaller(thread, larger_ones);
    *end = *begin + each + (thread < larger_ones);
}

static struct zone *zone_at(const struct mesh *mesh, char *zones, size_t index)
{
    void *zone = zones + index * mesh->shape.zone_bytes;
    return zone;
}

static void build_partition(struct mesh *mesh, size_t p, void *memory)
{
    const struct mesh_shape *shape = &mesh->shape;
    struct partition *partition = memory;
    char *zones = (char *)memory + sizeof *partition;
    double partitions = (double)shape->partitions;
    *partition = (struct partition){.ratio = (FIRST_RATIO * partitions + (double)p) /
                                             ((double)shape->zones * partitions),
                                    .first = zone_at(mesh, zones, 0)};
    for (size_t z = 0; z < shape->zones; z++)
        *zone_at(mesh, zones, z) =
            (struct zone){.partition = p,
                          .index = z,
                          .next = z + 1 < shape->zones ? zone_at(mesh, zones, z + 1) : NULL};
    mesh->partition[p] = partition;
}

/* Allocates and writes the partitions begin … end - 1, on the thread that calls it. */
static void *build_partitions(struct mesh *mesh, size_t begin, size_t end)
{
    size_t each = partition_bytes(&mesh->shape);
    if (begin == end)
        return NULL;
    char *memory = mmap(NULL, (end - begin) * each, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        message_fatal(POLLUX_MACHINE, "no memory for %zu partitions of %zu zones",
                      mesh->shape.partitions, mesh->shape.zones);
    for (size_t p = begin; p < end; p++)
        build_partition(mesh, p, memory + (p - begin) * each);
    return memory;
}

static void build_share(void *argument, size_t thread)
{
    struct mesh *mesh = argument;
    size_t begin, end;
    if (!mesh->shape.threaded || thread >= mesh->threads)
        return;
    mesh_share(mesh, thread, &begin, &end);
    mesh->memory[thread] = build_partitions(mesh, begin, end);
}

static void build(struct mesh *mesh)
{
    size_t team = team_each(mesh->threads, build_share, mesh);
    if (!mesh->shape.threaded)
        mesh->memory[0] = build_partitions(mesh, 0, mesh->shape.partitions);
    team_require_given(team, mesh->threads);
}

/* Where deposits no longer change: with a part f of each deposit left over, residues r of all partitions solve
 * r = f (1 + r). */
static void find_residues(struct mesh *mesh)
{
    double all = 0.0, first;
    mesh->deposits.value = 1.0 / (double)mesh->shape.partitions;
    for (size_t p = 0; p < mesh->shape.partitions; p++) {
        mesh_update(mesh, p);
        all += mesh->partition[p]->residue;
    }
    first = mesh->partition[0]->residue;
    mesh->first_factor = first > 0.0 ? all / first : 0.0;
    mesh->most_residue = all / (1.0 - all);
}

struct mesh *mesh_create(const struct mesh_shape *shape, size_t threads)
{
    struct mesh *mesh = aligned_alloc(_Alignof(struct mesh), sizeof *mesh);
    struct partition **partition = calloc(shape->partitions, sizeof *partition);
    void **memory = calloc(threads, sizeof *memory);
    if (!mesh || !partition || !memory)
        message_fatal(POLLUX_MACHINE, "no memory for %zu partitions", shape->partitions);
    *mesh = (struct mesh){
        .shape = *shape, .partition = partition, .threads = threads, .memory = memory};
    build(mesh);
    find_residues(mesh);
    mesh_reset(mesh);
    return mesh;
}

void mesh_destroy(struct mesh *mesh)
{
    size_t each = partition_bytes(&mesh->shape);
    for (size_t thread = 0; thread < mesh->threads; thread++) {
        size_t begin = 0, end = mesh->shape.partitions;
        if (mesh->shape.threaded)
            mesh_share(mesh, thread, &begin, &end);
        if (mesh->memory[thread])
            munmap(mesh->memory[thread], (end - begin) * each);
    }
    free(mesh->memory);
    free(mesh->partition);
    free(mesh);
}

void mesh_reset(struct mesh *mesh)
{
    for (size_t p = 0; p < mesh->shape.partitions; p++) {
        struct partition *partition = mesh->partition[p];
        partition->residue = 0.0;
        partition->updates = 0;
        for (struct zone *zone = partition->first; zone; zone = zone->next)
            zone->value = 0.0;
    }
    mesh->deposits = (struct deposits){0};
}

/* Reads the residue of a partition, after all deposits up to now. The mark is read as an atomic: where a runtime
 * breaks the order, it is written at this moment, and that must be found, not be undefined. */
static double residue_of(struct mesh *mesh, size_t p)
{
    struct partition *partition = mesh->partition[p];
    if (__atomic_load_n(&partition->updates, __ATOMIC_RELAXED) != mesh->deposits.calculated &&
        mesh->deposits.late_at == 0) {
        mesh->deposits.late = p;
        mesh->deposits.late_at = mesh->deposits.calculated + 1;
    }
    return partition->residue;
}

void mesh_deposit(struct mesh *mesh)
{
    double residue = 0.0;
    if (mesh->message)
        mesh->message(mesh->deposits.calculated);
    if (mesh->shape.first_residue)
        residue = residue_of(mesh, 0) * mesh->first_factor;
    else
        for (size_t p = 0; p < mesh->shape.partitions; p++)
            residue += residue_of(mesh, p);
    mesh->deposits.calculated++;
    mesh->deposits.value = (1.0 + residue) / (double)mesh->shape.partitions;
}

/* @return what is left over */
static double deposit_once(struct partition *partition, double remaining)
{
    for (struct zone *zone = partition->first; zone; zone = zone->next) {
        double deposit = remaining * partition->ratio;
        zone->value += deposit;
        remaining -= deposit;
    }
    return remaining;
}

/* Each scale deposits again in the same zone. */
static double deposit_scaled(struct partition *partition, double remaining, size_t flop_scale)
{
    for (struct zone *zone = partition->first; zone; zone = zone->next)
        for (size_t scale = 0; scale < flop_scale; scale++) {
            double deposit = remaining * partition->ratio;
            zone->value += deposit;
            remaining -= deposit;
        }
    return remaining;
}

void mesh_update(struct mesh *mesh, size_t p)
{
    double deposit = mesh->deposits.value;
    struct partition *partition = mesh->partition[p];
    size_t updates = __atomic_load_n(&partition->updates, __ATOMIC_RELAXED);
    size_t flop_scale = mesh->shape.flop_scale;
    partition->residue = flop_scale == 1 ? deposit_once(partition, deposit)
                                         : deposit_scaled(partition, deposit, flop_scale);
    __atomic_store_n(&partition->updates, updates + 1, __ATOMIC_RELAXED);
}
