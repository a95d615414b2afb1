// SPDX-License-Identifier: BSD-3-Clause
// CLOMP's loops: every schedule computes what the serial loops compute, and whatever is computed otherwise is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

extern "C" {
#include "micro/clomp/checks.h"
#include "micro/clomp/measure.h"
#include "micro/clomp/mesh.h"
#include "micro/clomp/schedules.h"
}

namespace {
constexpr size_t cycles = 3, loops = cycles * LOOPS_IN_CYCLE;

struct mesh_shape shape_of(size_t partitions, size_t zones, size_t flop_scale = 1,
                           bool threaded = false)
{
    return {partitions, zones, ZONE_BYTES_MIN, flop_scale, threaded, false};
}

/** A mesh, and a run over it. */
struct Loops {
    struct mesh *mesh;
    clomp_run run;
    std::vector<deposit_outcome> outcomes;

    explicit Loops(const struct mesh_shape &shape, size_t threads = 1)
        : mesh(mesh_create(&shape, threads)), run{mesh, threads, cycles, {}},
          outcomes(shape.partitions)
    {
    }
    Loops(const Loops &) = delete;
    Loops &operator=(const Loops &) = delete;
    ~Loops()
    {
        mesh_destroy(mesh);
    }
    void perform(const clomp_schedule &schedule)
    {
        mesh_reset(mesh);
        schedule.run(&run);
    }
    /** The fault, or an empty text. */
    std::string fault(bool compared = true) const
    {
        char text[RESULT_FAULT_SIZE] = "";
        bool right =
            outcomes_check(mesh, loops, compared ? outcomes.data() : nullptr, text, sizeof text);
        EXPECT_EQ(right, text[0] == '\0');
        return text;
    }
    /** Runs the serial loops and keeps their outcomes. */
    void serially()
    {
        perform(clomp_serial);
        outcomes_read(mesh, outcomes.data());
    }
};

const std::vector<mesh_shape> shapes = {shape_of(1, 3), shape_of(2, 100), shape_of(7, 10, 3),
                                        shape_of(64, 20), shape_of(5, 40, 2, true)};

std::string name_of(const struct mesh_shape &shape, size_t threads)
{
    return std::to_string(shape.partitions) + " partitions, " + std::to_string(shape.zones) +
           " zones, " + std::to_string(threads) + " threads";
}
} // namespace

TEST(Deposit, IsSharedByAllPartitionsWithWhatTheLastOnesLeftOver)
{
    Loops four(shape_of(4, 3));
    mesh_deposit(four.mesh);
    EXPECT_EQ(four.mesh->deposits.value, 0.25);
    for (size_t p = 0; p < 4; p++)
        mesh_update(four.mesh, p);
    double residue = 0.0;
    for (size_t p = 0; p < 4; p++) {
        // Three zones, of which each takes the part (1.5 + p / 4) / 3 of what remains.
        double rest = 1.0 - (1.5 + double(p) / 4.0) / 3.0;
        EXPECT_NEAR(four.mesh->partition[p]->residue, 0.25 * rest * rest * rest, 1e-15);
        EXPECT_NEAR(four.mesh->partition[p]->first->value, 0.25 * (1.0 - rest), 1e-15);
        residue += four.mesh->partition[p]->residue;
    }
    mesh_deposit(four.mesh);
    EXPECT_EQ(four.mesh->deposits.value, (1.0 + residue) / 4.0);
}

TEST(Deposit, ByTheFirstResidueIsTheSameButForRounding)
{
    struct mesh_shape shape = shape_of(7, 30);
    Loops all(shape);
    shape.first_residue = true;
    Loops first(shape);
    all.serially();
    first.serially();
    for (size_t p = 0; p < shape.partitions; p++)
        EXPECT_NEAR(first.outcomes[p].first_value, all.outcomes[p].first_value, 1e-12);
    EXPECT_EQ(first.fault(), "");
}

TEST(Update, DepositsAgainInTheSameZoneForEachScale)
{
    Loops once(shape_of(1, 6, 1)), twice(shape_of(1, 3, 2));
    // Zones of half the number have twice the ratio: the same ratio makes both comparable.
    once.mesh->partition[0]->ratio = twice.mesh->partition[0]->ratio = 0.125;
    once.mesh->deposits.value = twice.mesh->deposits.value = 1.0;
    mesh_update(once.mesh, 0);
    mesh_update(twice.mesh, 0);
    EXPECT_EQ(once.mesh->partition[0]->residue, twice.mesh->partition[0]->residue);
    const zone *narrow = once.mesh->partition[0]->first;
    for (const zone *wide = twice.mesh->partition[0]->first; wide; wide = wide->next) {
        EXPECT_EQ(wide->value, narrow->value + narrow->next->value);
        narrow = narrow->next->next;
    }
}

TEST(Share, CoversEveryPartitionOnce)
{
    for (size_t partitions : {1, 2, 7, 64})
        for (size_t threads : {1, 2, 3, 8}) {
            struct mesh mesh = {};
            mesh.shape.partitions = partitions;
            mesh.threads = threads;
            size_t next = 0;
            for (size_t thread = 0; thread < threads; thread++) {
                size_t begin, end;
                mesh_share(&mesh, thread, &begin, &end);
                EXPECT_EQ(begin, next);
                EXPECT_LE(end - begin, (partitions + threads - 1) / threads);
                next = end;
            }
            EXPECT_EQ(next, partitions);
        }
}

TEST(Cycles, AreTenLoopsEach)
{
    size_t count = 0;
    clomp_cycles(3, [](void *context) { ++*static_cast<size_t *>(context); }, &count);
    EXPECT_EQ(count, 3u * LOOPS_IN_CYCLE);
}

TEST(Schedules, ComputeExactlyWhatTheSerialLoopsCompute)
{
    for (const auto &shape : shapes)
        for (size_t threads : {1, 2, 3}) {
            Loops run(shape, threads);
            run.serially();
            EXPECT_EQ(run.fault(false), "");
            for (size_t s = 0; clomp_schedules[s]; s++) {
                const clomp_schedule &schedule = *clomp_schedules[s];
                if (schedule.kind != CLOMP_EXACT || !schedule.run)
                    continue;
                run.perform(schedule);
                EXPECT_EQ(run.fault(), "") << schedule.name << ", " << name_of(shape, threads);
            }
        }
}

TEST(BestCase, UpdatesEveryPartitionInEveryLoop)
{
    for (const auto &shape : shapes)
        for (size_t threads : {1, 3}) {
            Loops run(shape, threads);
            char fault[RESULT_FAULT_SIZE] = "";
            run.mesh->deposits.value = 0.75 / double(shape.partitions);
            run.perform(clomp_best_case);
            outcomes_of_fixed(run.mesh, run.mesh->deposits.value, loops, run.outcomes.data());
            EXPECT_TRUE(
                outcomes_check_fixed(run.mesh, loops, run.outcomes.data(), fault, sizeof fault))
                << fault << ", " << name_of(shape, threads);
            mesh_update(run.mesh, 0);
            EXPECT_FALSE(
                outcomes_check_fixed(run.mesh, loops, run.outcomes.data(), fault, sizeof fault));
        }
}

namespace {
/** The fault after serial loops of which `wrong` runs one, the last one or an earlier one. */
std::string fault_of(size_t which, const std::function<void(clomp_run *)> &wrong)
{
    Loops run(shape_of(4, 10), 1);
    run.serially();
    mesh_reset(run.mesh);
    for (size_t l = 0; l < loops; l++) {
        if (l == which) {
            wrong(&run.run);
            continue;
        }
        mesh_deposit(run.mesh);
        for (size_t p = 0; p < 4; p++)
            mesh_update(run.mesh, p);
    }
    return run.fault();
}

void expect_found(const std::string &fault, const char *part)
{
    EXPECT_NE(fault.find(part), std::string::npos) << "fault: " << fault;
}
} // namespace

TEST(Check, PassesWhereNothingIsWrong)
{
    EXPECT_EQ(fault_of(loops, [](clomp_run *) {}), "");
}

TEST(Check, FindsADepositThatDidNotWaitForAPartition)
{
    std::string fault = fault_of(5, [](clomp_run *run) {
        mesh_deposit(run->mesh);
        for (size_t p : {0, 1, 3})
            mesh_update(run->mesh, p);
        mesh_deposit(run->mesh); // of the next loop, too early
        mesh_update(run->mesh, 2);
        run->mesh->deposits.calculated--;
    });
    expect_found(fault, "deposit 7 was calculated when partition 2");
}

TEST(Check, FindsAPartitionThatIsLeftOutOrUpdatedTwice)
{
    expect_found(fault_of(loops - 1,
                          [](clomp_run *run) {
                              mesh_deposit(run->mesh);
                              for (size_t p : {0, 1, 2})
                                  mesh_update(run->mesh, p);
                          }),
                 "partition 3 was updated 29 times in 30 loops");
    expect_found(fault_of(loops - 1,
                          [](clomp_run *run) {
                              mesh_deposit(run->mesh);
                              for (size_t p : {0, 1, 2, 3, 1})
                                  mesh_update(run->mesh, p);
                          }),
                 "partition 1 was updated 31 times in 30 loops");
}

TEST(Check, FindsAnUpdateWithTheDepositOfTheLoopBefore)
{
    std::string fault = fault_of(5, [](clomp_run *run) {
        double before = run->mesh->deposits.value;
        mesh_deposit(run->mesh);
        for (size_t p : {0, 1, 2})
            mesh_update(run->mesh, p);
        run->mesh->deposits.value = before;
        mesh_update(run->mesh, 3);
    });
    expect_found(fault, "the serial loops gave");
}

namespace {
/** The fault of serial results that `harm` has changed, without a comparison with other results. */
std::string fault_after(const std::function<void(struct mesh *)> &harm)
{
    Loops run(shape_of(4, 10), 1);
    run.serially();
    harm(run.mesh);
    return run.fault(false);
}
} // namespace

TEST(Check, FindsZoneValuesThatRise)
{
    expect_found(fault_after([](struct mesh *mesh) {
                     mesh->partition[2]->first->next->value =
                         mesh->partition[2]->first->value * 1.01;
                 }),
                 "partition 2: zone 1");
    expect_found(fault_after([](struct mesh *mesh) {
                     mesh->partition[2]->first->next->value = std::nan("");
                 }),
                 "partition 2: zone 1");
}

TEST(Check, FindsWhatIsLostAndWhatIsAdded)
{
    for (double change : {-2e-5, 2e-5})
        expect_found(fault_after([change](struct mesh *mesh) {
                         zone *last = mesh->partition[1]->first;
                         while (last->next)
                             last = last->next;
                         // The zone's own value is of the order of 0.1.
                         mesh->partition[1]->first->value += change < 0.0 ? 0.0 : change;
                         last->value += change < 0.0 ? change : 0.0;
                     }),
                     "add up to");
}

TEST(Check, FindsResiduesOutOfRange)
{
    for (double residue : {-0.5, 2.0})
        expect_found(
            fault_after([residue](struct mesh *mesh) { mesh->partition[0]->residue = residue; }),
            "which is not between 0 and");
}

TEST(Cycles, OfTheDefaultMakeAboutTenMillionDeposits)
{
    struct mesh_shape shape = shape_of(64, 100);
    EXPECT_EQ(clomp_default_cycles(&clomp_serial, &shape), 157u);
    shape.flop_scale = 10;
    EXPECT_EQ(clomp_default_cycles(&clomp_serial, &shape), 16u);
    shape.zones = 100000;
    EXPECT_EQ(clomp_default_cycles(&clomp_serial, &shape), 1u);
    EXPECT_EQ(clomp_default_cycles(&clomp_barrier, &shape), 100u);
}

namespace {
result repeat(const clomp_schedule &schedule, size_t threads)
{
    result r = {};
    r.passed = true;
    std::fill(std::begin(r.value), std::end(r.value), NAN);
    const clomp_configuration configuration = {&schedule, shape_of(8, 10), threads, cycles,
                                               nullptr};
    clomp_repeat(&configuration, true, &r);
    return r;
}
} // namespace

TEST(Repetition, KnowsAllTermsOfEverySchedule)
{
    for (size_t s = 0; clomp_schedules[s]; s++) {
        if (!clomp_schedules[s]->run)
            continue;
        result r = repeat(*clomp_schedules[s], 2);
        EXPECT_TRUE(r.passed) << clomp_schedules[s]->name << ": " << r.fault;
        bool computes = clomp_schedules[s]->kind != CLOMP_NOTHING;
        EXPECT_GT(r.value[CLOMP_LOOP], 0.0);
        for (int t : {CLOMP_BEST_CASE, CLOMP_SERIAL, CLOMP_DEPOSIT}) {
            EXPECT_EQ(r.value[t] > 0.0, computes);
            EXPECT_EQ(r.reason[t] == nullptr, computes);
        }
        EXPECT_EQ(r.reason[CLOMP_BARRIER] == nullptr, clomp_barrier.run != nullptr);
        if (clomp_schedules[s]->kind == CLOMP_EXACT) {
            EXPECT_EQ(r.value[CLOMP_OVERHEAD], r.value[CLOMP_LOOP] - r.value[CLOMP_BEST_CASE]);
        }
    }
}

TEST(Repetition, OfTheBoundHasNoOverhead)
{
    result r = repeat(clomp_best_case, 2);
    EXPECT_TRUE(std::isnan(r.value[CLOMP_OVERHEAD]));
    EXPECT_NE(r.reason[CLOMP_OVERHEAD], nullptr);
}

TEST(Repetition, WithAWrongScheduleFails)
{
    const clomp_schedule forgetful = {
        "forgetful", "leaves the last partition out", 0, CLOMP_EXACT, 0, [](clomp_run *run) {
            run->mesh->shape.partitions--;
            clomp_serial.run(run);
            run->mesh->shape.partitions++;
        }};
    result r = repeat(forgetful, 2);
    EXPECT_FALSE(r.passed);
    EXPECT_NE(std::string(r.fault).find("forgetful: partition 7 was updated 0 times"),
              std::string::npos)
        << r.fault;
}

TEST(Meetings, AreLeftEarlyWhereAThreadHasNotCome)
{
    clomp_run run = {nullptr, 2, 1, {2, true, 0, 0}};
    char fault[RESULT_FAULT_SIZE] = "";
    for (size_t barrier : {1, 2}) {
        clomp_arrive(&run);
        clomp_arrive(&run);
        clomp_leave(&run, barrier);
    }
    EXPECT_TRUE(meetings_check(&run, fault, sizeof fault)) << fault;
    clomp_arrive(&run);
    clomp_leave(&run, 3);
    EXPECT_FALSE(meetings_check(&run, fault, sizeof fault));
    expect_found(fault, "left barrier 3 before all 2 threads");
}

TEST(Repetition, WithBarriersThatDoNotWaitOrASmallTeamFails)
{
    const clomp_schedule hasty = {"hasty",
                                  "barriers that one thread does not wait at",
                                  0,
                                  CLOMP_NOTHING,
                                  0,
                                  [](clomp_run *run) {
                                      run->meetings.team = run->threads;
                                      if (run->meetings.checked) {
                                          clomp_arrive(run);
                                          clomp_leave(run, 1);
                                      }
                                  }};
    const clomp_schedule lonely = {"lonely", "barriers of one thread",
                                   0,        CLOMP_NOTHING,
                                   0,        [](clomp_run *run) { run->meetings.team = 1; }};
    result r = repeat(hasty, 2);
    EXPECT_FALSE(r.passed);
    expect_found(r.fault, "hasty: a thread left barrier 1");
    r = repeat(lonely, 2);
    EXPECT_FALSE(r.passed);
    expect_found(r.fault, "lonely: the runtime gave 1 of 2 threads");
}
