/* SPDX-License-Identifier: BSD-3-Clause
 * The machine's part of a record: topology, kernel, and the power settings that change speed. */
#ifndef POLLUX_COMMON_HOST_H
#define POLLUX_COMMON_HOST_H

#include <jansson.h>
#include <stddef.h>

#include "common/machine/topology.h"

/** The record's `host` object. What the system does not report is null. */
json_t *host_describe(const struct topology *topology);

/** Bytes that can be reserved without swapping: the least of the kernel's MemAvailable, the limits of
 * the control groups and the address-space limit. */
size_t host_available_bytes(void);

#endif
