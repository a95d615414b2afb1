/* SPDX-License-Identifier: BSD-3-Clause */
#include "benchmarks/mpi/tree.h"

static size_t find(const int *ranks, size_t count, int rank)
{
    for (size_t v = 0; v < count; v++)
        if (ranks[v] == rank)
            return v;
    return TREE_ABSENT;
}

/* The lowest bit of a place; of the root one above all places. */
static size_t lowest_bit(size_t v, size_t count)
{
    size_t bit = 1;
    while (v == 0 ? bit < count : !(v & bit))
        bit <<= 1;
    return bit;
}

struct tree_place tree_place(const int *ranks, size_t count, int rank)
{
    size_t v = find(ranks, count, rank);
    struct tree_place place = {.place = v, .parent = -1};
    if (v == TREE_ABSENT)
        return place;
    size_t own = lowest_bit(v, count);
    if (v > 0)
        place.parent = ranks[v - own];
    for (size_t bit = own >> 1; bit > 0; bit >>= 1)
        if (v + bit < count)
            place.child[place.children++] = ranks[v + bit];
    return place;
}

size_t tree_messages(size_t count, size_t v)
{
    size_t messages = v > 0;
    for (size_t bit = lowest_bit(v, count) >> 1; bit > 0; bit >>= 1)
        messages += v + bit < count;
    return messages;
}
