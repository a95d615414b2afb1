/* SPDX-License-Identifier: BSD-3-Clause
 * An emulator that does not follow execv shows in what the processor says of itself: the process before the restart
 * leaves that for the one after it. */
#include "common/base/restart.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/base/emulator.h"
#include "common/base/message.h"
#include "common/base/processor.h"
#include "common/base/text.h"

const char RESTART_MARK[] = "POLLUX_RESTARTED";
static const char PROCESSOR_MARK[] = "POLLUX_RESTARTED_ON";

enum { PROCESSOR_SIZE = 128, SETTINGS_SIZE = 1024 };

/* Why the program cannot be started again, or NULL. Where the dynamic linker was called with it as an argument, the
 * file of this process is the linker, and nothing has been loaded as its interpreter.
 * @param[out] path of the program */
static const char *find_program(char path[PATH_MAX])
{
    /* Leads to the file even where that has no name any more. */
    static const char own[] = "/proc/self/exe";
    if (!realpath(own, path))
        return access(own, F_OK) == 0 ? "its file was removed or replaced"
                                      : "/proc/self/exe cannot be read";
    if (getauxval(AT_BASE) == 0)
        return "it was started as an argument of the dynamic linker";
    return NULL;
}

_Noreturn static void refuse(const struct setting *settings, const char *reason)
{
    char text[SETTINGS_SIZE] = "";
    size_t count = 0;
    for (const struct setting *s = settings; s->name; s++)
        text_append(text, sizeof text, "%s%s=%s", count++ ? ", " : "", s->name, s->value);
    message_fatal(POLLUX_MACHINE, "cannot restart itself with %s (%s): set %s yourself", text,
                  reason, count > 1 ? "them" : "it");
}

static void set_variables(const struct setting *settings)
{
    char names[512] = "", processor[PROCESSOR_SIZE];
    for (const struct setting *s = settings; s->name; s++) {
        text_add_item(names, sizeof names, ",", s->name);
        setenv(s->name, s->value, 1);
    }
    processor_describe(processor, sizeof processor);
    setenv(RESTART_MARK, names, 1);
    setenv(PROCESSOR_MARK, processor, 1);
}

/* Returns only where the program cannot be started. */
static void start(char *program, char **argv)
{
    if (!emulator_named()) {
        execv(program, argv);
        return;
    }
    char **words = emulator_words(program, argv);
    if (words)
        execv(words[0], words);
    free(words);
}

void restart_program(char **argv, const struct setting *settings)
{
    char program[PATH_MAX];
    if (getenv(RESTART_MARK))
        refuse(settings, "it has been restarted already");
    const char *reason = find_program(program);
    if (reason)
        refuse(settings, reason);
    set_variables(settings);
    fflush(stdout);
    start(program, argv);
    refuse(settings, strerror(errno));
}

/* The settings of the restart that led to this process.
 * @return how many */
static size_t describe_settings(char *text, size_t size)
{
    char names[512];
    const char *mark = getenv(RESTART_MARK);
    size_t count = 0;
    snprintf(names, sizeof names, "%s", mark ? mark : "");
    text[0] = '\0';
    for (char *rest = names, *name; (name = strsep(&rest, ","));) {
        const char *value = getenv(name);
        text_append(text, size, "%s%s=%s", count++ ? ", " : "", name, value ? value : "");
    }
    return count;
}

void restart_check(void)
{
    char here[PROCESSOR_SIZE], settings[SETTINGS_SIZE];
    const char *before = getenv(PROCESSOR_MARK);
    processor_describe(here, sizeof here);
    if (!before || strcmp(before, here) == 0)
        return;
    size_t count = describe_settings(settings, sizeof settings);
    message_fatal(POLLUX_MACHINE,
                  "restarting itself with %s, it has left the emulator that it was started in "
                  "(%.*s, now %.*s): set %s yourself",
                  settings, (int)strcspn(before, ";"), before, (int)strcspn(here, ";"), here,
                  count > 1 ? "them" : "it");
}

void restart_forget(void)
{
    unsetenv(RESTART_MARK);
    unsetenv(PROCESSOR_MARK);
}
