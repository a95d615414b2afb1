// SPDX-License-Identifier: BSD-3-Clause
// A domain is recorded by running its creator, and each of its tasks then runs with all that is below it, for
// its accesses, before its own domain is recorded.
#include "domains.h"

#include "recorder.h"

namespace pollux {

namespace {

class Domains {
  public:
    explicit Domains(subject *subject) : subject_(subject)
    {
        subject_describe(subject_, note, this);
        check([this] { subject_submit(subject_); }, true);
        subject_describe(subject_, nullptr, nullptr);
    }

    std::vector<std::string> conflicts;

  private:
    static void note(void *context, const char *kernel, std::size_t step,
                     const void *const *objects, const bool *written, std::size_t count)
    {
        auto *domains = static_cast<Domains *>(context);
        Task call;
        call.deferred = false;
        Task &task = domains->running_ ? *domains->running_ : call;
        task.kernel = kernel;
        task.step = step;
        for (std::size_t i = 0; i < count; i++)
            task.accesses.push_back({objects[i], written[i]});
        if (!domains->running_)
            record_call(call);
    }

    void check(const std::function<void()> &create, bool outermost)
    {
        std::size_t waits = 0;
        TaskGraph graph(record(create, &waits));
        for (Task &task : graph.tasks)
            if (task.deferred) {
                running_ = &task;
                run_undeferred(task.body);
                running_ = nullptr;
            }
        for (auto [first, second] : graph.unordered_conflicts())
            conflicts.push_back(name(graph.tasks[first]) + " and " + name(graph.tasks[second]) +
                                " are not ordered");
        for (const Task &task : graph.tasks) {
            if (!task.deferred)
                continue;
            if (!outermost && task.waits == waits)
                conflicts.push_back("nothing waits for " + name(task));
            check(task.body, false);
        }
    }

    static std::string name(const Task &task)
    {
        return task.kernel + " (step " + std::to_string(task.step) + ")";
    }

    subject *subject_;
    Task *running_ = nullptr;
};

} // namespace

std::vector<std::string> conflicts_of_all_domains(subject *subject)
{
    return Domains(subject).conflicts;
}

} // namespace pollux
