/* SPDX-License-Identifier: BSD-3-Clause
 * The creator of an undeferred task does not go on before that task has ended. */
#include "conformance/rule.h"

enum { TASKS = 40, BUSY_MICROSECONDS = 20 };

struct board {
    int parents, children, grandchildren; /* ended */
};

/* In a task that is itself deferred or not. */
static void create_undeferred(struct trial *trial, struct board *board, size_t task)
{
    int child = 0;
    int *ended = &child;
#pragma omp task firstprivate(trial, board, task, ended) if (0)
    {
        int grandchild = 0;
        int *its = &grandchild;
#pragma omp task firstprivate(trial, task, its) if (0)
        {
            keep_busy_randomly(trial, task, BUSY_MICROSECONDS);
            shared_set(its, 1);
        }
        if (!shared_get(its))
            trial_broken(trial, "a task went on before its undeferred child had ended");
        shared_add(&board->grandchildren, shared_get(its));
#pragma omp taskwait
        shared_set(ended, 1);
    }
    if (!shared_get(ended))
        trial_broken(trial, "a task went on before its undeferred child had ended");
    shared_add(&board->children, shared_get(ended));
/* Where the rule is broken, the task still uses these variables. */
#pragma omp taskwait
}

static void submit(struct trial *trial, void *data)
{
    struct board *board = data;
    for (size_t i = 0; i < TASKS; i++) {
        int deferred = (int)trial_random(trial, 2);
#pragma omp task firstprivate(trial, board, i) if (deferred)
        {
            create_undeferred(trial, board, i);
            shared_add(&board->parents, 1);
        }
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct board board = {0, 0, 0};
    on_single(trial, submit, &board);
    if (board.parents != TASKS || board.children != TASKS || board.grandchildren != TASKS)
        trial_broken(trial, "of %d tasks of each generation, %d, %d and %d ended", TASKS,
                     board.parents, board.children, board.grandchildren);
}

const struct rule rule = {.name = "if0",
                          .statement = "The creator of an undeferred task, if(0), goes on when "
                                       "that task has ended.",
                          .source = "OpenMP 5.2, 3.4 and 12.5",
                          .attempt = attempt};
