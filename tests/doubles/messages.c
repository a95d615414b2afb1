/* SPDX-License-Identifier: BSD-3-Clause
 * An MPI library, preloaded in front of the real one, whose messages are delayed and finish in random order, or that
 * has a planted fault. Sends wait for their receiver (MPI_Issend): no test passes by the grace of buffers.
 *
 *   POLLUX_DOUBLE_SEED=7         of all that is random, with the rank
 *   POLLUX_DOUBLE_DELAY=200      longest delay of a call, in microseconds; 0 by default
 *   POLLUX_DOUBLE_LATENCY=1000   microseconds from the start of a send or receive until a test may find it
 *                                finished, in place of the random order: a network that needs no processor
 *   POLLUX_DOUBLE_FAULT=lost     of one message: lost, doubled, early (what the buffer held before), wrong (another tile)
 *   POLLUX_DOUBLE_MESSAGE=3      which one of rank 0's sends, from 0
 *   POLLUX_DOUBLE_KILL=1         the rank that dies by a signal at that send instead
 *   POLLUX_DOUBLE_LIBRARY=…      what MPI_Get_library_version says
 *   POLLUX_DOUBLE_LEVEL=0        the highest thread level that there is, as a number: MPI_THREAD_SINGLE */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

enum { KEEP_ONE_IN = 3, DELAY_ONE_IN = 8, PLACES = 1 << 12 };

static atomic_uint_least64_t drawn;
static atomic_int sends;
/* The content of the last message, by the lock. */
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
static void *kept;
static size_t kept_bytes;
static int kept_tag = -1;
/* When requests began, by their handles; those with the same place share it, and then wait longer. */
static atomic_int_least64_t began_ns[PLACES];

static long setting(const char *name, long standard)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : standard;
}

static int own_rank(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) of a counter. */
static uint64_t draw(void)
{
    uint64_t seed = (uint64_t)setting("POLLUX_DOUBLE_SEED", 1) * 1000 + (uint64_t)own_rank();
    uint64_t z = (seed << 32) + (atomic_fetch_add(&drawn, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void delay(void)
{
    long most = setting("POLLUX_DOUBLE_DELAY", 0);
    if (most > 0 && draw() % DELAY_ONE_IN == 0) {
        const struct timespec pause = {0, (long)(draw() % (uint64_t)most) * 1000};
        nanosleep(&pause, NULL);
    }
}

static bool has_fault(int number, const char *name)
{
    const char *fault = getenv("POLLUX_DOUBLE_FAULT");
    return fault && strcmp(fault, name) == 0 && own_rank() == 0 &&
           number == setting("POLLUX_DOUBLE_MESSAGE", 0);
}

/* A tile goes to several ranks in messages of one tag. */
static void keep(const void *buffer, size_t bytes, int tag)
{
    free(kept);
    kept = malloc(bytes);
    if (!kept)
        abort();
    memcpy(kept, buffer, bytes);
    kept_bytes = bytes;
    kept_tag = tag;
}

/* What the message holds instead, to the end of the process: the send goes on. One message has a fault. */
static const void *instead(const void *buffer, size_t bytes, int tag, bool early)
{
    static void *other;
    other = calloc(bytes, 1);
    if (!other)
        abort();
    if (!early && kept_tag != tag && kept_bytes == bytes)
        memcpy(other, kept, bytes);
    else
        memcpy(other, buffer, bytes / 2);
    return other;
}

static void start(const void *buffer, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm communicator, MPI_Request *request)
{
    int number = atomic_fetch_add(&sends, 1), size;
    PMPI_Type_size(type, &size);
    size_t bytes = (size_t)count * (size_t)size;
    if (own_rank() == setting("POLLUX_DOUBLE_KILL", -1) &&
        number == setting("POLLUX_DOUBLE_MESSAGE", 0))
        raise(SIGKILL);
    if (has_fault(number, "lost"))
        peer = MPI_PROC_NULL;
    pthread_mutex_lock(&keeping);
    if (has_fault(number, "early") || has_fault(number, "wrong"))
        buffer = instead(buffer, bytes, tag, has_fault(number, "early"));
    else if (getenv("POLLUX_DOUBLE_FAULT"))
        keep(buffer, bytes, tag);
    pthread_mutex_unlock(&keeping);
    PMPI_Issend(buffer, count, type, peer, tag, communicator, request);
    if (has_fault(number, "doubled")) {
        MPI_Request more;
        PMPI_Isend(buffer, count, type, peer, tag, communicator, &more);
        PMPI_Request_free(&more);
    }
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static atomic_int_least64_t *place_of(MPI_Request request)
{
    uint64_t handle = 0;
    memcpy(&handle, &request, sizeof(MPI_Request));
    return &began_ns[(handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) % PLACES];
}

static void note_begin(MPI_Request request)
{
    atomic_store(place_of(request), now());
}

/* Whether a request counts as unfinished for now. */
static bool is_kept(MPI_Request request)
{
    long latency = setting("POLLUX_DOUBLE_LATENCY", 0);
    if (latency > 0)
        return now() - atomic_load(place_of(request)) < latency * 1000;
    return draw() % KEEP_ONE_IN != 0;
}

VISIBLE int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm communicator, MPI_Request *request)
{
    delay();
    start(buffer, count, type, peer, tag, communicator, request);
    note_begin(*request);
    return MPI_SUCCESS;
}

VISIBLE int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm communicator)
{
    MPI_Request request;
    delay();
    start(buffer, count, type, peer, tag, communicator, &request);
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

VISIBLE int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm communicator, MPI_Status *status)
{
    delay();
    return PMPI_Recv(buffer, count, type, peer, tag, communicator, status);
}

VISIBLE int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm communicator, MPI_Request *request)
{
    delay();
    int code = PMPI_Irecv(buffer, count, type, peer, tag, communicator, request);
    note_begin(*request);
    return code;
}

VISIBLE int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                         void *in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                         MPI_Comm communicator, MPI_Status *status)
{
    int number = atomic_fetch_add(&sends, 1), size;
    PMPI_Type_size(out_type, &size);
    delay();
    if (has_fault(number, "wrong"))
        out = instead(out, (size_t)out_count * (size_t)size, out_tag, true);
    return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                         communicator, status);
}

/* By this name MPI Detach calls it. */
VISIBLE int PMPI_Test(MPI_Request *request, int *finished, MPI_Status *status)
{
    delay();
    *finished = 0;
    return is_kept(*request) ? MPI_SUCCESS : PMPI_Testall(1, request, finished, status);
}

/* Of the requests that may have finished, a random part is looked at, one after another. */
VISIBLE int MPI_Testsome(int count, MPI_Request requests[], int *finished, int indices[],
                         MPI_Status statuses[])
{
    delay();
    *finished = 0;
    if (count == 0)
        return MPI_SUCCESS;
    int first = (int)(draw() % (uint64_t)count);
    for (int i = 0; i < count; i++) {
        int at = (first + i) % count, done;
        if (requests[at] == MPI_REQUEST_NULL || is_kept(requests[at]))
            continue;
        PMPI_Testall(1, &requests[at], &done, &statuses[*finished]);
        if (done)
            indices[(*finished)++] = at;
    }
    return MPI_SUCCESS;
}

VISIBLE int MPI_Init_thread(int *count, char ***arguments, int level, int *given)
{
    int status = PMPI_Init_thread(count, arguments, level, given);
    int highest = (int)setting("POLLUX_DOUBLE_LEVEL", MPI_THREAD_MULTIPLE);
    *given = *given < highest ? *given : highest;
    return status;
}

VISIBLE int MPI_Get_library_version(char *text, int *length)
{
    const char *other = getenv("POLLUX_DOUBLE_LIBRARY");
    if (!other)
        return PMPI_Get_library_version(text, length);
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "%s", other);
    return MPI_SUCCESS;
}
