/* SPDX-License-Identifier: BSD-3-Clause
 * LU-CW `readers`: the graph of `cw` where the updates of column n are readers of its stand-in Cn: they run
 * concurrently too, and every runtime has depend(in). The same of the probe's graph. */
#include "cw-extension/concurrent_write.h"
#include "cw-extension/lu_cw.h"
#include "cw-extension/meeting.h"

/* depend(in) takes the place of the clause where a compiler has none. */
#undef POLLUX_CW_LIBKOMP
#undef POLLUX_CW_OMPSS
#undef POLLUX_CW_INOUTSET
#define lu_cw_submit lu_cw_readers
#include "cw-extension/cw.c" /* NOLINT(bugprone-suspicious-include) */
#define meeting_submit meeting_submit_readers
#include "cw-extension/meeting.c" /* NOLINT(bugprone-suspicious-include) */
