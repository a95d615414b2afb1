// SPDX-License-Identifier: BSD-3-Clause
// Entry points by which compiled code creates tasks, for the two binary interfaces: GCC's (libgomp)
// and LLVM's (libomp). An executable's own definition comes before the shared library's. The calls
// are declared here from the interfaces' description; a change of these shows as a failing test.
#include "recorder.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

std::vector<pollux::Task> *recording = nullptr;
std::size_t waits = 0;
bool undeferred = false;

void keep(std::function<void()> body, std::vector<pollux::Item> items)
{
    if (undeferred)
        return body();
    pollux::Task task;
    task.body = std::move(body);
    task.items = std::move(items);
    pollux::record_call(std::move(task));
}

// The interfaces number the kinds alike, but for `inoutset`.
pollux::Dependence kind_of(std::uintptr_t kind, std::uintptr_t inoutset)
{
    enum : std::uintptr_t { in = 1, mutexinoutset = 4 };
    if (kind == in)
        return pollux::Dependence::in;
    if (kind == mutexinoutset)
        return pollux::Dependence::mutexinoutset;
    return kind == inoutset ? pollux::Dependence::inoutset : pollux::Dependence::inout;
}

} // namespace

std::vector<pollux::Task> pollux::record(const std::function<void()> &submit,
                                         std::size_t *total_waits)
{
    std::vector<Task> tasks;
    recording = &tasks;
    waits = 0;
    submit();
    recording = nullptr;
    if (total_waits)
        *total_waits = waits;
    return tasks;
}

void pollux::record_call(Task call)
{
    if (!recording)
        std::abort();
    call.waits = waits;
    recording->push_back(std::move(call));
}

void pollux::run_undeferred(const std::function<void()> &body)
{
    undeferred = true;
    body();
    undeferred = false;
}

// No thread runs tasks while they are recorded: a wait is only counted.
#if defined(__clang__)
extern "C" std::int32_t __kmpc_omp_taskwait(void *, std::int32_t)
{
    waits++;
    return 0;
}
#else
extern "C" void GOMP_taskwait()
{
    waits++;
}
#endif

#if defined(__clang__)

namespace {

// kmp_task_t begins with these; the task's private copies follow at the compiler's choice.
struct KmpTask {
    void *shareds;
    std::int32_t (*routine)(std::int32_t, void *);
    std::int32_t part;
};

// kmp_depend_info_t
struct KmpItem {
    std::intptr_t address;
    std::size_t length;
    std::uint8_t flags;
};

constexpr std::uintptr_t INOUTSET = 8;

} // namespace

extern "C" {

void *__kmpc_omp_task_alloc(void *, std::int32_t, std::int32_t, std::size_t task_bytes,
                            std::size_t shared_bytes, std::int32_t (*routine)(std::int32_t, void *))
{
    std::size_t offset = (task_bytes + 63) / 64 * 64;
    auto *memory = static_cast<char *>(std::calloc(1, offset + shared_bytes + 64));
    auto *task = reinterpret_cast<KmpTask *>(memory);
    task->shareds = memory + offset;
    task->routine = routine;
    return task;
}

std::int32_t __kmpc_omp_task_with_deps(void *, std::int32_t, void *task, std::int32_t count,
                                       const KmpItem *list, std::int32_t, const KmpItem *)
{
    std::vector<pollux::Item> items;
    for (std::int32_t i = 0; i < count; i++)
        items.push_back(
            {reinterpret_cast<const void *>(list[i].address), kind_of(list[i].flags, INOUTSET)});
    std::shared_ptr<KmpTask> owner(static_cast<KmpTask *>(task), std::free);
    keep([owner] { owner->routine(0, owner.get()); }, std::move(items));
    return 0;
}

std::int32_t __kmpc_omp_task(void *location, std::int32_t thread, void *task)
{
    return __kmpc_omp_task_with_deps(location, thread, task, 0, nullptr, 0, nullptr);
}
}

#else

namespace {

// GCC's list: {n, outs, addresses…}, or {0, n, outs, mutexinoutsets, ins, addresses…, depend
// objects…}. A depend object holds an address and a kind.
constexpr std::uintptr_t INOUTSET = 5;

std::vector<pollux::Item> items_of(void **depend)
{
    std::vector<pollux::Item> items;
    auto number = [depend](int i) { return reinterpret_cast<std::uintptr_t>(depend[i]); };
    bool extended = number(0) == 0;
    std::size_t count = number(extended ? 1 : 0), outs = number(extended ? 2 : 1);
    std::size_t mutexes = extended ? number(3) : 0;
    std::size_t ins = extended ? number(4) : count - outs;
    void **addresses = depend + (extended ? 5 : 2);
    for (std::size_t i = 0; i < count; i++) {
        if (i < outs)
            items.push_back({addresses[i], pollux::Dependence::inout});
        else if (i < outs + mutexes)
            items.push_back({addresses[i], pollux::Dependence::mutexinoutset});
        else if (i < outs + mutexes + ins)
            items.push_back({addresses[i], pollux::Dependence::in});
        else {
            void **object = static_cast<void **>(addresses[i]);
            items.push_back(
                {object[0], kind_of(reinterpret_cast<std::uintptr_t>(object[1]), INOUTSET)});
        }
    }
    return items;
}

} // namespace

extern "C" void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *),
                          long bytes, long alignment, bool, unsigned flags, void **depend, int,
                          void *)
{
    enum { has_depend = 8 };
    std::size_t size = (static_cast<std::size_t>(bytes) + static_cast<std::size_t>(alignment)) /
                       static_cast<std::size_t>(alignment) * static_cast<std::size_t>(alignment);
    std::shared_ptr<void> arguments(
        std::aligned_alloc(static_cast<std::size_t>(alignment < 8 ? 8 : alignment),
                           (size + 7) / 8 * 8),
        std::free);
    if (copy)
        copy(arguments.get(), data);
    else
        std::memcpy(arguments.get(), data, static_cast<std::size_t>(bytes));
    keep([body, arguments] { body(arguments.get()); },
         flags & has_depend ? items_of(depend) : std::vector<pollux::Item>());
}

#endif
