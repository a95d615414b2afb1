/* SPDX-License-Identifier: BSD-3-Clause
 * The project's C headers, for C++. What they include themselves comes first, since C++ headers must
 * not stand inside extern "C". */
#ifndef POLLUX_TESTS_POLLUX_H
#define POLLUX_TESTS_POLLUX_H

#include <jansson.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define _Noreturn [[noreturn]]

extern "C" {
#include "benchmarks/batched-fft/fft.h"
#include "benchmarks/cell-tree/cells.h"
#include "benchmarks/sparselu/sparselu.h"
#include "benchmarks/strassen/strassen.h"
#include "cholesky/cholesky.h"
#include "common/base/clock.h"
#include "common/base/emulator.h"
#include "common/base/json.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/base/text.h"
#include "common/computation/options.h"
#include "common/energy/meter.h"
#include "common/execution/team.h"
#include "common/identity/blas_identity.h"
#include "common/identity/runtime_identity.h"
#include "common/matrix/default_tile.h"
#include "common/matrix/digest.h"
#include "common/matrix/input.h"
#include "common/matrix/input_product.h"
#include "common/matrix/matrix_market.h"
#include "common/matrix/tile_shape.h"
#include "common/output/record_file.h"
#include "common/process/environment.h"
#include "common/run/run.h"
#include "common/run/verify.h"
#include "cw-extension/lu_cw.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "lu/variants.h"
#include "qr/qr.h"
#include "tests/benchmarks.h"
}

#undef _Noreturn

#endif
