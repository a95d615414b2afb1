/* SPDX-License-Identifier: BSD-3-Clause
 * The tasks of the probe: what two writers and a later task do. */
#ifndef POLLUX_CW_EXTENSION_MEETING_H
#define POLLUX_CW_EXTENSION_MEETING_H

struct meeting;

/** All tasks have been created. */
void meeting_open(struct meeting *meeting);

/** A writer: announces itself and waits, for a bounded time, to see the other one. */
void meeting_write(struct meeting *meeting);

/** The later task: both writers must have ended. */
void meeting_close(struct meeting *meeting);

/** Creates the two writers, in concurrent-write mode, and the later task. */
void meeting_submit(void *meeting);

/** The same with readers in place of the writers. */
void meeting_submit_readers(void *meeting);

#endif
