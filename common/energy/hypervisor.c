/* SPDX-License-Identifier: BSD-3-Clause
 * A hypervisor adds a node to the device tree, or names itself in the tables of the firmware. */
#include "common/energy/hypervisor.h"

#include <string.h>
#include <unistd.h>

#include "common/base/system_file.h"

/* Makers and products that only virtual machines have: NAMES of scripts/pollux/core/hypervisor.py. */
static const char *const names[] = {"Amazon EC2",
                                    "Alibaba Cloud ECS",
                                    "Apple Virtualization",
                                    "BHYVE",
                                    "Bochs",
                                    "Google Compute Engine",
                                    "KVM",
                                    "OpenStack",
                                    "Parallels",
                                    "QEMU",
                                    "VMware",
                                    "Virtual Machine",
                                    "VirtualBox",
                                    "Xen"};

static bool is_of_hypervisor(const char *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

bool firmware_is_virtual(const char *root)
{
    char path[SYSTEM_PATH_SIZE], maker[128] = "", product[128] = "";
    system_path(path, "%s/proc/device-tree/hypervisor/compatible", root);
    if (access(path, F_OK) == 0)
        return true;
    system_path(path, "%s/sys/class/dmi/id/sys_vendor", root);
    system_line(path, maker, sizeof maker);
    system_path(path, "%s/sys/class/dmi/id/product_name", root);
    system_line(path, product, sizeof product);
    bool is_metal = strstr(product, ".metal") != NULL; /* Amazon's real machines: c6g.metal */
    return (is_of_hypervisor(maker) && !is_metal) || is_of_hypervisor(product);
}
