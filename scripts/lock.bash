# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Keeps processes of the scripts beside this file out of each other's way. Sourced by scripts/setup and scripts/build.

# lock FILE LINE: holds the file's lock until descriptor 9 is closed; where another process holds it, prints the line and
# waits. Where there are no locks, nothing is waited for.
lock() {
    { exec 9>>"$1"; } 2>/dev/null && command -v flock >/dev/null || return 0
    flock -n 9 2>/dev/null && return
    [ $? != 1 ] || { echo "$2" >&2; flock 9 2>/dev/null || true; }
}
