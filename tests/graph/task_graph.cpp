// SPDX-License-Identifier: BSD-3-Clause
// Edges by OpenMP's rules, reachability, and legal orders.
#include "task_graph.h"

#include <algorithm>
#include <map>

#include "recorder.h"

namespace pollux {

TaskGraph::TaskGraph(subject *subject)
{
    tasks = record([subject] { subject_submit(subject); });
}

namespace {

// The last tasks that named an address: a group that may run concurrently, and the group before.
struct History {
    Dependence kind = Dependence::inout;
    std::vector<std::size_t> group, before;
};

// An address that a task names twice has the stronger kind.
std::map<const void *, Dependence> merged(const std::vector<Item> &items)
{
    std::map<const void *, Dependence> kinds;
    for (const Item &item : items) {
        auto [at, inserted] = kinds.emplace(item.address, item.kind);
        if (!inserted && at->second != item.kind)
            at->second = Dependence::inout;
    }
    return kinds;
}

void name(History &history, std::size_t task, Dependence kind, std::vector<std::size_t> &before)
{
    bool joins = kind == history.kind && kind != Dependence::inout && !history.group.empty();
    if (!joins) {
        history.before = std::move(history.group);
        history.group.clear();
        history.kind = kind;
    }
    before.insert(before.end(), history.before.begin(), history.before.end());
    history.group.push_back(task);
}

} // namespace

std::vector<std::vector<std::size_t>> TaskGraph::predecessors() const
{
    std::map<const void *, History> histories;
    std::vector<std::vector<std::size_t>> result(tasks.size());
    std::vector<std::size_t> calls; // of the creator itself
    for (std::size_t t = 0; t < tasks.size(); t++) {
        for (auto [address, kind] : merged(tasks[t].items))
            name(histories[address], t, kind, result[t]);
        for (std::size_t earlier = 0; tasks[earlier].waits < tasks[t].waits; earlier++)
            result[t].push_back(earlier);
        result[t].insert(result[t].end(), calls.begin(), calls.end());
        if (!tasks[t].deferred)
            calls.push_back(t);
        std::sort(result[t].begin(), result[t].end());
        result[t].erase(std::unique(result[t].begin(), result[t].end()), result[t].end());
    }
    return result;
}

void TaskGraph::record_accesses(subject *subject)
{
    auto note = [](void *context, const char *kernel, std::size_t step, const void *const *objects,
                   const bool *written, std::size_t count) {
        Task &task = *static_cast<Task *>(context);
        task.kernel = kernel;
        task.step = step;
        for (std::size_t i = 0; i < count; i++)
            task.accesses.push_back({objects[i], written[i]});
    };
    for (Task &task : tasks) {
        task.accesses.clear();
        subject_observe(subject, note, &task);
        task.body();
    }
    subject_observe(subject, nullptr, nullptr);
}

void TaskGraph::run_in_random_order(std::mt19937_64 &random, bool newest_first) const
{
    auto before = predecessors();
    std::vector<std::size_t> waiting(tasks.size()), ready;
    std::vector<std::vector<std::size_t>> after(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); t++) {
        waiting[t] = before[t].size();
        for (std::size_t p : before[t])
            after[p].push_back(t);
        if (waiting[t] == 0)
            ready.push_back(t);
    }
    while (!ready.empty()) {
        auto chosen = newest_first && random() % 4 != 0
                          ? std::max_element(ready.begin(), ready.end())
                          : ready.begin() + static_cast<std::ptrdiff_t>(random() % ready.size());
        std::size_t task = *chosen;
        *chosen = ready.back();
        ready.pop_back();
        tasks[task].body();
        for (std::size_t next : after[task])
            if (--waiting[next] == 0)
                ready.push_back(next);
    }
}

std::vector<std::vector<bool>> TaskGraph::ancestors() const
{
    auto before = predecessors();
    std::vector<std::vector<bool>> result(tasks.size(), std::vector<bool>(tasks.size()));
    for (std::size_t t = 0; t < tasks.size(); t++)
        for (std::size_t p : before[t]) {
            result[t][p] = true;
            for (std::size_t a = 0; a < p; a++)
                if (result[p][a])
                    result[t][a] = true;
        }
    return result;
}

std::vector<Edge> TaskGraph::unordered_conflicts() const
{
    std::map<const void *, std::vector<std::pair<std::size_t, bool>>> uses;
    for (std::size_t t = 0; t < tasks.size(); t++)
        for (const Access &access : tasks[t].accesses)
            uses[access.object].push_back({t, access.written});
    auto reach = ancestors();
    std::vector<Edge> conflicts;
    for (const auto &[object, list] : uses)
        for (std::size_t b = 0; b < list.size(); b++)
            for (std::size_t a = 0; a < b; a++)
                if ((list[a].second || list[b].second) && list[a].first != list[b].first &&
                    !reach[list[b].first][list[a].first])
                    conflicts.push_back({list[a].first, list[b].first});
    return conflicts;
}

} // namespace pollux
