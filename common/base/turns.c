/* SPDX-License-Identifier: BSD-3-Clause
 * The variable is read when the first repetition is ready: the program may have restarted itself before. */
#include "common/base/turns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/message.h"

static struct {
    enum { UNKNOWN, ALONE, ALTERNATING } mode;
    int descriptor;
    bool has_turn;
} turns;

static bool is_socket(int descriptor, uint64_t inode)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

static bool takes_turns(void)
{
    if (turns.mode != UNKNOWN)
        return turns.mode == ALTERNATING;
    const char *text = getenv(TURNS_VARIABLE);
    int descriptor, end = 0;
    uint64_t inode;
    long parent;
    turns.mode = ALONE;
    if (text && sscanf(text, "%d:%" SCNu64 ":%ld%n", &descriptor, &inode, &parent, &end) == 3 &&
        text[end] == '\0' && is_socket(descriptor, inode) && parent == (long)getppid()) {
        turns.descriptor = descriptor;
        turns.mode = ALTERNATING;
    }
    unsetenv(TURNS_VARIABLE); /* its own children take none */
    return turns.mode == ALTERNATING;
}

/* Announces something, and waits for the answer. */
static void announce(char what)
{
    char answer;
    ssize_t done;
    do
        done = send(turns.descriptor, &what, 1, MSG_NOSIGNAL);
    while (done < 0 && errno == EINTR);
    if (done == 1)
        do
            done = recv(turns.descriptor, &answer, 1, 0);
        while (done < 0 && errno == EINTR);
    if (done != 1)
        message_fatal(POLLUX_MACHINE, "the program that gave this one its turns has gone");
}

bool turn_await(void)
{
    if (!takes_turns())
        return false;
    announce(TURN_READY);
    turns.has_turn = true;
    return true;
}

void turn_end(void)
{
    if (!turns.has_turn)
        return;
    turns.has_turn = false;
    announce(TURN_ENDED);
}
