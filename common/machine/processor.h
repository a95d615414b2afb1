/* SPDX-License-Identifier: BSD-3-Clause
 * Names for processors with similar kernels and caches. */
#ifndef POLLUX_COMMON_PROCESSOR_H
#define POLLUX_COMMON_PROCESSOR_H

/** A processor as CPUID or the kernel describes it. Any text may be NULL: not known. */
struct processor {
    const char *vendor; /**< "AuthenticAMD" */
    const char *family; /**< its number, in decimal: "25" */
    const char *model;
};

/** The family of processors that the table does not name. */
#define PROCESSOR_ANY "any"

/** The name of a processor's family, such as "zen4", or PROCESSOR_ANY. */
const char *processor_family(struct processor processor);

#endif
