# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The help of the scripts beside this file, and their messages on bad usage. `script` is the caller's path.

# show_help: the comment at the top of the script.
show_help() {
    sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$script"
    exit
}

bad_usage() {
    echo "scripts/${script##*/}: $1" >&2
    exit 2
}

# quoted VALUE: the value in quotes, cut to 60 characters.
quoted() {
    local value=$1
    [ ${#value} -le 60 ] || value=${value:0:59}…
    printf "'%s'" "$value"
}
