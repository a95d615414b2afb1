/* SPDX-License-Identifier: BSD-3-Clause
 * A thin layer over hwloc. */
#include "common/machine/topology.h"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdlib.h>

#include "common/base/json.h"
#include "common/machine/affinity.h"

struct topology {
    hwloc_topology_t hwloc;
    hwloc_nodeset_t own; /* nodes of the processors that the process was started on */
};

/* false if out of memory */
static bool find_own_nodes(struct topology *topology)
{
    hwloc_cpuset_t processors = hwloc_bitmap_alloc();
    topology->own = hwloc_bitmap_alloc();
    if (processors && topology->own) {
        hwloc_cpuset_from_glibc_sched_affinity(topology->hwloc, processors, affinity_initial(),
                                               AFFINITY_SETS * sizeof(cpu_set_t));
        hwloc_cpuset_to_nodeset(topology->hwloc, processors, topology->own);
        hwloc_bitmap_and(topology->own, topology->own,
                         hwloc_topology_get_allowed_nodeset(topology->hwloc));
    }
    hwloc_bitmap_free(processors);
    return processors && topology->own;
}

struct topology *topology_create(void)
{
    struct topology *topology = calloc(1, sizeof *topology);
    if (!topology)
        return NULL;
    if (hwloc_topology_init(&topology->hwloc) != 0) {
        free(topology);
        return NULL;
    }
    if (hwloc_topology_load(topology->hwloc) != 0 || !find_own_nodes(topology)) {
        topology_destroy(topology);
        return NULL;
    }
    return topology;
}

void topology_destroy(struct topology *topology)
{
    if (!topology)
        return;
    hwloc_bitmap_free(topology->own);
    hwloc_topology_destroy(topology->hwloc);
    free(topology);
}

static size_t count(const struct topology *topology, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topology->hwloc, type);
    return n > 0 ? (size_t)n : 0;
}

bool topology_spans_nodes(const struct topology *topology)
{
    return hwloc_bitmap_weight(topology->own) > 1;
}

void topology_interleave(const struct topology *topology, void *address, size_t bytes)
{
    if (topology_spans_nodes(topology))
        hwloc_set_area_membind(topology->hwloc, address, bytes, topology->own,
                               HWLOC_MEMBIND_INTERLEAVE, HWLOC_MEMBIND_BYNODESET);
}

char *topology_thread_binding(const struct topology *topology)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    char *text = NULL;
    bool known = set && hwloc_get_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD) == 0 &&
                 hwloc_bitmap_list_asprintf(&text, set) >= 0;
    hwloc_bitmap_free(set);
    return known ? text : NULL;
}

static json_t *cache_json(const struct topology *topology, hwloc_obj_type_t type, int level)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology->hwloc, type, 0);
    if (!cache)
        return NULL;
    return json_pack("{s:i, s:I, s:I, s:I}", "level", level, "bytes",
                     (json_int_t)cache->attr->cache.size, "count",
                     (json_int_t)count(topology, type), "line_bytes",
                     (json_int_t)cache->attr->cache.linesize);
}

static json_t *caches_json(const struct topology *topology)
{
    static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
    json_t *caches = json_array();
    for (int l = 0; l < (int)(sizeof levels / sizeof *levels); l++) {
        json_t *cache = cache_json(topology, levels[l], l + 1);
        if (cache)
            json_array_append_new(caches, cache);
    }
    return caches;
}

struct processor topology_processor(const struct topology *topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, 0);
    if (!package)
        return (struct processor){0};
    return (struct processor){.vendor = hwloc_obj_get_info_by_name(package, "CPUVendor"),
                              .family = hwloc_obj_get_info_by_name(package, "CPUFamilyNumber"),
                              .model = hwloc_obj_get_info_by_name(package, "CPUModelNumber")};
}

void topology_describe(const struct topology *topology, json_t *host)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    json_object_set_new(host, "cpu", model ? json_text(model) : json_null());
    json_object_set_new(host, "cores", json_integer((json_int_t)count(topology, HWLOC_OBJ_CORE)));
    json_object_set_new(host, "processors",
                        json_integer((json_int_t)count(topology, HWLOC_OBJ_PU)));
    json_object_set_new(host, "numa",
                        json_integer((json_int_t)count(topology, HWLOC_OBJ_NUMANODE)));
    json_object_set_new(host, "caches", caches_json(topology));
}
