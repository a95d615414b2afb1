# SPDX-License-Identifier: BSD-3-Clause
"""Whether this is a virtual machine, as far as the kernel's files tell."""

import re
from collections.abc import Callable

DEVICE_TREE = "proc/device-tree/hypervisor/compatible"
FIRMWARE = ("sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name")
# Makers and products that only virtual machines have; Amazon's real machines are "c6g.metal" or so.
NAMES = re.compile(
    r"\b(Amazon EC2(?!.*\.metal)|Alibaba Cloud ECS|Apple Virtualization|BHYVE|Bochs|Google Compute "
    r"Engine|KVM|OpenStack|Parallels|QEMU|VMware|Virtual Machine|VirtualBox|Xen)\b"
)


def hypervisor(read: Callable[[str], str | None]) -> str | None:
    """What runs this virtual machine; None: it is none, or does not show it.

    `read` gives the contents of a file below the root. Processors of x86 have a flag; of others
    the device tree or the firmware tells.
    """
    for line in (read("proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return "a hypervisor" if "hypervisor" in value.split() else None
    if found := read(DEVICE_TREE):
        return found.split("\0")[0]  # of a list, the most exact first
    match = NAMES.search(" ".join(read(path) or "" for path in FIRMWARE))
    return match[0] if match else None
