// SPDX-License-Identifier: BSD-3-Clause
// Proves the task graphs: whatever order a runtime chooses within the declared dependences, the
// factors are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "task_graph.h"
#include "tests/support.h"

namespace {

using pollux::Access;
using pollux::Dependence;
using pollux::Item;
using pollux::Task;
using pollux::TaskGraph;

struct Case {
    const char *benchmark, *variant;
    std::size_t m, n;
    std::size_t height = 1; // rows of a tile, in multiples of NB
};

std::ostream &operator<<(std::ostream &out, const Case &c)
{
    return out << c.benchmark << " " << c.variant << " " << c.m << " x " << c.n << ", tiles of "
               << c.height << " x 1";
}

constexpr std::size_t NB = 4, IB = 2;
constexpr std::uint64_t SEED = 7;

using Created = std::unique_ptr<subject, decltype(&subject_destroy)>;

Created create(const char *benchmark, const char *variant, std::size_t m, std::size_t n,
               std::size_t height = 1)
{
    const std::size_t small_tree[] = {2, 3, 2, 2};
    if (benchmark == std::string("cell-tree"))
        return {subject_create_with(benchmark, variant, n, NB, small_tree, SEED), subject_destroy};
    return {subject_create(benchmark, variant, m, n, height * NB, NB, IB, SEED), subject_destroy};
}

// Two levels of tasks, in a form.
Created create_strassen(std::size_t form)
{
    const std::size_t parameters[] = {form, 8, 1};
    return {subject_create_with("strassen", "flat", 16, NB, parameters, SEED), subject_destroy};
}

// The factors of running the tasks in creation order, which is the sequential algorithm.
std::uint64_t digest_in_creation_order(subject *subject)
{
    subject_reset(subject);
    TaskGraph graph(subject);
    for (auto &task : graph.tasks)
        task.body();
    return subject_digest(subject);
}

// The factors are those of creation order, in whatever order the tasks run that the graph allows.
void expect_the_same_in_any_order(subject *subject, int repetitions)
{
    std::uint64_t expected = digest_in_creation_order(subject);
    std::mt19937_64 random(SEED);
    for (int repetition = 0; repetition < repetitions; repetition++) {
        subject_reset(subject);
        TaskGraph graph(subject);
        graph.run_in_random_order(random, repetition % 2 == 0);
        ASSERT_FALSE(subject_failed(subject));
        ASSERT_EQ(expected, subject_digest(subject)) << "repetition " << repetition;
    }
}

bool is_tile(const subject *subject, const void *object)
{
    std::size_t i, j;
    return subject_locate(subject, object, &i, &j);
}

class Graph : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override
    {
        const Case &c = GetParam();
        subject_ = create(c.benchmark, c.variant, c.m, c.n, c.height);
        if (!subject_)
            GTEST_SKIP() << c << ": this compiler cannot build it";
    }
    Created subject_{nullptr, subject_destroy};
};

TEST_P(Graph, OrdersEveryPairOfConflictingTasks)
{
    TaskGraph graph(subject_.get());
    graph.record_accesses(subject_.get());
    for (auto [first, second] : graph.unordered_conflicts())
        ADD_FAILURE() << GetParam() << ": task " << first << " (" << graph.tasks[first].kernel
                      << ", step " << graph.tasks[first].step << ") and task " << second << " ("
                      << graph.tasks[second].kernel << ", step " << graph.tasks[second].step
                      << ") touch the same tile and are not ordered";
}

TEST_P(Graph, GivesTheSameFactorsInAnyOrderItAllows)
{
    SCOPED_TRACE(GetParam());
    expect_the_same_in_any_order(subject_.get(), 40);
}

TEST_P(Graph, AgreesWithTheSequentialAlgorithm)
{
    Created sequential(subject_create_sequential(subject_.get()), subject_destroy);
    if (!sequential)
        GTEST_SKIP() << "promises no common digest with a sequential variant";
    subject_submit(sequential.get());
    EXPECT_EQ(subject_digest(sequential.get()), digest_in_creation_order(subject_.get()))
        << GetParam();
}

TEST_P(Graph, NamesAtMostFourItemsInBaseVariants)
{
    if (!subject_is_base(subject_.get()))
        GTEST_SKIP() << "needs more than the base";
    TaskGraph graph(subject_.get());
    for (const auto &task : graph.tasks)
        EXPECT_LE(task.items.size(), 4U) << GetParam();
}

TEST_P(Graph, HasTasksThatTheVariantCounts)
{
    TaskGraph graph(subject_.get());
    if (std::any_of(graph.tasks.begin(), graph.tasks.end(),
                    [](const auto &task) { return !task.items.empty(); })) {
        EXPECT_GT(subject_tasks_per_update(subject_.get()), 0U)
            << GetParam() << ": .tasks_per_update is missing";
    }
    EXPECT_LE(static_cast<double>(graph.tasks.size()), subject_tasks_at_most(subject_.get()))
        << GetParam();
}

bool names(const Task &task, const Access &access)
{
    return std::any_of(task.items.begin(), task.items.end(), [&](const Item &item) {
        return item.address == access.object && (item.kind != Dependence::in || !access.written);
    });
}

// An address that is no tile of A, named as written: of LU's tasks, the stand-in of a column.
bool writes_standin(const subject *subject, const Task &task)
{
    return std::any_of(task.items.begin(), task.items.end(), [&](const Item &item) {
        return item.kind == Dependence::inout && !is_tile(subject, item.address);
    });
}

// LU's panel and exchanges touch a whole column, and pivots, which the tile on the diagonal stands for.
bool may_leave_out(const subject *subject, const Task &task, const Access &access)
{
    bool whole_column = task.kernel == "getrf" || task.kernel == "laswp";
    return whole_column && (!is_tile(subject, access.object) || writes_standin(subject, task));
}

// The variants, of all benchmarks, whose tasks name every access (docs/variants.md).
bool names_every_access(const std::string &variant)
{
    const char *const names[] = {"depend", "cw",   "multidep", "late",
                                 "ahead",  "left", "nopiv",    "tree"};
    return std::find(std::begin(names), std::end(names), variant) != std::end(names);
}

TEST_P(Graph, NamesEveryTileAndFactorThatItsKernelTouches)
{
    if (!names_every_access(GetParam().variant))
        GTEST_SKIP() << "it leaves some out, or names a column by one of its tiles";
    TaskGraph graph(subject_.get());
    graph.record_accesses(subject_.get());
    for (const Task &task : graph.tasks) {
        if (task.items.empty() && task.waits > 0)
            continue; // what it touches was written before a taskwait
        for (const Access &access : task.accesses)
            EXPECT_TRUE(names(task, access) || may_leave_out(subject_.get(), task, access))
                << GetParam() << ": " << task.kernel << ", step " << task.step
                << (access.written ? ", writes" : ", reads") << " an object that it does not name";
    }
}

// The recorder knows neither the entry points of taskloops nor tasks of tasks, loops have no tasks, and the creator of
// `forkjoin` calls kernels itself: most of these have domains, which planted_test.cpp checks.
bool has_flat_tasks(const Subject &subject)
{
    const struct variant *variant = subject.variant;
    return !variant->sequential && !variant->own_team &&
           !(variant->needs & (CAPABILITY_TASKLOOP | CAPABILITY_NESTED_TASKS)) &&
           variant->name != std::string("forkjoin");
}

// Square tiles, tall ones, and tiles that are whole columns; shapes that the benchmark takes.
std::vector<Case> cases()
{
    const std::pair<std::size_t, std::size_t> shapes[] = {{1, 1},   {4, 4},   {5, 5},   {9, 9},
                                                          {16, 16}, {26, 26}, {32, 32}, {33, 14},
                                                          {14, 33}, {30, 4},  {4, 30},  {2, 21}};
    std::vector<Case> list;
    for (std::size_t height : std::vector<std::size_t>{1, 2, 3, 100})
        for (const Subject &subject : subjects())
            for (auto [m, n] : shapes)
                if (has_flat_tasks(subject) &&
                    subject_takes(subject.benchmark->name, m, n, height * NB, NB))
                    list.push_back({subject.benchmark->name, subject.variant->name, m, n, height});
    return list;
}

INSTANTIATE_TEST_SUITE_P(All, Graph, testing::ValuesIn(cases()));

// KASTORS' mistake: exchanges that do not name the stand-in of the column they exchange.
TEST(GraphChecker, FindsExchangesThatDoNotNameTheirColumn)
{
    auto subject = create("lu", "depend", 20, 20);
    TaskGraph graph(subject.get());
    graph.record_accesses(subject.get());
    ASSERT_TRUE(graph.unordered_conflicts().empty());
    for (auto &task : graph.tasks) {
        if (task.kernel != "laswp")
            continue;
        auto standin = [&](const Item &item) { return !is_tile(subject.get(), item.address); };
        task.items.erase(std::remove_if(task.items.begin(), task.items.end(), standin),
                         task.items.end());
    }
    EXPECT_FALSE(graph.unordered_conflicts().empty());
}

// Without the read of the previous column, a left exchange may overtake the column's last reader.
TEST(GraphChecker, FindsTheMissingReadOfThePreviousColumn)
{
    auto subject = create("lu", "depend", 20, 20);
    TaskGraph graph(subject.get());
    graph.record_accesses(subject.get());
    for (auto &task : graph.tasks) {
        auto read_standin = [&](const Item &item) {
            return item.kind == Dependence::in && !is_tile(subject.get(), item.address);
        };
        task.items.erase(std::remove_if(task.items.begin(), task.items.end(), read_standin),
                         task.items.end());
    }
    EXPECT_FALSE(graph.unordered_conflicts().empty());
}

// The kernels of a graph, each with the number of items of its tasks.
std::map<std::string, std::size_t> items_of_kernels(const TaskGraph &graph)
{
    std::map<std::string, std::size_t> counts;
    for (const Task &task : graph.tasks)
        counts[task.kernel] = task.items.size();
    return counts;
}

// None may be left out, whichever kernel's it is.
TEST(GraphChecker, FindsEachItemThatTasksDoNotName)
{
    for (const Created &subject : {create("sparselu", "depend", 32, 32), create_strassen(0),
                                   create_strassen(1), create("cell-tree", "depend", 9, 9)}) {
        TaskGraph complete(subject.get());
        complete.record_accesses(subject.get());
        ASSERT_TRUE(complete.unordered_conflicts().empty());
        for (auto [kernel, count] : items_of_kernels(complete))
            for (std::size_t item = 0; item < count; item++) {
                TaskGraph graph = complete;
                for (auto &task : graph.tasks)
                    if (task.kernel == kernel)
                        task.items.erase(task.items.begin() + static_cast<std::ptrdiff_t>(item));
                EXPECT_FALSE(graph.unordered_conflicts().empty()) << kernel << " " << item;
            }
    }
}

// Jacobi's tiles in time: a size, the sweeps, and those of a time tile.
Created create_domains(std::size_t n, std::size_t domains)
{
    return {subject_create_with("qr", "tree", n, NB, &domains, SEED), subject_destroy};
}

// A tree of domains: of one row each in the last steps, of one only, of as many as there are rows.
TEST(Domains, OrderWhatConflictsAndNameWhatTheyTouch)
{
    for (std::size_t n : {9, 16, 33})
        for (std::size_t domains : {1, 2, 3, 8}) {
            auto subject = create_domains(n, domains);
            TaskGraph graph(subject.get());
            graph.record_accesses(subject.get());
            EXPECT_TRUE(graph.unordered_conflicts().empty()) << n << ' ' << domains;
            for (const Task &task : graph.tasks)
                for (const Access &access : task.accesses)
                    EXPECT_TRUE(names(task, access)) << n << ' ' << domains << ' ' << task.kernel;
            SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(n));
            expect_the_same_in_any_order(subject.get(), 10);
        }
}

// Each tile that an update within a domain writes has to be named.
TEST(GraphChecker, FindsEveryTileThatUpdatesWithinDomainsDoNotName)
{
    for (std::size_t nth : {0, 1}) {
        auto subject = create_domains(24, 2);
        TaskGraph graph(subject.get());
        graph.record_accesses(subject.get());
        for (auto &task : graph.tasks) {
            std::size_t seen = 0;
            auto lacking = [&](const Item &item) {
                return task.kernel == "tsmqr" && item.kind == Dependence::inout && seen++ == nth;
            };
            task.items.erase(std::remove_if(task.items.begin(), task.items.end(), lacking),
                             task.items.end());
        }
        EXPECT_FALSE(graph.unordered_conflicts().empty()) << nth;
    }
}

struct TimeTiles {
    std::size_t n, sweeps, time_tile;
};

Created create_wavefront(TimeTiles t)
{
    const std::size_t parameters[] = {t.sweeps, t.time_tile};
    return {subject_create_with("jacobi", "wavefront", t.n, NB, parameters, SEED), subject_destroy};
}

// The wavefront's tasks must be ordered where time tiles follow one another, the last one shorter.
TEST(Wavefront, OrdersTimeTilesThatFollowOneAnother)
{
    for (std::size_t n : {1, 4, 9, 15, 16, 17})
        for (auto [sweeps, time_tile] :
             {std::pair<std::size_t, std::size_t>{2, 1}, {5, 2}, {7, 3}, {9, 4}}) {
            auto subject = create_wavefront({n, sweeps, time_tile});
            TaskGraph graph(subject.get());
            graph.record_accesses(subject.get());
            EXPECT_TRUE(graph.unordered_conflicts().empty()) << n << ' ' << sweeps;
            SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(n));
            expect_the_same_in_any_order(subject.get(), 10);
        }
}

// Each item of the wavefront is needed, the last one between time tiles.
TEST(GraphChecker, FindsEveryItemThatTheWavefrontLacks)
{
    for (Dependence kind : {Dependence::in, Dependence::inout})
        for (std::size_t nth : {0, 1, 2}) {
            auto subject = create_wavefront({20, 6, 2});
            TaskGraph graph(subject.get());
            graph.record_accesses(subject.get());
            ASSERT_TRUE(graph.unordered_conflicts().empty());
            for (auto &task : graph.tasks) {
                std::size_t seen = 0;
                auto lacking = [&](const Item &item) {
                    return item.kind == kind && (kind == Dependence::inout || seen++ == nth);
                };
                task.items.erase(std::remove_if(task.items.begin(), task.items.end(), lacking),
                                 task.items.end());
            }
            EXPECT_FALSE(graph.unordered_conflicts().empty()) << nth;
        }
}

std::size_t items(const TaskGraph &graph)
{
    std::size_t sum = 0;
    for (const Task &task : graph.tasks)
        sum += task.items.size();
    return sum;
}

// So a difference in their speed is what the items cost the runtime.
TEST(Lean, OrdersTheSamePairsOfTasksWithFewerItems)
{
    for (auto [benchmark, variant] :
         {std::pair("lu", "depend"), {"lu-cw", "cw"}, {"qr", "depend"}, {"jacobi", "depend"}}) {
        std::size_t items_of_lean = 0, items_of_all = 0;
        for (const Case &c : cases()) {
            if (c.benchmark != std::string(benchmark) || c.variant != std::string(variant))
                continue;
            auto named = create(benchmark, variant, c.m, c.n, c.height);
            auto spared = create(benchmark, "lean", c.m, c.n, c.height);
            TaskGraph all(named.get()), lean(spared.get());
            EXPECT_EQ(lean.ancestors(), all.ancestors()) << c;
            items_of_lean += items(lean);
            items_of_all += items(all);
        }
        EXPECT_LT(items_of_lean, items_of_all) << benchmark;
    }
}

std::size_t longest_path(const TaskGraph &graph)
{
    auto before = graph.predecessors();
    std::vector<std::size_t> depth(graph.tasks.size(), 1);
    std::size_t longest = 0;
    for (std::size_t t = 0; t < graph.tasks.size(); t++) {
        for (std::size_t p : before[t])
            depth[t] = std::max(depth[t], depth[p] + 1);
        longest = std::max(longest, depth[t]);
    }
    return longest;
}

// Why the variant exists: the updates of a column leave the critical path.
TEST(ConcurrentWrite, ShortensTheCriticalPathNativeOrNot)
{
    auto plain = create("lu", "depend", 40, 40);
    auto concurrent = create("lu-cw", "cw", 40, 40);
    EXPECT_LT(longest_path(TaskGraph(concurrent.get())), longest_path(TaskGraph(plain.get())));
}

} // namespace
