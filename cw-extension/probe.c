/* SPDX-License-Identifier: BSD-3-Clause
 * Two writers each announce themselves and wait, for a bounded time, to see the other. Neither begins before all
 * tasks exist, and the first one lingers: so a later task that does not wait for them has the time to show it. */
#include "common/base/clock.h"
#include "cw-extension/concurrent_write.h"

#include <stdatomic.h>

#include "common/execution/team.h"
#include "cw-extension/meeting.h"

/* Long enough for a sleeping thread to wake up; only serialised writers wait that long. */
static const double PATIENCE_SECONDS = 0.3;
static const double LINGERING_SECONDS = 0.002;

struct meeting {
    double patience;      /* seconds; 0 where one thread runs all tasks */
    atomic_int opened;    /* all tasks have been created */
    atomic_int arrived;   /* writers that have begun */
    atomic_int overlaps;  /* writers that saw the other one while they ran */
    atomic_int finished;  /* writers that have ended */
    atomic_int too_early; /* the later task ran before both had ended */
};

static void wait_for(atomic_int *count, int least, double seconds)
{
    double end = now_seconds() + seconds;
    while (atomic_load(count) < least && now_seconds() < end)
        continue;
}

void meeting_open(struct meeting *meeting)
{
    atomic_store(&meeting->opened, 1);
}

void meeting_write(struct meeting *meeting)
{
    wait_for(&meeting->opened, 1, meeting->patience);
    int before = atomic_fetch_add(&meeting->arrived, 1);
    wait_for(&meeting->arrived, 2, meeting->patience);
    if (before == 0)
        wait_for(&meeting->too_early, 1, LINGERING_SECONDS);
    if (atomic_load(&meeting->arrived) == 2 && atomic_load(&meeting->finished) == 0)
        atomic_fetch_add(&meeting->overlaps, 1);
    atomic_fetch_add(&meeting->finished, 1);
}

void meeting_close(struct meeting *meeting)
{
    if (atomic_load(&meeting->finished) != 2)
        atomic_store(&meeting->too_early, 1);
}

static const char *verdict(struct meeting *meeting, size_t threads)
{
    if (atomic_load(&meeting->too_early))
        return "broken";
    if (threads < 2)
        return "not shown";
    return atomic_load(&meeting->overlaps) > 0 ? "concurrent" : "serialised";
}

static const char *probe(size_t threads, void (*submit)(void *meeting))
{
    struct meeting meeting = {.patience = threads < 2 ? 0.0 : PATIENCE_SECONDS};
    struct team_run run = team_time(threads < 2 ? 1 : threads, submit, &meeting, NULL);
    return verdict(&meeting, run.threads == threads ? threads : 0);
}

static const char *probe_writers(size_t threads)
{
    return probe(threads, meeting_submit);
}

static const char *probe_readers(size_t threads)
{
    return probe(threads, meeting_submit_readers);
}

const struct concurrent_write concurrent_write = {
#if defined(POLLUX_CW_LIBKOMP)
    .clause = "depend(cw)",
    .native = true,
#elif defined(POLLUX_CW_OMPSS)
    .clause = "concurrent",
    .native = true,
#elif defined(POLLUX_CW_INOUTSET)
    .clause = "depend(inoutset)",
    .native = true,
#else
    .clause = "depend(in)",
    .notice = "this compiler has no concurrent-write clause: depend(in), which lets the updates of "
              "a column run "
              "concurrently too, takes its place",
#endif
    .probe = probe_writers};

const struct concurrent_write concurrent_readers = {.clause = "depend(in)", .probe = probe_readers};
