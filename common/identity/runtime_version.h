/* SPDX-License-Identifier: BSD-3-Clause
 * The version of a runtime library, from what it reports or from the entry points that it has. */
#ifndef POLLUX_COMMON_RUNTIME_VERSION_H
#define POLLUX_COMMON_RUNTIME_VERSION_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/** Writes the version of the runtime called `name`: one version, a range such as `19-20`, a bound
 * such as `>=22` or `<13`, or nothing where it is unknown.
 * @param[in] path real path of the object; a version in it can only narrow a range */
void runtime_version(const struct link_map *object, const char *name, const char *path,
                     char *version, size_t size);

/** True if a version, as written by runtime_version, may be one of `least` to `most`; an unknown
 * version may be any. */
bool runtime_version_may_be(const char *version, int least, int most);

#endif
