// SPDX-License-Identifier: BSD-3-Clause
// Tiles move by their table of addresses, which all code goes through. An observer is called before
// a kernel computes, which on one thread is after the one before has ended: there pages open and
// close.
#include "watched.h"

#include <algorithm>

extern "C" {
#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
#include "lu/panel_pieces.h"
}

namespace pollux {

namespace {

size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

std::string place(size_t i, size_t j)
{
    return "(" + std::to_string(i) + "," + std::to_string(j) + ")";
}

std::string beginning(const Shown &call)
{
    return call.kernel + ", step " + std::to_string(call.step) + ": ";
}

} // namespace

Watched::Watched(const Subject &subject, const Trial::Shape &shape)
    : subject_(subject), trial_(subject, shape), problem_(trial_.problem())
{
    if (subject.benchmark->multiply)
        move_tiles(problem_->A, "A");
    if (subject.benchmark == &qr) {
        auto *factors = static_cast<qr_factors *>(problem_->factors);
        move_tiles(factors->T, "T");
        move_tiles(factors->S, "S");
    }
    if (subject.benchmark == &lu || subject.benchmark == &lu_cw)
        move_lu_factors();
    if (subject.benchmark == &jacobi)
        move_grid();
    if (subject.benchmark == &sparselu)
        move_tiles(sparselu_blocks(problem_)->pool, "block");
    if (subject.benchmark == &strassen) {
        const struct matrices *s = strassen_of(problem_);
        watch_blocks(s->A, "A");
        watch_blocks(s->B, "B");
        watch_blocks(s->C, "C");
        watch_blocks(s->work, "W");
    }
}

Watched::~Watched()
{
    if (pivots_ != Guard::NOTHING)
        *factors() = own_lu_;
    for (auto [line, own] : own_lines_)
        *line = own;
}

void Watched::move_tiles(tile_matrix *A, const char *letter)
{
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++) {
            struct tile t = tile_at(A, i, j);
            A->column[i + j * A->mt] = static_cast<double *>(
                guard_.add(letter + place(i, j), t.ld * t.cols * sizeof(double)));
        }
}

void Watched::move_lu_factors()
{
    lu_factors *moved = factors();
    const struct tile_matrix *A = problem_->A;
    own_lu_ = *moved;
    pivots_ = guard_.size();
    moved->pivots = static_cast<int *>(
        guard_.add("the pivots", whole_lines(std::min(A->m, A->n) * sizeof(int))));
    panel_ = guard_.size();
    moved->panel = static_cast<double *>(guard_.add(
        "the packed panel", whole_lines(kernel_getrf_panel_doubles(A) * sizeof(double))));
    moved->standins = static_cast<double *>(
        guard_.add("the stand-ins", whole_lines((A->nt + 1) * sizeof(double))));
    divided_ = {pivots_, panel_};
    if (!moved->rows.memory)
        return;
    divided_.insert(guard_.size());
    size_t bytes = panel_rows_bytes(moved->rows.columns, moved->rows.others);
    panel_rows_place(&moved->rows,
                     static_cast<double *>(guard_.add("the rows of a panel", whole_lines(bytes))));
}

void Watched::move_grid()
{
    struct grid *g = grid_of(problem_);
    move_tiles(g->u[0], "U");
    move_tiles(g->u[1], "V");
    size_t first = guard_.size();
    move_tiles(g->b, "B");
    for (size_t object = first; object < guard_.size(); object++)
        input_.insert(object);
    move_line(g->north, "the northern boundary");
    move_line(g->south, "the southern boundary");
    move_line(g->west, "the western boundary");
    move_line(g->east, "the eastern boundary");
}

void Watched::move_line(double *&line, const char *name)
{
    own_lines_.emplace_back(&line, line);
    divided_.insert(guard_.size());
    line = static_cast<double *>(guard_.add(name, whole_lines(problem_->n * sizeof(double))));
}

// Quadrants of quadrants are contiguous, so blocks cannot move apart: they are watched where they are.
void Watched::watch_blocks(const tile_matrix *A, const char *letter)
{
    for (size_t first = 0; A && first < A->bytes; first += block_bytes())
        guard_.adopt(letter + ("[" + std::to_string(first / block_bytes()) + "]"),
                     reinterpret_cast<char *>(A->storage) + first, block_bytes());
}

size_t Watched::block_bytes() const
{
    return strassen_of(problem_)->recursion.block_doubles * sizeof(double);
}

std::vector<size_t> Watched::objects(const void *address) const
{
    size_t object = guard_.find(address);
    if (object == Guard::NOTHING)
        return {};
    if (subject_.benchmark != &strassen || guard_.name(object)[0] != 'W')
        return {object};
    const struct matrices *s = strassen_of(problem_);
    const struct recursion *r = &s->recursion;
    const auto *element = static_cast<const double *>(address);
    auto offset = static_cast<size_t>(element - s->work->storage);
    size_t level = r->task_levels - 1;
    while (s->work_start[level] > offset)
        level--;
    size_t quadrant = quadrant_doubles(r, level);
    size_t place = (offset - s->work_start[level]) / quadrant % r->form->work_count;
    std::vector<size_t> all;
    for (size_t other = place; other < r->form->work_count; other++)
        if (r->form->named[other] == WORK + place)
            all.push_back(guard_.find(element + (other - place) * quadrant));
    return all;
}

lu_factors *Watched::factors() const
{
    return static_cast<lu_factors *>(problem_->factors);
}

void Watched::fill(uint64_t seed)
{
    struct problem *p = problem_;
    guard_.set_all(Rights::write);
    p->input = {subject_.variant->input, p->m, p->n, seed, nullptr};
    if (subject_.benchmark->generate)
        subject_.benchmark->generate(p);
    else
        input_fill(&p->input, p->A, 1, 1);
    execution_reset(p->execution);
    if (pivots_ != Guard::NOTHING)
        for (size_t i = 0; i < std::min(p->m, p->n); i++)
            factors()->pivots[i] = static_cast<int>(i) + 1;
}

Complaints Watched::factor()
{
    auto submit = [](void *watched) {
        const auto *w = static_cast<const Watched *>(watched);
        w->subject_.variant->submit(w->problem_);
    };
    if (subject_.variant->sequential)
        return watch([&] { submit(this); });
    return watch([&] { team_time(1, submit, this, nullptr); });
}

Complaints Watched::watch(const std::function<void()> &calls)
{
    auto begin = [](void *context, struct call call, const struct access *accesses, size_t count) {
        auto *watched = static_cast<Watched *>(context);
        watched->end();
        watched->begin({call.kernel->name, call.step, {accesses, accesses + count}});
    };
    const observer observer = {begin, this};
    complaints_.clear();
    updated_.clear();
    problem_->execution->observer = &observer;
    calls();
    problem_->execution->observer = nullptr;
    end();
    guard_.set_all(Rights::write);
    return complaints_;
}

Shown Watched::show(const std::function<void()> &call)
{
    auto keep = [](void *context, struct call made, const struct access *accesses, size_t count) {
        *static_cast<Shown *>(context) = {
            made.kernel->name, made.step, {accesses, accesses + count}};
    };
    Shown shown;
    const observer observer = {keep, &shown};
    execution *x = problem_->execution;
    x->observer = &observer;
    x->describing = true;
    call();
    x->describing = false;
    x->observer = nullptr;
    return shown;
}

void Watched::complain(const std::string &what)
{
    complaints_.push_back(beginning(running_) + what);
}

void Watched::begin(const Shown &call)
{
    running_ = call;
    if (pivots_ != Guard::NOTHING) {
        guard_.set(pivots_, Rights::write);
        hide_pivots(call);
    }
    if (call.kernel == "panel_gemm") {
        guard_.set(panel_, Rights::write);
        const auto *panel = reinterpret_cast<const double *>(guard_.first(panel_));
        panel_before_.assign(panel, panel + guard_.bytes(panel_) / sizeof(double));
    } else {
        updated_.clear();
    }
    open(call);
}

void Watched::open(const Shown &call)
{
    std::vector<Rights> rights(guard_.size(), Rights::none);
    for (size_t object : input_)
        rights[object] = Rights::read;
    for (const struct access &listed : call.accesses) {
        std::vector<size_t> all = objects(listed.object);
        if (all.empty() || (divided_.count(all[0]) == 0 && listed.object != guard_.first(all[0])))
            complain("lists an object that is none of the problem's");
        else
            for (size_t object : all)
                rights[object] = std::max(
                    rights[object], listed.mode == ACCESS_WRITE ? Rights::write : Rights::read);
    }
    // The scratch memory of a panel: no getrf reads what another left there, and they are ordered by
    // the tiles they list.
    if (call.kernel == "getrf" && panel_ != Guard::NOTHING && rights[pivots_] != Rights::none)
        rights[panel_] = Rights::write;
    for (size_t object = 0; object < rights.size(); object++)
        guard_.set(object, rights[object]);
}

bool Watched::lists(size_t object) const
{
    return std::any_of(running_.accesses.begin(), running_.accesses.end(),
                       [&](const struct access &a) {
                           std::vector<size_t> all = objects(a.object);
                           return std::find(all.begin(), all.end(), object) != all.end();
                       });
}

void Watched::end()
{
    if (running_.kernel.empty())
        return;
    for (const Trespass &trespass : guard_.take()) {
        const std::string &name = guard_.name(trespass.object);
        bool listed = lists(trespass.object);
        if (trespass.kind == Trespass::Kind::outside)
            complain("touches memory next to " + name);
        else
            complain((trespass.kind == Trespass::Kind::write ? "writes " : "reads ") + name +
                     (listed ? ", which it lists as read" : ", which it does not list"));
    }
    reveal_pivots();
    if (!panel_before_.empty())
        compare_blocks();
    panel_before_.clear();
    running_ = {};
}

// Pivots of all steps share a page. Those that a call does not list point to the last row: a kernel that
// reads them exchanges wrong rows, and the digest shows it. What is written there stays.
void Watched::hide_pivots(const Shown &call)
{
    int *pivots = factors()->pivots;
    size_t count = std::min(problem_->m, problem_->n), nb = problem_->A->nb;
    pivots_from_ = count;
    pivots_to_ = 0; // a call lists consecutive steps
    for (const struct access &listed : call.accesses)
        if (guard_.find(listed.object) == pivots_) {
            auto first = static_cast<size_t>(static_cast<const int *>(listed.object) - pivots);
            pivots_from_ = std::min(pivots_from_, first);
            pivots_to_ = std::max(pivots_to_, std::min(first + nb, count));
        }
    true_pivots_.assign(pivots, pivots + count);
    for (size_t i = 0; i < count; i++)
        if (i < pivots_from_ || i >= pivots_to_)
            pivots[i] = static_cast<int>(problem_->m);
}

void Watched::reveal_pivots()
{
    if (true_pivots_.empty())
        return;
    guard_.set(pivots_, Rights::write);
    int *pivots = factors()->pivots;
    bool written = false;
    for (size_t i = 0; i < true_pivots_.size(); i++) {
        if (i >= pivots_from_ && i < pivots_to_)
            continue;
        if (pivots[i] == static_cast<int>(problem_->m))
            pivots[i] = true_pivots_[i];
        else
            written = true;
    }
    true_pivots_.clear();
    if (written)
        complain("writes pivots of another step than it lists");
}

// Updates between two waits run at once: each may write a block of its own, which begins at the
// element it lists.
void Watched::compare_blocks()
{
    guard_.set(panel_, Rights::write);
    const auto *panel = reinterpret_cast<const double *>(guard_.first(panel_));
    size_t row, column, k = running_.step;
    piece_coordinates(problem_, k, running_.accesses.back().object, &row, &column);
    size_t ld = tile_leading_dimension(problem_->m - k * problem_->A->nb);
    bool above = false, again = false;
    for (size_t i = 0; i < panel_before_.size(); i++)
        if (!same_bits(panel[i], panel_before_[i])) {
            above = above || i % ld < row || i / ld < column;
            again = !updated_.insert(i).second || again;
        }
    if (above)
        complain("writes before the block it lists");
    if (again)
        complain("writes what another update wrote that may run at the same time");
}

uint64_t Watched::digest() const
{
    return subject_.benchmark->digest(problem_);
}

bool Watched::failed() const
{
    return execution_failed(problem_->execution);
}

struct problem *Watched::problem() const
{
    return problem_;
}

Guard &Watched::guard()
{
    return guard_;
}

size_t Watched::pivots() const
{
    return pivots_;
}

} // namespace pollux
