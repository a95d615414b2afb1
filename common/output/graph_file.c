/* SPDX-License-Identifier: BSD-3-Clause
 * The events are kept until the last one, since the header names what they number. */
#include "common/output/graph_file.h"

#include <search.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/output/kernel_list.h"
#include "common/run/coordinates.h"
#include "common/run/parameters.h"

enum { CREATED = 0, KERNEL = 1, WAITS = 2 };

enum { LINE_END = -1 }; /* no number of an event is negative */

#define THE_GRAPH "the graph: choose a larger tile size"

/* The number of a tile or another address. */
struct object {
    const void *address;
    size_t number;
};

/* What was reported so far. */
struct description {
    const struct configuration *configuration;
    struct problem *problem;
    int64_t *numbers; /* events, each ended by LINE_END */
    size_t count, capacity;
    void *tree; /* objects by address */
    struct object **objects;
    size_t object_count, object_capacity;
    struct kernel_list kernels;
    const struct ompt_tool *tool;
};

static void add(struct description *d, int64_t number)
{
    d->numbers = grown(d->numbers, d->count, &d->capacity, sizeof *d->numbers, THE_GRAPH);
    d->numbers[d->count++] = number;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static int64_t object_number(struct description *d, const void *address)
{
    struct object key = {address, 0};
    struct object **found = tfind(&key, &d->tree, compare_addresses);
    if (found)
        return (int64_t)(*found)->number;
    struct object *object = zeros_for(1, sizeof *object, THE_GRAPH);
    *object = (struct object){address, d->object_count};
    if (!tsearch(object, &d->tree, compare_addresses))
        message_fatal(POLLUX_MACHINE, "no memory for " THE_GRAPH);
    d->objects =
        grown(d->objects, d->object_count, &d->object_capacity, sizeof *d->objects, THE_GRAPH);
    d->objects[d->object_count++] = object;
    return (int64_t)object->number;
}

static void close_line(struct description *d)
{
    if (d->count > 0 && d->numbers[d->count - 1] != LINE_END)
        add(d, LINE_END);
}

static void created(void *context, uint64_t task, uint64_t parent)
{
    struct description *d = context;
    close_line(d);
    add(d, CREATED);
    add(d, (int64_t)task);
    add(d, (int64_t)parent);
}

/* Called right after `created`, whose line it continues. */
static void depends(void *context, uint64_t task, const void *const *address, const int *kind,
                    size_t count)
{
    struct description *d = context;
    (void)task;
    for (size_t i = 0; i < count; i++) {
        add(d, object_number(d, address[i]));
        add(d, kind[i]);
    }
}

static void waits(void *context, uint64_t task)
{
    struct description *d = context;
    close_line(d);
    add(d, WAITS);
    add(d, (int64_t)task);
    close_line(d);
}

static void kernel(void *context, struct call call, const struct access *accesses, size_t count)
{
    struct description *d = context;
    struct coordinates at = coordinates_of(d->configuration->benchmark, d->problem, call.step,
                                           accesses[count - 1].object);
    int64_t work[WORK_COLUMNS];
    work_numbers(&d->kernels, call.kernel, call.sizes, work);
    close_line(d);
    add(d, KERNEL);
    add(d, (int64_t)d->tool->current().number);
    add(d, (int64_t)kernel_number(&d->kernels, call.kernel));
    add(d, (int64_t)call.step);
    add(d, (int64_t)at.i);
    add(d, (int64_t)at.j);
    for (size_t w = 0; w < WORK_COLUMNS; w++)
        add(d, work[w]);
    for (size_t a = 0; a < count; a++) {
        add(d, object_number(d, accesses[a].object));
        add(d, accesses[a].mode == ACCESS_WRITE);
    }
    close_line(d);
}

static json_t *objects_json(const struct description *d)
{
    json_t *list = json_array();
    size_t i, j, others = 0;
    for (size_t o = 0; o < d->object_count; o++) {
        bool tile =
            d->problem->A && tile_matrix_locate(d->problem->A, d->objects[o]->address, &i, &j);
        json_array_append_new(list, tile ? json_sprintf("A(%zu,%zu)", i, j)
                                         : json_sprintf("#%zu", ++others));
    }
    return list;
}

static size_t count_events(const struct description *d)
{
    size_t found = 0;
    for (size_t i = 0; i < d->count; i++)
        found += d->numbers[i] == LINE_END;
    return found;
}

static void write_header(struct event_file *file, const struct description *d, json_t *identity)
{
    const struct configuration *c = d->configuration;
    json_t *header =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "schema", "pollux-graph/1", "benchmark",
                  c->benchmark->name, "variant", c->variant->name, "m", (json_int_t)c->m, "n",
                  (json_int_t)c->n, "mb", (json_int_t)c->mb, "nb", (json_int_t)c->nb);
    json_object_set_new(header, "ib", c->ib > 0 ? json_integer((json_int_t)c->ib) : json_null());
    json_object_set_new(header, "kernel_set", json_string(kernel_set_names[c->kernels]));
    json_object_set_new(header, "algorithm", json_string(benchmark_algorithm(c->benchmark)));
    json_object_set_new(header, "default_variant", json_string(c->benchmark->default_variant));
    json_object_set_new(header, "flops", json_real(problem_flops(c->benchmark, d->problem)));
    json_object_set_new(header, "parameters", parameters_json(c));
    json_object_update(header, identity);
    kernel_list_describe(&d->kernels, header);
    json_object_set_new(header, "objects", objects_json(d));
    json_object_set_new(header, "events", json_integer((json_int_t)count_events(d)));
    event_file_header(file, header);
    json_decref(header);
}

static void write_events(struct event_file *file, const struct description *d)
{
    for (size_t first = 0, i = 0; i < d->count; i++)
        if (d->numbers[i] == LINE_END) {
            event_file_numbers(file, d->numbers + first, i - first);
            first = i + 1;
        }
}

static void submit_description(void *argument)
{
    struct description *d = argument;
    d->configuration->variant->submit(d->problem);
}

static void describe(struct description *d, struct problem *problem)
{
    const struct observer observer = {kernel, d};
    const struct ompt_listener listener = {created, depends, waits, d};
    problem->execution->observer = &observer;
    problem->execution->describing = true;
    d->tool->listen(&listener);
    if (d->configuration->variant->sequential)
        submit_description(d);
    else
        team_time(1, submit_description, d, NULL);
    d->tool->listen(NULL);
    close_line(d);
    if (d->tool->lost() > 0)
        message_fatal(POLLUX_MACHINE, "no memory for " THE_GRAPH);
}

static void release(struct description *d)
{
    tdestroy(d->tree, free);
    free(d->objects);
    free(d->numbers);
}

void graph_write(struct event_file *file, const struct configuration *c,
                 const struct ompt_tool *tool, json_t *identity)
{
    struct problem *problem = run_create(c);
    struct description d = {.configuration = c, .problem = problem, .tool = tool};
    describe(&d, problem);
    write_header(file, &d, identity);
    write_events(file, &d);
    event_file_flush(file);
    release(&d);
    run_destroy(c, problem);
}
