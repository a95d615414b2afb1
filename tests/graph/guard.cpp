// SPDX-License-Identifier: BSD-3-Clause
// A fault opens the object one step further, for reading and then for writing, and the instruction is
// retried: the number of faults shows which of the two it was, on every processor.
#include "guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace pollux {

namespace {

// A signal handler has no argument of its own.
Guard *watching = nullptr;

void change(void *address, std::size_t bytes, Rights rights)
{
    int access = rights == Rights::none   ? PROT_NONE
                 : rights == Rights::read ? PROT_READ
                                          : PROT_READ | PROT_WRITE;
    if (mprotect(address, bytes, access) != 0)
        std::abort();
}

} // namespace

Guard::Guard() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), before_()
{
    if (std::exchange(watching, this))
        std::abort();
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
}

Guard::~Guard()
{
    sigaction(SIGSEGV, &before_, nullptr);
    watching = nullptr;
    for (const Object &object : objects_)
        if (object.border)
            munmap(object.base, object.length);
        else
            change(object.base, object.length, Rights::write);
}

void *Guard::add(const std::string &name, std::size_t bytes)
{
    std::size_t length = (bytes + page_ - 1) / page_ * page_ + 2 * page_;
    void *base = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || bytes % 64 != 0)
        std::abort();
    watch(
        {name, static_cast<char *>(base), page_, length, bytes, Rights::none, false, false, false});
    return first(size() - 1);
}

void Guard::adopt(const std::string &name, void *first, std::size_t bytes)
{
    if (reinterpret_cast<std::size_t>(first) % page_ != 0 || bytes % page_ != 0)
        std::abort();
    watch({name, static_cast<char *>(first), 0, bytes, bytes, Rights::none, false, false, false});
}

void Guard::watch(Object object)
{
    objects_.push_back(std::move(object));
    set(size() - 1, Rights::write);
}

std::size_t Guard::find(const void *address) const
{
    const char *byte = static_cast<const char *>(address);
    for (std::size_t i = 0; i < size(); i++)
        if (byte >= first(i) && byte < first(i) + bytes(i))
            return i;
    return NOTHING;
}

const std::string &Guard::name(std::size_t object) const
{
    return objects_[object].name;
}

char *Guard::first(std::size_t object) const
{
    const Object &o = objects_[object];
    return o.base + o.length - o.border - o.bytes;
}

std::size_t Guard::bytes(std::size_t object) const
{
    return objects_[object].bytes;
}

std::size_t Guard::size() const
{
    return objects_.size();
}

void Guard::protect(Object &object, Rights rights)
{
    change(object.base + object.border, object.length - 2 * object.border, rights);
    object.rights = rights;
}

void Guard::set(std::size_t object, Rights rights)
{
    if (objects_[object].rights != rights)
        protect(objects_[object], rights);
}

void Guard::set_all(Rights rights)
{
    for (std::size_t i = 0; i < size(); i++)
        set(i, rights);
}

std::vector<Trespass> Guard::take()
{
    std::vector<Trespass> list;
    for (std::size_t i = 0; i < size(); i++) {
        Object &o = objects_[i];
        if (o.written || o.read)
            list.push_back({i, o.written ? Trespass::Kind::write : Trespass::Kind::read});
        if (o.outside) {
            list.push_back({i, Trespass::Kind::outside});
            change(o.base, page_, Rights::none);
            change(o.base + o.length - page_, page_, Rights::none);
        }
        o.read = o.written = o.outside = false;
    }
    return list;
}

// Records a fault and opens what it touched. Returns false if it was none of our objects.
bool Guard::pass(char *address)
{
    for (Object &o : objects_) {
        if (address < o.base || address >= o.base + o.length)
            continue;
        std::size_t offset = static_cast<std::size_t>(address - o.base) / page_ * page_;
        bool outside = o.border && (offset == 0 || offset == o.length - page_);
        if (outside) {
            o.outside = true;
            change(o.base + offset, page_, Rights::write);
        } else if (o.rights == Rights::none) {
            o.read = true;
            protect(o, Rights::read);
        } else if (o.rights == Rights::read) {
            o.written = true;
            protect(o, Rights::write);
        } else {
            return false;
        }
        return true;
    }
    return false;
}

// A fault elsewhere happens again under the handler that was there before.
void Guard::on_fault(int, siginfo_t *info, void *)
{
    if (!watching->pass(static_cast<char *>(info->si_addr)))
        sigaction(SIGSEGV, &watching->before_, nullptr);
}

} // namespace pollux
