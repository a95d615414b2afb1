/* SPDX-License-Identifier: BSD-3-Clause
 * The description of the benchmark of batched Fourier transforms. */
#include "benchmarks/batched-fft/fft.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "transform after transform without OpenMP (one thread)",
     .digest_group = "batched-fft",
     .input = INPUT_OWN,
     .sequential = true,
     .submit = fft_seq},
    {.name = "flat",
     .summary = "a parallel loop over the fields",
     .digest_group = "batched-fft",
     .input = INPUT_OWN,
     .own_team = true,
     .needs = CAPABILITY_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = fft_flat
#endif
    },
    {.name = "nested",
     .summary = "the loop of flat, parallel regions inside each transform",
     .digest_group = "batched-fft-nested",
     .input = INPUT_OWN,
     .own_team = true,
     .nested = true,
     .needs = CAPABILITY_REGIONS | CAPABILITY_NESTED_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = fft_nested
#endif
    },
    {.name = "task",
     .summary = "a task for each block of fields",
     .digest_group = "batched-fft",
     .input = INPUT_OWN,
     .submit = fft_task},
    {.name = "task-nested",
     .summary = "the tasks of task, parallel regions inside each transform",
     .digest_group = "batched-fft-nested",
     .input = INPUT_OWN,
     .nested = true,
     .needs = CAPABILITY_NESTED_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = fft_task_nested
#endif
    },
};

static const struct parameter parameters[] = {
    [FFT_BATCH] = {.name = "batch",
                   .metavar = "B",
                   .summary = "fields",
                   .least = 1,
                   .most = 1000000,
                   .standard = 16},
    [FFT_INNER] = {.name = "inner",
                   .metavar = "T",
                   .summary = "threads inside each transform of nested variants",
                   .least = 1,
                   .most = INNER_THREADS_MAX,
                   .standard = 2,
                   .inner_team = true},
};

static const struct kernel *const kernels[] = {&about_fft};

const struct benchmark batched_fft = {
    .name = "batched-fft",
    .summary = "complex Fourier transforms of a batch of N x N fields, by FFTW",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "nested",
    .standard_size = 256,
    .kernel_sets = HAS_FFTW,
    .kernels_isa = fftw_code,
    .operations = fft_operations,
    .tasks = fft_tasks,
    .factor_bytes = fft_bytes,
    .verify_bytes = fft_verify_bytes,
    .create = fft_create,
    .destroy = fft_destroy,
    .generate = fft_generate,
    .verify = fft_verify,
    .figures = fft_figures,
    .digest = fft_digest,
    .coordinates = fft_coordinates,
};
