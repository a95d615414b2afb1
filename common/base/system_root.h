/* SPDX-License-Identifier: BSD-3-Clause
 * Where /sys, /proc and /dev are, for what reads energy, power settings and CPU quotas. */
#ifndef POLLUX_COMMON_SYSTEM_ROOT_H
#define POLLUX_COMMON_SYSTEM_ROOT_H

/** The folder that contains sys/, proc/ and dev/: POLLUX_SYSTEM_ROOT, or "" for the system's own. Ends the
 * program with one line and POLLUX_USAGE if the variable names no folder with a sys/ in it. */
const char *system_root(void);

#endif
