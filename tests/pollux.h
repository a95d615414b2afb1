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
#include "cholesky/cholesky.h"
#include "common/blas_identity.h"
#include "common/default_tile.h"
#include "common/digest.h"
#include "common/input.h"
#include "common/input_product.h"
#include "common/matrix_market.h"
#include "common/message.h"
#include "common/options.h"
#include "common/record_file.h"
#include "common/run.h"
#include "common/runtime_identity.h"
#include "common/statistics.h"
#include "common/team.h"
#include "common/tile_shape.h"
#include "common/verify.h"
#include "cw-extension/lu_cw.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "lu/variants.h"
#include "qr/qr.h"
}

#undef _Noreturn

#endif
