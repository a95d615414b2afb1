// SPDX-License-Identifier: BSD-3-Clause
// A problem of one variant whose tiles, blocks, factors and stand-ins are on pages of their own, so that each
// kernel call can be checked against the objects that it lists.
#ifndef POLLUX_TESTS_GRAPH_WATCHED_H
#define POLLUX_TESTS_GRAPH_WATCHED_H

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "guard.h"
#include "tests/support.h"

namespace pollux {

// Of most problems that are watched.
constexpr size_t NB = 40, IB = 8;
constexpr uint64_t SEED = 7;

// A kernel call as reported to an observer.
struct Shown {
    std::string kernel;
    size_t step = 0;
    std::vector<struct access> accesses;
};

// Complaints about calls that touch what they do not list, a line each.
using Complaints = std::vector<std::string>;

class Watched {
  public:
    Watched(const Subject &subject, const Trial::Shape &shape);
    ~Watched();
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;

    // Fills the matrix, with every object open, and sets pivots that exchange nothing.
    void fill(uint64_t seed);

    // Factors it. While a kernel runs, an object that it does not list is closed, and one that it
    // lists as read is open for reading only.
    Complaints factor();

    // The same for kernel calls other than the variant's.
    Complaints watch(const std::function<void()> &calls);

    // The call without its computation.
    Shown show(const std::function<void()> &call);

    uint64_t digest() const;
    bool failed() const;
    struct problem *problem() const;
    Guard &guard();

    // LU's pivots, or NOTHING.
    size_t pivots() const;

    // What an address in a list stands for: its object, or in Strassen's workspace the blocks that are
    // written together with it. Empty if it is none of the problem's.
    std::vector<size_t> objects(const void *address) const;

  private:
    void move_tiles(tile_matrix *A, const char *letter);
    void move_lu_factors();
    void move_grid();
    void move_line(double *&line, const char *name);
    void watch_blocks(const tile_matrix *A, const char *letter);
    size_t block_bytes() const;
    lu_factors *factors() const;
    void begin(const Shown &call);
    void end();
    void open(const Shown &call);
    void complain(const std::string &what);
    bool lists(size_t object) const;
    void hide_pivots(const Shown &call);
    void reveal_pivots();
    void compare_blocks();

    const Subject subject_;
    Trial trial_;
    struct problem *problem_;
    Guard guard_;
    size_t pivots_ = Guard::NOTHING, panel_ = Guard::NOTHING;
    lu_factors own_lu_{};                                   // where they were before they moved
    std::vector<std::pair<double **, double *>> own_lines_; // the same of Jacobi's boundary
    std::set<size_t> divided_;                              // objects of which lists name parts
    std::set<size_t> input_; // objects that no list names, since no task writes them

    Shown running_;
    Complaints complaints_;
    std::vector<int> true_pivots_; // of all steps, while those that a call does not list are hidden
    size_t pivots_from_ = 0, pivots_to_ = 0; // those that it lists
    std::vector<double> panel_before_;       // while an update of the packed panel runs
    std::set<size_t> updated_;               // elements written by updates that may run at once
};

} // namespace pollux

#endif
