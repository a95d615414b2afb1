// SPDX-License-Identifier: BSD-3-Clause
// The graph check with nested tasks, taskwaits and calls between tasks: it finds nothing in the benchmarks' variants, and
// every error that the race check plants in copies of them (tests/race/planted.cmake).
#include <algorithm>
#include <memory>

#include "domains.h"
#include "tests/support.h"

extern "C" {
#include "benchmarks/cell-tree/cells.h"
#include "benchmarks/jacobi/jacobi.h"
#include "tests/race/subjects.h"
}

namespace {

using Created = std::unique_ptr<subject, decltype(&subject_destroy)>;

// Jacobi with several tiles in time, one after another.
Created created(const std::string &benchmark, const char *variant, size_t m, size_t n, size_t nb)
{
    const size_t ib = 2;
    const uint64_t seed = 7;
    const size_t sweeps[] = {5, 2}, small_tree[] = {2, 3, 2, 2};
    if (benchmark == cell_tree.name)
        return {subject_create_with(cell_tree.name, variant, n, nb, small_tree, seed),
                subject_destroy};
    if (benchmark == jacobi.name)
        return {subject_create_with(jacobi.name, variant, n, nb, sweeps, seed), subject_destroy};
    return {subject_create(benchmark.c_str(), variant, m, n, nb, nb, ib, seed), subject_destroy};
}

std::vector<std::string> conflicts(const Created &graph)
{
    return pollux::conflicts_of_all_domains(graph.get());
}

// The recorder does not know the entry points of taskloops, and loops have no tasks.
std::vector<Subject> with_tasks()
{
    std::vector<Subject> list;
    for (const Subject &subject : subjects())
        if (!subject.variant->sequential && !subject.variant->own_team &&
            !(subject.variant->needs & CAPABILITY_TASKLOOP))
            list.push_back(subject);
    return list;
}

class Domains : public testing::TestWithParam<Subject> {};

// The last size has panels that LU `column` factors with nested tasks.
TEST_P(Domains, OrderEveryPairOfConflictingTasks)
{
    const std::array<size_t, 3> shapes[] = {
        {4, 4, 4}, {21, 21, 4}, {32, 32, 4}, {30, 9, 4}, {300, 72, 36}};
    for (auto [m, n, nb] : shapes) {
        if (!allows(GetParam(), m, n))
            continue;
        Created graph = created(GetParam().benchmark->name, GetParam().variant->name, m, n, nb);
        EXPECT_EQ(conflicts(graph), std::vector<std::string>{}) << m << " x " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Domains, testing::ValuesIn(with_tasks()), subject_name);

class Planted : public testing::TestWithParam<altered> {};

TEST_P(Planted, IsFound)
{
    const altered &wrong = GetParam();
    Created graph = wrong.high_panels ? created(wrong.benchmark, wrong.variant, 300, 72, 36)
                                      : created(wrong.benchmark, wrong.variant, 32, 32, 4);
    subject_plant(graph.get(), wrong.submit);
    EXPECT_NE(conflicts(graph), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(All, Planted, testing::ValuesIn(planted, planted + planted_count),
                         [](const testing::TestParamInfo<altered> &error) {
                             return std::string(error.param.name);
                         });

} // namespace
