/* SPDX-License-Identifier: BSD-3-Clause
 * CLOMP's mesh: partitions, each a linked list of zones, and the substance that is deposited in them.
 * Bronevetsky, Gyllenhaal, de Supinski: CLOMP, International Journal of Parallel Programming 37(3), 2009. */
#ifndef POLLUX_MICRO_CLOMP_MESH_H
#define POLLUX_MICRO_CLOMP_MESH_H

#include <stdbool.h>
#include <stddef.h>

/** A zone begins with this; `zone_bytes` of the mesh may be more. */
struct zone {
    size_t partition, index;
    double value; /**< what has been deposited here */
    struct zone *next;
};

/** The head of a partition's memory; its zones follow. */
struct partition {
    double ratio;   /**< of what remains of a deposit, the part that goes to a zone */
    double residue; /**< what the last deposit left over */
    size_t updates; /**< deposits since the reset */
    struct zone *first;
} __attribute__((aligned(64)));

struct mesh_shape {
    size_t partitions, zones, zone_bytes, flop_scale;
    bool
        threaded; /**< each thread allocates its own partitions; else the first one allocates all */
    bool first_residue; /**< the deposit follows from the residue of the first partition alone */
};

enum {
    ZONE_BYTES_MIN = sizeof(struct zone),
    ZONES_MIN = 3, /* with fewer, the ratio of a zone would be more than 1 */
};

/** What every deposit writes, on a cache line of its own: all threads read the rest of the mesh. */
struct deposits {
    double value;      /**< of the loop that runs now, for each partition */
    size_t calculated; /**< since the reset */
    size_t late;       /**< the first partition not updated exactly once for each deposit … */
    size_t late_at;    /**< … when this one was calculated, from 1; 0: none */
} __attribute__((aligned(64)));

struct mesh {
    struct mesh_shape shape;
    struct partition **partition;
    size_t threads; /**< that allocated it, and `memory` of each */
    void **memory;
    double first_factor; /**< the residues of all partitions over that of the first */
    double most_residue; /**< what the residues of all partitions come close to, never more */
    void (*message)(
        size_t
            number); /**< sent by each deposit, with the number of those before it; NULL: none is */
    struct deposits deposits;
};

/** Bytes that it needs; SIZE_MAX if that overflows. */
size_t mesh_bytes(const struct mesh_shape *shape);

/** Allocates a mesh and resets it. Ends the program with POLLUX_MACHINE if out of memory, or where the runtime
 * gives fewer threads. */
struct mesh *mesh_create(const struct mesh_shape *shape, size_t threads);

void mesh_destroy(struct mesh *mesh);

/** Empties all zones. */
void mesh_reset(struct mesh *mesh);

/** The first of the partitions that belong to a thread, and the first of those that do not any more: equal shares,
 * the first ones a partition larger where they do not divide. */
void mesh_share(const struct mesh *mesh, size_t thread, size_t *begin, size_t *end);

/** Calculates the deposit of the next loop: an equal share of one unit and of all residues. Notes which partition
 * had not been updated after each deposit before. */
void mesh_deposit(struct mesh *mesh);

/** Deposits in the zones of a partition, one after the other. */
void mesh_update(struct mesh *mesh, size_t partition);

#endif
