/* SPDX-License-Identifier: BSD-3-Clause
 * Memory for what is noted of tasks.
 *
 * An arena is a chain of blocks, filled one after the other. A runtime's threads come and go, so the
 * arenas are a list to which a thread adds its own at its first task. */
#include "common/ompt/arena.h"

#include <stdlib.h>

enum { TASKS_OF_A_BLOCK = 4096 };

struct block {
    struct noted_task tasks[TASKS_OF_A_BLOCK];
    struct block *next;
};

struct arena {
    alignas(CACHE_LINE) struct arena *next;
    struct block *blocks; /* in the order of their use */
    struct block *block;  /* the one from which tasks are taken; NULL before the first */
    size_t used;          /* tasks taken from it */
};

struct arena *arenas_add(struct arenas *arenas)
{
    struct arena *arena = aligned_alloc(alignof(struct arena), sizeof *arena);
    if (!arena)
        return NULL;
    *arena = (struct arena){.next = atomic_load(&arenas->first)};
    while (!atomic_compare_exchange_weak(&arenas->first, &arena->next, arena))
        ;
    return arena;
}

void arenas_rewind(struct arenas *arenas)
{
    for (struct arena *arena = atomic_load(&arenas->first); arena; arena = arena->next) {
        arena->block = arena->blocks;
        arena->used = 0;
    }
}

void arenas_destroy(struct arenas *arenas)
{
    struct arena *arena = atomic_exchange(&arenas->first, NULL);
    while (arena) {
        struct arena *next = arena->next;
        for (struct block *block = arena->blocks; block;) {
            struct block *after = block->next;
            free(block);
            block = after;
        }
        free(arena);
        arena = next;
    }
}

/* The block after the current one, which an earlier recording may have left; NULL if out of memory. */
static struct block *next_block(struct arena *arena)
{
    struct block **place = arena->block ? &arena->block->next : &arena->blocks;
    if (!*place) {
        struct block *block = aligned_alloc(alignof(struct block), sizeof *block);
        if (!block)
            return NULL;
        block->next = NULL;
        *place = block;
    }
    return *place;
}

struct noted_task *arena_take(struct arena *arena)
{
    if (!arena->block || arena->used == TASKS_OF_A_BLOCK) {
        struct block *block = next_block(arena);
        if (!block)
            return NULL;
        arena->block = block;
        arena->used = 0;
    }
    return &arena->block->tasks[arena->used++];
}
