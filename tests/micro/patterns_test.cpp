// SPDX-License-Identifier: BSD-3-Clause
// What patterns order: by the depend items that the compiler passes to the runtime, and by definition.
#include <gtest/gtest.h>

#include "recorder.h"
#include "task_graph.h"
#include "tests/micro/micro.h"

namespace {

const std::vector<size_t> TASKS = {1, 2, 3, 4, 5, 8, 9, 16, 17, 30, 65};

// Addresses are compared only: one byte each is enough.
struct Subject {
    struct shape shape;
    struct graph graph;
    std::vector<char> memory;
    std::vector<cell> cells;
    run state;

    const struct pattern &pattern;

    Subject(const struct pattern &chosen, size_t tasks, size_t items)
        : shape(pattern_shape(&chosen, pattern_fit(&chosen, tasks), items, 42)),
          graph(graph_create(shape.tasks)), memory(chosen.addresses(&shape)), cells(shape.tasks),
          state(), pattern(chosen)
    {
        pattern.define(&shape, &graph);
        state.shape = &shape;
        state.graph = &graph;
        state.cells = cells.data();
        state.address = memory.data();
        state.distance = 1;
        if (pattern.prepare)
            state.prepared = pattern.prepare(&state);
    }
    Subject(const Subject &) = delete;
    Subject &operator=(const Subject &) = delete;
    ~Subject()
    {
        if (pattern.release)
            pattern.release(state.prepared);
        graph_destroy(&graph);
    }
};

using Order = std::vector<std::vector<bool>>;

// As TaskGraph::ancestors, of the definition.
Order defined(const struct graph &graph)
{
    Order result(graph.tasks, std::vector<bool>(graph.tasks));
    for (size_t t = 0; t < graph.tasks; t++)
        for (size_t e = graph.first[t]; e < graph.first[t + 1]; e++) {
            size_t before = graph.predecessor[e];
            result[t][before] = true;
            for (size_t a = 0; a < before; a++)
                if (result[before][a])
                    result[t][a] = true;
        }
    return result;
}

// Whether all pairs of the second are pairs of the first.
bool includes(const Order &all, const Order &some)
{
    for (size_t t = 0; t < all.size(); t++)
        for (size_t a = 0; a < t; a++)
            if (some[t][a] && !all[t][a])
                return false;
    return true;
}

template <typename Action> void for_all(Action action)
{
    for (size_t p = 0; patterns[p]; p++)
        for (size_t tasks : TASKS)
            for (size_t items : {1, 2, 4, 64}) {
                const struct pattern &pattern = *patterns[p];
                // The recorder knows no events.
                if (&pattern == &detach || !pattern.create || !pattern.roots ||
                    (items > 1 && !pattern.chosen_items))
                    continue;
                SCOPED_TRACE(std::string(pattern.name) + ", " + std::to_string(tasks) + " tasks, " +
                             std::to_string(items) + " items");
                Subject subject(pattern, tasks, items);
                action(pattern, subject);
            }
}

} // namespace

// What the stand-ins of LU's columns order is more than its kernels need.
TEST(Patterns, OrderThePairsOfTasksThatTheirDefinitionOrdersAndNoOthersApartFromStandIns)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        pollux::TaskGraph recorded(pollux::record([&] { pattern.create(&subject.state); }));
        ASSERT_EQ(recorded.tasks.size(), subject.shape.tasks);
        EXPECT_EQ(subject.graph.tasks, subject.shape.tasks);
        const Order order = recorded.ancestors(), definition = defined(subject.graph);
        if (pattern.algorithm && pattern.algorithm->columns)
            EXPECT_TRUE(includes(order, definition));
        else
            EXPECT_TRUE(order == definition);
    });
}

TEST(Patterns, OrderTheSameTasksWhereTheyHavePriorities)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        if (!pattern.chosen_priorities)
            return;
        subject.shape.priorities = CLAUSES_RANDOM;
        pollux::TaskGraph recorded(pollux::record([&] { pattern.create(&subject.state); }));
        ASSERT_EQ(recorded.tasks.size(), subject.shape.tasks);
        EXPECT_TRUE(recorded.ancestors() == defined(subject.graph));
    });
}

TEST(Patterns, CreateTheirTasksInTheOrderOfTheirNumbers)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        pollux::TaskGraph recorded(pollux::record([&] { pattern.create(&subject.state); }));
        for (size_t t = 0; t < recorded.tasks.size(); t++) {
            recorded.tasks[t].body();
            EXPECT_EQ(subject.cells[t].ended, 1);
        }
    });
}

TEST(Patterns, NameAsManyItemsAsRequestedAndOnlyTheirAddresses)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        pollux::TaskGraph recorded(pollux::record([&] { pattern.create(&subject.state); }));
        const char *first = subject.memory.data(), *end = first + subject.memory.size();
        for (const pollux::Task &task : recorded.tasks) {
            if (pattern.chosen_items) {
                EXPECT_EQ(task.items.size(), subject.shape.items);
            }
            if (!pattern.needs && !pattern.chosen_items) {
                EXPECT_LE(task.items.size(), 4u);
            }
            for (const pollux::Item &item : task.items) {
                EXPECT_GE(item.address, first);
                EXPECT_LT(item.address, end);
            }
        }
    });
}

namespace {

// The order of the tasks of a benchmark that the objects ask for which its kernels report, and no clause.
Order reported(const char *benchmark, const char *variant, size_t tiles)
{
    const size_t nb = 2;
    subject *problem = subject_create(benchmark, variant, tiles * nb, tiles * nb, nb, nb, 1, 1);
    pollux::TaskGraph recorded(problem);
    recorded.record_accesses(problem);
    struct graph graph = graph_create(recorded.tasks.size());
    for (const pollux::Task &task : recorded.tasks) {
        graph_add_task(&graph);
        for (size_t before = 0; before + 1 < graph.tasks; before++)
            for (const pollux::Access &mine : task.accesses)
                for (const pollux::Access &other : recorded.tasks[before].accesses)
                    if (mine.object == other.object && (mine.written || other.written))
                        graph_add_predecessor(&graph, before);
    }
    const Order order = defined(graph);
    graph_destroy(&graph);
    subject_destroy(problem);
    return order;
}

} // namespace

TEST(Factorizations, KeepTheOrderThatTheObjectsOfTheRealKernelsAskFor)
{
    for (const struct pattern *pattern : {&cholesky_graph, &lu_cw_graph, &qr_graph})
        for (size_t tiles : {1, 2, 3, 6}) {
            SCOPED_TRACE(std::string(pattern->name) + ", " + std::to_string(tiles) + " tiles");
            Subject subject(*pattern, pattern->algorithm->tasks(tiles), 1);
            EXPECT_EQ(algorithm_tiles(pattern->algorithm, subject.shape.tasks), tiles);
            EXPECT_TRUE(reported(pattern->name, pattern->algorithm->variant, tiles) ==
                        defined(subject.graph));
        }
}

TEST(Factorizations, HaveTheSmallestNumberOfTasksThatIsNotBelowTheRequested)
{
    for (const struct pattern *pattern : {&cholesky_graph, &lu_graph, &lu_cw_graph, &qr_graph})
        for (size_t tiles : {1, 2, 5}) {
            size_t tasks = pattern->algorithm->tasks(tiles),
                   more = pattern->algorithm->tasks(tiles + 1);
            EXPECT_EQ(pattern_fit(pattern, tasks), tasks);
            EXPECT_EQ(pattern_fit(pattern, tasks + 1), more);
        }
}

TEST(Gate, PrecedesEveryTaskOfEveryPattern)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        size_t latches = 0;
        pollux::TaskGraph recorded(pollux::record([&] {
            gate_create(&subject.state, pattern.roots(&subject.shape));
            pattern.create(&subject.state);
        }));
        latches = recorded.tasks.size() - subject.shape.tasks;
        const Order order = recorded.ancestors();
        for (size_t t = latches; t < recorded.tasks.size(); t++)
            EXPECT_TRUE(order[t][0]) << "task " << t - latches;
        for (size_t t = 0; t < latches; t++)
            EXPECT_LE(recorded.tasks[t].items.size(), 4u);
    });
}

TEST(Gate, LeavesTheOrderOfThePatternAlone)
{
    for_all([](const struct pattern &pattern, Subject &subject) {
        pollux::TaskGraph recorded(pollux::record([&] {
            gate_create(&subject.state, pattern.roots(&subject.shape));
            pattern.create(&subject.state);
        }));
        size_t latches = recorded.tasks.size() - subject.shape.tasks;
        pollux::TaskGraph ungated(pollux::record([&] { pattern.create(&subject.state); }));
        const Order order = recorded.ancestors(), alone = ungated.ancestors();
        for (size_t t = 0; t < subject.shape.tasks; t++)
            for (size_t a = 0; a < t; a++)
                EXPECT_EQ(order[t + latches][a + latches], alone[t][a]) << a << " " << t;
    });
}
