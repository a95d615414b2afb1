/* SPDX-License-Identifier: BSD-3-Clause
 * Both are made from the benchmark's table and the process's identity. */
#include "common/listing.h"

#include <stdio.h>

#include "common/compiler.h"
#include "common/message.h"

static const char NO_REASON[] = "";

/* Why a variant cannot run in this build. */
static const char *reason(const struct variant *variant)
{
    return variant->submit ? NO_REASON : variant->needs;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *variant_json(const struct benchmark *benchmark, const struct variant *v)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:b, s:s, s:s}", "benchmark", benchmark->name, "variant",
                     v->name, "summary", v->summary, "needs", text_or_null(v->needs), "available",
                     (int)(v->submit != NULL), "reason", reason(v), "digest_group",
                     v->digest_group);
}

static void print_json(const struct benchmark *benchmark)
{
    json_t *list = json_array();
    for (size_t i = 0; i < benchmark->variant_count; i++)
        json_array_append_new(list, variant_json(benchmark, &benchmark->variants[i]));
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

static void print_table(const struct benchmark *benchmark)
{
    printf("%-9s  %-9s  %s\n", "variant", "digest", "summary");
    for (size_t i = 0; i < benchmark->variant_count; i++) {
        const struct variant *v = &benchmark->variants[i];
        printf("%-9s  %-9s  %s", v->name, v->digest_group, v->summary);
        if (v->needs)
            printf(" (%s: %s)", v->submit ? "needs" : "not here, needs", v->needs);
        putchar('\n');
    }
}

void listing_variants(enum format format, const struct benchmark *benchmark)
{
    if (format == FORMAT_JSON)
        print_json(benchmark);
    else
        print_table(benchmark);
    message_flush_output();
}

void listing_version(const struct benchmark *benchmark, const struct setup *setup)
{
    const struct runtime_identity *runtime = &setup->runtime;
    const struct blas_identity *blas = &setup->blas;
    printf("pollux %s %s\n", benchmark->name, POLLUX_VERSION);
    printf("compiler  %s %s, %s\n", POLLUX_COMPILER, __VERSION__, POLLUX_BUILD_TYPE);
    printf("runtime   %s %s, %s entry points, %s\n", runtime->name,
           runtime->version[0] ? runtime->version : "(version unknown)", runtime->abi,
           runtime->path);
    printf("blas      %s %s, %s kernels, %s build with one thread per call, %s\n", blas->library,
           blas->version, blas->core, blas->threading, blas->path);
    printf("lapack    %s\n", blas->lapack_path);
    if (benchmark->probe) {
        struct concurrent_write cw = benchmark->probe(setup->allowed);
        printf("cw        %s, %s, %s\n", cw.clause, cw.native ? "native" : "substitute",
               cw.observed);
    }
    message_flush_output();
}
