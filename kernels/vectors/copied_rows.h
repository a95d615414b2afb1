/* SPDX-License-Identifier: BSD-3-Clause
 * The calling thread's copies, of the rows of a left factor or of the rows being solved: one place for the code of
 * all instruction sets, of which a process runs one. */
#ifndef POLLUX_KERNELS_VECTORS_COPIED_ROWS_H
#define POLLUX_KERNELS_VECTORS_COPIED_ROWS_H

/** Three blocks of 24 rows and 384 columns, for AVX-512, which needs most. */
enum { COPIED_DOUBLES = 3 * 24 * 384 };

/** Aligned to 64 bytes. With the general model of thread-local storage, gcc 12 emits an instruction that the linker
 * refuses. */
extern _Thread_local double copied_rows[COPIED_DOUBLES] __attribute__((tls_model("local-exec")));

#endif
