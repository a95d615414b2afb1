/* SPDX-License-Identifier: BSD-3-Clause
 * Exact comparisons are right here: sums are formed in the same order by every schedule, and zone values fall
 * because rounding keeps the order of what it rounds. */
#include "micro/clomp/checks.h"

#include <math.h>
#include <stdio.h>

/* The sum may be off by this, or by this much of it: it is formed in another order than the deposits. */
static const double SUM_TOLERANCE = 1e-5, RELATIVE_TOLERANCE = 1e-9;

/* Residues may exceed their limit by this, from rounding. */
static const double RESIDUE_TOLERANCE = 1e-6;

void outcomes_read(const struct mesh *mesh, struct deposit_outcome *outcomes)
{
    for (size_t p = 0; p < mesh->shape.partitions; p++)
        outcomes[p] =
            (struct deposit_outcome){mesh->partition[p]->first->value, mesh->partition[p]->residue};
}

/* The first zone alone, as mesh_update does it. */
static double first_value(double ratio, double deposit, size_t flop_scale, size_t loops)
{
    double value = 0.0;
    for (size_t l = 0; l < loops; l++) {
        double remaining = deposit;
        for (size_t scale = 0; scale < flop_scale; scale++) {
            value += remaining * ratio;
            remaining -= remaining * ratio;
        }
    }
    return value;
}

static double residue(double ratio, double remaining, size_t times)
{
    for (size_t i = 0; i < times; i++)
        remaining -= remaining * ratio;
    return remaining;
}

void outcomes_of_fixed(const struct mesh *mesh, double deposit, size_t loops,
                       struct deposit_outcome *outcomes)
{
    size_t flop_scale = mesh->shape.flop_scale;
    for (size_t p = 0; p < mesh->shape.partitions; p++) {
        double ratio = mesh->partition[p]->ratio;
        outcomes[p] =
            (struct deposit_outcome){first_value(ratio, deposit, flop_scale, loops),
                                     residue(ratio, deposit, mesh->shape.zones * flop_scale)};
    }
}

/* The loop in which a schedule broke the order, or a partition that was left out. */
static bool check_updates(const struct mesh *mesh, size_t loops, char *fault, size_t size)
{
    if (mesh->deposits.late_at > 0) {
        snprintf(fault, size,
                 "deposit %zu was calculated when partition %zu had not been updated exactly once "
                 "for each deposit before",
                 mesh->deposits.late_at, mesh->deposits.late);
        return false;
    }
    for (size_t p = 0; p < mesh->shape.partitions; p++)
        if (mesh->partition[p]->updates != loops) {
            snprintf(fault, size, "partition %zu was updated %zu times in %zu loops", p,
                     mesh->partition[p]->updates, loops);
            return false;
        }
    return true;
}

static bool check_exact(const struct mesh *mesh, const struct deposit_outcome *expected,
                        char *fault, size_t size)
{
    for (size_t p = 0; p < mesh->shape.partitions; p++) {
        const struct partition *partition = mesh->partition[p];
        if (partition->first->value != expected[p].first_value) {
            snprintf(fault, size,
                     "partition %zu: its first zone has %.17g, the serial loops gave %.17g", p,
                     partition->first->value, expected[p].first_value);
            return false;
        }
        if (partition->residue != expected[p].residue) {
            snprintf(fault, size,
                     "partition %zu: its residue is %.17g, that of the serial loops %.17g", p,
                     partition->residue, expected[p].residue);
            return false;
        }
    }
    return true;
}

/* Adds up the zones of a partition. */
static bool check_zones(const struct partition *partition, double *sum, char *fault, size_t size)
{
    double last = partition->first->value;
    for (const struct zone *zone = partition->first; zone; zone = zone->next) {
        if (!(zone->value >= 0.0 && zone->value <= last)) {
            snprintf(fault, size, "partition %zu: zone %zu has %.17g, the one before it %.17g",
                     zone->partition, zone->index, zone->value, last);
            return false;
        }
        last = zone->value;
        *sum += last;
    }
    return true;
}

/* Adds up all zones and residues. */
static bool check_all_zones(const struct mesh *mesh, double *values, double *residues, char *fault,
                            size_t size)
{
    *values = *residues = 0.0;
    for (size_t p = 0; p < mesh->shape.partitions; p++) {
        double sum = 0.0;
        if (!check_zones(mesh->partition[p], &sum, fault, size))
            return false;
        *values += sum;
        *residues += mesh->partition[p]->residue;
    }
    if (*residues >= 0.0 && *residues <= mesh->most_residue + RESIDUE_TOLERANCE)
        return true;
    snprintf(fault, size, "the residues add up to %.17g, which is not between 0 and %.17g",
             *residues, mesh->most_residue);
    return false;
}

static bool check_sum(double values, double residues, size_t loops, char *fault, size_t size)
{
    double deposited = (double)loops;
    if (fabs(values + residues - deposited) <= fmax(SUM_TOLERANCE, RELATIVE_TOLERANCE * deposited))
        return true;
    snprintf(fault, size, "zones and residues add up to %.17g, and %zu were deposited",
             values + residues, loops);
    return false;
}

static bool check(const struct mesh *mesh, size_t loops, const struct deposit_outcome *expected,
                  double *values, double *residues, char *fault, size_t size)
{
    return check_updates(mesh, loops, fault, size) &&
           (!expected || check_exact(mesh, expected, fault, size)) &&
           check_all_zones(mesh, values, residues, fault, size);
}

bool outcomes_check(const struct mesh *mesh, size_t loops, const struct deposit_outcome *expected,
                    char *fault, size_t size)
{
    double values, residues;
    return check(mesh, loops, expected, &values, &residues, fault, size) &&
           check_sum(values, residues, loops, fault, size);
}

bool outcomes_check_fixed(const struct mesh *mesh, size_t loops,
                          const struct deposit_outcome *expected, char *fault, size_t size)
{
    double values, residues;
    return check(mesh, loops, expected, &values, &residues, fault, size);
}

bool meetings_check(const struct clomp_run *run, char *fault, size_t size)
{
    const struct clomp_meetings *meetings = &run->meetings;
    bool whole = meetings->team == run->threads;
    if (!whole)
        snprintf(fault, size, "the runtime gave %zu of %zu threads", meetings->team, run->threads);
    else if (meetings->early > 0)
        snprintf(fault, size, "a thread left barrier %zu before all %zu threads had come",
                 meetings->early, run->threads);
    return whole && meetings->early == 0;
}
