# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Shows the progress of a long command on standard error: a line that is rewritten on a terminal, elsewhere
# a new line at most every POLLUX_PROGRESS_SECONDS (10). Sourced by scripts/setup and scripts/build.

# elapsed SECONDS: "42 s" or "3 min 05 s".
elapsed() {
    if [ "$1" -lt 60 ]; then
        printf '%d s' "$1"
    else
        printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
    fi
}

clear_progress() {
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# show_progress LABEL BEGAN: uses and sets the caller's `step` and `shown`.
show_progress() {
    local text
    text="$1: $step, $(elapsed $((SECONDS - $2)))"
    if [ -t 2 ]; then
        printf '\r%s\033[K' "$text" >&2
    elif [ $((SECONDS - shown)) -ge "${POLLUX_PROGRESS_SECONDS:-10}" ]; then
        printf '%s\n' "$text" >&2
        shown=$SECONDS
    fi
}

# watch LABEL STEP: copies standard input to standard output and shows STEP, or the step that Ninja's lines
# state, the first of those at once.
watch() {
    local began=$SECONDS shown=$SECONDS counted=no step=$2 line='' part status
    while :; do
        status=0
        IFS= read -r -t 1 part || status=$?
        line+=$part
        if [ "$status" -le 128 ]; then # else one second has passed, and the line may be incomplete
            [ "$status" = 0 ] || [ -n "$line" ] || break
            if [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]]; then
                step="step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
                [ "$counted" = yes ] || shown=$((SECONDS - 86400))
                counted=yes
            fi
            [ ! -t 1 ] || clear_progress
            printf '%s\n' "$line" || return
            line=''
        fi
        show_progress "$1" "$began"
        [ "$status" != 1 ] || break
    done
    clear_progress
}

# with_progress LABEL STEP COMMAND…: runs the command; what it prints goes to standard output. Its status.
with_progress() {
    "${@:3}" 2>&1 | watch "$1" "$2"
    return "${PIPESTATUS[0]}"
}
