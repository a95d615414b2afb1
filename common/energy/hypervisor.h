/* SPDX-License-Identifier: BSD-3-Clause
 * Whether firmware tells that this is a virtual machine, for processors without x86's flag. */
#ifndef POLLUX_COMMON_HYPERVISOR_H
#define POLLUX_COMMON_HYPERVISOR_H

#include <stdbool.h>

/** By the device tree, or by the maker and product below a root, as scripts/pollux/core/hypervisor.py. */
bool firmware_is_virtual(const char *root);

#endif
