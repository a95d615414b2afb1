# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Quotes a value in a message of the scripts beside this file.

# quoted VALUE: the value in quotes, cut to 60 characters.
quoted() {
    local value=$1
    [ ${#value} -le 60 ] || value=${value:0:59}…
    printf "'%s'" "$value"
}
