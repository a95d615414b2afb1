/* SPDX-License-Identifier: BSD-3-Clause
 * The text of MPI_Get_library_version begins with the name, in a form of each library's own. */
#include "benchmarks/mpi/library.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* "Open MPI v4.1.4, package: …", "MPICH Version:      4.0.2\n…", "Intel(R) MPI Library 2021.9 …",
 * "MVAPICH2 Version      :\t2.3.7\n…", "MPI VERSION    : CRAY MPICH version 8.1.25 …" */
static const struct {
    const char *begins, *name, *before; /* `before` stands before the number */
} known[] = {{"Open MPI", "Open MPI", "Open MPI v"},
             {"MPICH", "MPICH", "Version"},
             {"Intel(R) MPI", "Intel MPI", "Library "},
             {"MVAPICH", "MVAPICH", "Version"},
             {"MPI VERSION", "Cray MPICH", "CRAY MPICH version"}};

static void copy_number(const char *text, char *version)
{
    text += strspn(text, " \t:");
    snprintf(version, LIBRARY_TEXT_SIZE, "%.*s", (int)strcspn(text, " ,\t\n"), text);
}

const char *library_name(char *version)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    snprintf(version, LIBRARY_TEXT_SIZE, "unknown");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(text, known[i].begins, strlen(known[i].begins)) != 0)
            continue;
        const char *before = strstr(text, known[i].before);
        if (before)
            copy_number(before + strlen(known[i].before), version);
        return known[i].name;
    }
    return "unknown";
}
