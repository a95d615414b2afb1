/* SPDX-License-Identifier: BSD-3-Clause
 * A message is named by its tag: what it is of, and the tile or the step. */
#include "benchmarks/mpi/traced.h"

#include <unistd.h>

#include "benchmarks/mpi/clocks.h"
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/log.h"
#include "common/base/json.h"

enum { RECEIVE, SEND, WAIT }; /* kinds of lines */
enum { HOST_SIZE = 256 };

json_t *traced_describe(const struct problem *p, int64_t start_ns)
{
    const struct spreading *about = p->spread->about;
    const struct message_log *log = p->spread->log;
    size_t messages = log->count + log->wait_count;
    char host[HOST_SIZE] = "";
    gethostname(host, sizeof host - 1);
    json_t *graph = json_pack("{s:s, s:s, s:o}", "benchmark", about->graph_benchmark, "variant",
                              about->graph_variant, "parameters",
                              about->graph_parameters ? about->graph_parameters(p) : json_object());
    return json_pack("{s:i, s:i, s:s, s:i, s:o, s:I, s:I, s:I, s:o, s:o}", "rank", world()->rank,
                     "ranks", world()->ranks, "run", clocks_run(), "machine", world()->machine,
                     "host", json_text(host), "calls", (json_int_t)p->spread->calls, "messages",
                     (json_int_t)messages, "start_ns", (json_int_t)start_ns, "clock",
                     clocks_describe(), "graph", graph);
}

static void write_message(const struct tile_matrix *A, const struct logged_message *m,
                          int64_t start_ns,
                          void (*write)(void *argument, const int64_t *numbers, size_t count),
                          void *argument)
{
    struct message_name name = message_name(A, m->tag);
    const int64_t numbers[] = {
        m->sends ? SEND : RECEIVE, m->peer,  (int64_t)name.kind,     (int64_t)name.i,
        (int64_t)name.j,           m->bytes, m->asked_ns - start_ns, m->started_ns - start_ns,
        m->finished_ns - start_ns};
    write(argument, numbers, sizeof numbers / sizeof *numbers);
}

void traced_messages(const struct problem *p, int64_t start_ns,
                     void (*write)(void *argument, const int64_t *numbers, size_t count),
                     void *argument)
{
    const struct message_log *log = p->spread->log;
    for (size_t m = 0; m < log->count; m++)
        write_message(p->A, &log->messages[m], start_ns, write, argument);
    for (size_t w = 0; w < log->wait_count; w++) {
        const struct logged_wait *wait = &log->waits[w];
        const int64_t numbers[] = {WAIT, wait->begin_ns - start_ns, wait->end_ns - start_ns,
                                   wait->drained};
        write(argument, numbers, sizeof numbers / sizeof *numbers);
    }
}
