/* SPDX-License-Identifier: BSD-3-Clause
 * The world of a process is one: MPI itself is. */
#include "benchmarks/mpi/world.h"

#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/mpi/library.h"
#include "common/base/number_list.h"
#include "common/run/processes.h"

enum { KEY_GRID = PROCESSES_KEY, KEY_AHEAD, KEY_PATIENCE };
enum { GRID_MOST = 1 << 20, AHEAD_MOST = 1024, PATIENCE_MOST = 1000000, TEXT_SIZE = 1024 };
enum { SECONDS_TO_ABORT = 10, SECONDS_TO_START = 10 };

static struct world the_world = {
    .ranks = 1, .here = 1, .hosts = 1, .rows = 1, .columns = 1, .ahead = 4, .patience = 300.0};

const struct argp_option world_options[] = {
    {"grid", KEY_GRID, "PxQ", 0, "ranks in P rows and Q columns (as square as their number allows)",
     1},
    {"ahead", KEY_AHEAD, "S", 0,
     "steps whose tiles of other ranks are kept at a time: bounds their memory (4)", 1},
    [WORLD_PATIENCE] = {"patience", KEY_PATIENCE, "S", 0,
                        "give up after S seconds in which no message comes to a rank and no kernel "
                        "begins there (300)",
                        4},
    {NULL, 0, NULL, 0, NULL, 0}};

const struct world *world(void)
{
    return &the_world;
}

static void parse_grid(const char *text)
{
    char rows[32];
    const char *cross = strchr(text, 'x');
    size_t length = cross ? (size_t)(cross - text) : 0;
    if (!cross || length == 0 || length >= sizeof rows || !cross[1])
        message_fatal(POLLUX_USAGE, "--grid: \"%s\" is not PxQ, such as 2x2", quoted(text).text);
    memcpy(rows, text, length);
    rows[length] = '\0';
    the_world.rows = number_parse(rows, "--grid", 1, GRID_MOST);
    the_world.columns = number_parse(cross + 1, "--grid", 1, GRID_MOST);
    the_world.given = true;
}

void world_take_option(int key, const char *text)
{
    if (key == KEY_GRID)
        parse_grid(text);
    if (key == KEY_AHEAD)
        the_world.ahead = number_parse(text, "--ahead", 1, AHEAD_MOST);
    if (key == KEY_PATIENCE)
        the_world.patience = (double)number_parse(text, "--patience", 1, PATIENCE_MOST);
}

/* By the launchers' variables: a launcher inside of another's job has the last word. */
bool world_has_others_before(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return strtol(rank, NULL, 10) > 0;
    }
    return false;
}

/* What a rank finds wrong before MPI begins, all of them do, some later than others on a busy machine: the first of them
 * ends the rest. */
void world_before(void)
{
    if (world_has_others_before())
        message_be_second(SECONDS_TO_START);
}

/* Where MPI_Abort itself hangs, a signal ends the process, and the launcher the others. */
_Noreturn static void abort_all(int status)
{
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS_TO_ABORT);
    MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

void world_fail(enum pollux_exit status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_error("rank %d: %s", the_world.rank, text);
    abort_all((int)status);
}

void world_refuse(enum pollux_exit status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    if (the_world.rank > 0) {
        MPI_Barrier(MPI_COMM_WORLD); /* rank 0 does not come */
        abort_all((int)status);
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_error("%s", text);
    abort_all((int)status);
}

static void leave(int status, void *unused)
{
    int initialised = 0, finalised = 0;
    (void)unused;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised && !finalised)
        abort_all(status);
}

/* The handler of MPI's errors. */
static void report_error(MPI_Comm *communicator, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    (void)communicator;
    MPI_Error_string(*code, text, &length);
    world_fail(POLLUX_MACHINE, "MPI: %s", text);
}

/* The most square grid, of at most as many rows as columns. */
static void choose_grid(void)
{
    size_t ranks = (size_t)the_world.ranks, rows = 1;
    for (size_t p = 2; p * p <= ranks; p++)
        if (ranks % p == 0)
            rows = p;
    the_world.rows = rows;
    the_world.columns = ranks / rows;
}

static void lay_out(void)
{
    if (!the_world.given)
        choose_grid();
    if (the_world.rows * the_world.columns != (size_t)the_world.ranks)
        world_refuse(POLLUX_USAGE,
                     "--grid %zux%zu needs %zu ranks, and %d were started: give another grid, or "
                     "mpirun -n %zu",
                     the_world.rows, the_world.columns, the_world.rows * the_world.columns,
                     the_world.ranks, the_world.rows * the_world.columns);
    the_world.row = (size_t)the_world.rank / the_world.columns;
    the_world.column = (size_t)the_world.rank % the_world.columns;
}

/* Ranks on this machine, and machines. */
static void count_hosts(void)
{
    MPI_Comm machine;
    int place, first;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &the_world.here);
    MPI_Comm_rank(machine, &place);
    the_world.machine = the_world.rank;
    MPI_Bcast(&the_world.machine, 1, MPI_INT, 0, machine);
    MPI_Comm_free(&machine);
    first = place == 0;
    MPI_Allreduce(&first, &the_world.hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void find_largest_tag(void)
{
    int *value, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&value, &found);
    the_world.largest_tag = found ? (size_t)*value : 32767; /* the least that MPI allows */
}

static const char *level_name(int level)
{
    return level == MPI_THREAD_MULTIPLE     ? "multiple"
           : level == MPI_THREAD_SERIALIZED ? "serialized"
           : level == MPI_THREAD_FUNNELED   ? "funneled"
                                            : "single";
}

const char world_lower_variant[] = "choose what needs less, such as --variant funneled";

bool world_begin(int level, const char *remedy)
{
    MPI_Errhandler handler;
    the_world.asked = level;
    on_exit(leave, NULL);
    MPI_Init_thread(NULL, NULL, level, &the_world.level);
    MPI_Comm_create_errhandler(report_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_rank(MPI_COMM_WORLD, &the_world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &the_world.ranks);
    if (the_world.level < level)
        world_refuse(POLLUX_MACHINE, "MPI gives the thread level %s, and %s is needed: %s",
                     level_name(the_world.level), level_name(level), remedy);
    lay_out();
    count_hosts();
    find_largest_tag();
    return the_world.rank == 0;
}

void world_end(void)
{
    MPI_Finalize();
}

int world_owner(size_t i, size_t j)
{
    return (int)(i % the_world.rows * the_world.columns + j % the_world.columns);
}

/* The length of a name without its ending. */
static size_t stem_of(const char *path)
{
    const char *base = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && dot > (base ? base + 1 : path) ? (size_t)(dot - path) : strlen(path);
}

void world_gather(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

char *world_own_file(const char *path)
{
    size_t stem = stem_of(path), size = strlen(path) + 16;
    char *own = malloc(size);
    if (!own)
        world_fail(POLLUX_MACHINE, "no memory");
    snprintf(own, size, "%.*s.%d%s", (int)stem, path, the_world.rank, path + stem);
    return own;
}

bool world_is_own_file(const char *path, const char *file)
{
    size_t stem = stem_of(path);
    if (strncmp(file, path, stem) != 0 || file[stem] != '.')
        return false;
    const char *rank = file + stem + 1;
    size_t digits = strspn(rank, "0123456789");
    return digits > 0 && strcmp(rank + digits, path + stem) == 0;
}

json_t *world_describe(void)
{
    char grid[64], version[LIBRARY_TEXT_SIZE];
    const char *library = library_name(version);
    snprintf(grid, sizeof grid, "%zux%zu", the_world.rows, the_world.columns);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s}", "library", library, "version", version,
                     "thread_level", level_name(the_world.level), "thread_level_requested",
                     level_name(the_world.asked), "ranks", the_world.ranks, "hosts",
                     the_world.hosts, "grid", grid);
}
