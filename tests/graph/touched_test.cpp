// SPDX-License-Identifier: BSD-3-Clause
// Proves that kernels touch what they list, since the checks of task graphs rest on these lists:
// while a kernel runs, no tile is accessible but those that it lists.
#include "watched.h"

extern "C" {
#include "lu/panel_pieces.h"
}

namespace {

using pollux::Complaints;
using pollux::IB;
using pollux::NB;
using pollux::SEED;
using pollux::Watched;

// No SCOPED_TRACE: it must end on the thread it began on, and under BOLT the main thread changes.
void expect_touches_its_lists(const Subject &subject, const Trial::Shape &shape)
{
    const std::string place = describe({{"m", shape.m}, {"n", shape.n}, {"nb", shape.nb}});
    Watched watched(subject, shape);
    watched.fill(SEED);
    EXPECT_EQ(watched.factor(), Complaints{}) << place;
    EXPECT_FALSE(watched.failed()) << place;
    EXPECT_EQ(watched.digest(), Trial(subject, shape).once(SEED).digest) << place;
}

// The last of them is high enough for several nested updates of a packed panel (lu/panel_tasks.c).
const std::pair<size_t, size_t> sizes[] = {{160, 160}, {150, 150}, {30, 30},
                                           {190, 90},  {90, 190},  {600, 90}};

// Strassen's blocks are pages where leaves have the order 32: one and two levels of tasks, with zeros, with a level
// within a task.
std::vector<Trial::Shape> shapes_of_strassen()
{
    std::vector<Trial::Shape> list;
    for (size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN})
        for (auto [n, nb] : {std::pair<size_t, size_t>{64, 32}, {128, 32}, {125, 32}, {128, 64}})
            list.push_back({n, n, nb, 0, 1, 1, {form, DEPTH_MAX, 32}});
    return list;
}

std::vector<Trial::Shape> shapes_of(const Subject &subject)
{
    if (subject.benchmark == &strassen)
        return shapes_of_strassen();
    std::vector<Trial::Shape> list;
    for (size_t nb : Sizes{16, 33, 40})
        for (size_t height : subject.benchmark->tall_tiles ? Sizes{1, 3, 100} : Sizes{1})
            for (auto [m, n] : sizes)
                if (allows(subject, m, n))
                    list.push_back({m, n, nb, IB, 1, height});
    return list;
}

// Tiles in time share tiles: their lists name stand-ins, which are no memory that a kernel touches. Vectors of a tree of
// cells follow each other without space between them, so that pages contain several; so do Fourier transforms.
std::vector<Subject> subjects_with_objects()
{
    std::vector<Subject> list;
    for (const Subject &subject : subjects())
        if (subject.name() != "jacobi wavefront" && subject.benchmark != &cell_tree &&
            subject.benchmark != &batched_fft)
            list.push_back(subject);
    return list;
}

class Touched : public testing::TestWithParam<Subject> {
  protected:
    void SetUp() override
    {
        char reason[CAPABILITY_TEXT_SIZE];
        const runtime_identity runtime = runtime_identify();
        if (!capabilities_allow(&runtime, GetParam().variant->needs, true, nullptr, reason,
                                sizeof reason))
            GTEST_SKIP() << reason;
    }
};

TEST_P(Touched, AreTheObjectsThatKernelsList)
{
    for (const Trial::Shape &shape : shapes_of(GetParam()))
        expect_touches_its_lists(GetParam(), shape);
}

INSTANTIATE_TEST_SUITE_P(All, Touched, testing::ValuesIn(subjects_with_objects()), subject_name);

// ---- kernels with wrong lists must be found ----

const kernel KERNEL = kernel_named("kernel");

class WrongList : public testing::Test {
  protected:
    explicit WrongList(const char *subject = "cholesky seq")
        : watched_(subject_named(subject), {90, 90, NB, IB, 1}), tiles_(watched_.problem()->A)
    {
        watched_.fill(SEED);
    }

    double *tile(size_t i, size_t j)
    {
        return tile_address(tiles_, i, j);
    }

    // The complaints about a kernel that lists `accesses` and does `work`.
    Complaints of(std::vector<struct access> accesses, const std::function<void()> &work)
    {
        return watched_.watch([&] {
            execution_enter(watched_.problem()->execution, {&KERNEL, 1, {}}, accesses.data(),
                            accesses.size());
            work();
        });
    }

    Watched watched_;
    const tile_matrix *tiles_;
};

void look(const double *element)
{
    (void)*static_cast<const volatile double *>(element);
}

void put(double *element)
{
    *static_cast<volatile double *>(element) = 0.5;
}

TEST_F(WrongList, HoldsNoComplaintIfItIsRight)
{
    EXPECT_EQ(of({{tile(1, 0), ACCESS_READ}, {tile(1, 1), ACCESS_WRITE}},
                 [this] {
                     look(tile(1, 0));
                     put(tile(1, 1));
                 }),
              Complaints{});
}

TEST_F(WrongList, IsFoundByAReadOfWhatItDoesNotList)
{
    EXPECT_EQ(of({{tile(0, 0), ACCESS_WRITE}}, [this] { look(tile(1, 0)); }),
              Complaints{"kernel, step 1: reads A(1,0), which it does not list"});
}

TEST_F(WrongList, IsFoundByAWriteOfWhatItDoesNotList)
{
    EXPECT_EQ(of({{tile(0, 0), ACCESS_WRITE}}, [this] { put(tile(1, 0) + 5); }),
              Complaints{"kernel, step 1: writes A(1,0), which it does not list"});
}

TEST_F(WrongList, IsFoundByAWriteOfWhatItListsAsRead)
{
    EXPECT_EQ(of({{tile(2, 1), ACCESS_READ}}, [this] { put(tile(2, 1)); }),
              Complaints{"kernel, step 1: writes A(2,1), which it lists as read"});
}

TEST_F(WrongList, IsFoundByATouchBehindATile)
{
    const struct tile t = tile_at(tiles_, 2, 0);
    EXPECT_EQ(of({{t.a, ACCESS_WRITE}}, [t] { look(t.a + t.ld * t.cols); }),
              Complaints{"kernel, step 1: touches memory next to A(2,0)"});
}

TEST_F(WrongList, IsFoundWhereItNamesAnUnknownObject)
{
    double other = 0.0;
    for (double *object : {&other, tile(1, 1) + 1})
        EXPECT_EQ(of({{object, ACCESS_WRITE}}, [] {}),
                  Complaints{"kernel, step 1: lists an object that is none of the problem's"});
}

TEST_F(WrongList, OfOneKernelDoesNotServeTheNext)
{
    execution *x = watched_.problem()->execution;
    const struct access first = {tile(0, 0), ACCESS_WRITE}, second = {tile(1, 1), ACCESS_WRITE};
    const kernel next = kernel_named("second");
    Complaints complaints = watched_.watch([&] {
        execution_enter(x, {&KERNEL, 0, {}}, &first, 1);
        put(tile(0, 0));
        execution_enter(x, {&next, 3, {}}, &second, 1);
        look(tile(0, 0));
    });
    EXPECT_EQ(complaints, Complaints{"second, step 3: reads A(0,0), which it does not list"});
}

class WrongListOfLu : public WrongList {
  protected:
    WrongListOfLu()
        : WrongList("lu seq"), lu_(static_cast<lu_factors *>(watched_.problem()->factors))
    {
    }
    lu_factors *lu_;
};

TEST_F(WrongListOfLu, IsFoundByPivotsOfAnotherStep)
{
    EXPECT_EQ(of({{lu_->pivots, ACCESS_WRITE}}, [this] { lu_->pivots[NB] = 1; }),
              Complaints{"kernel, step 1: writes pivots of another step than it lists"});
    lu_->pivots[NB] = 41;
    of({{lu_->pivots, ACCESS_READ}}, [this] { EXPECT_NE(lu_->pivots[NB], 41); });
    EXPECT_EQ(lu_->pivots[NB], 41);
}

TEST_F(WrongListOfLu, IsFoundByATouchOfAStandIn)
{
    EXPECT_EQ(of({{tile(0, 0), ACCESS_WRITE}}, [this] { look(lu_->standins); }),
              Complaints{"kernel, step 1: reads the stand-ins, which it does not list"});
}

TEST_F(WrongListOfLu, IsFoundByUpdatesThatWriteEachOthersBlock)
{
    execution *x = watched_.problem()->execution;
    auto update = [&](size_t listed, size_t written) {
        const struct access accesses[] = {{lu_->panel, ACCESS_READ},
                                          {lu_->panel + listed, ACCESS_WRITE}};
        execution_enter(x, {&about_panel_gemm, 0, {}}, accesses, 2);
        for (size_t i = 0; i < 4; i++)
            lu_->panel[written + i] += 1.0;
    };
    EXPECT_EQ(watched_.watch([&] { update(8, 8), update(12, 12); }), Complaints{});
    EXPECT_EQ(
        watched_.watch([&] { update(8, 8), update(12, 10); }),
        (Complaints{"panel_gemm, step 0: writes before the block it lists",
                    "panel_gemm, step 0: writes what another update wrote that may run at the "
                    "same time"}));
}

} // namespace
