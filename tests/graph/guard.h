// SPDX-License-Identifier: BSD-3-Clause
// Memory whose objects are on pages of their own, each closed, open for reading, or open. An access to
// a closed object is recorded and allowed, so that one run shows them all.
#ifndef POLLUX_TESTS_GRAPH_GUARD_H
#define POLLUX_TESTS_GRAPH_GUARD_H

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

namespace pollux {

enum class Rights { none, read, write };

// An access beyond an object's rights.
struct Trespass {
    enum class Kind { read, write, outside }; // outside: on the page before or after the object
    std::size_t object;
    Kind kind;
};

// While it lives it handles SIGSEGV, so there may be one at a time. For one thread.
class Guard {
  public:
    Guard();
    ~Guard();
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

    // Reserves an object of zeros, open, that ends where its pages end: bytes is a multiple of 64, so
    // that it begins on a cache line. Returns its first byte.
    void *add(const std::string &name, std::size_t bytes);

    // Watches whole pages that others reserved, and will release: objects that are next to each other. What
    // is before and after them is not watched.
    void adopt(const std::string &name, void *first, std::size_t bytes);

    static constexpr std::size_t NOTHING = ~std::size_t{0};

    // The object that contains an address, or NOTHING.
    std::size_t find(const void *address) const;
    const std::string &name(std::size_t object) const;
    char *first(std::size_t object) const;
    std::size_t bytes(std::size_t object) const;
    std::size_t size() const;

    void set(std::size_t object, Rights rights);
    void set_all(Rights rights);

    // The violations since the last call. Pages that they opened stay open until they are set.
    std::vector<Trespass> take();

  private:
    struct Object {
        std::string name;
        char *base;         // the border before the object's own pages
        std::size_t border; // bytes of a page, or 0 where there is none
        std::size_t length; // of all pages
        std::size_t bytes;  // of the object
        Rights rights;
        bool read, written, outside; // beyond its rights
    };

    static void on_fault(int signal, siginfo_t *info, void *context);
    bool pass(char *address);
    void watch(Object object);
    void protect(Object &object, Rights rights);

    std::vector<Object> objects_;
    std::size_t page_;
    struct sigaction before_;
};

} // namespace pollux

#endif
