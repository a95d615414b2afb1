#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a campaign within a job of a batch system: stops it before the job's time is over, and submits the job again
# until the campaign is complete.
#
#   campaign.sh SECONDS 'SUBMIT COMMAND' RECORDS pollux run CAMPAIGN --output RECORDS --plain …
#
# SECONDS are those after which the campaign is interrupted; all its samples are then in RECORDS, and the next job goes
# on from there. So does a job that the system itself ended or requeued. It is not submitted again where the campaign is
# complete, was refused, or was cancelled, nor where a whole job has added nothing to RECORDS.
#
# Exit status: that of pollux run, or 0 where the job was submitted again.
set -u
seconds=$1
submit=$2
records=$3
shift 3

# samples: how many there are in RECORDS.
samples() {
    if [ -f "$records" ]; then grep -c '"event":"sample"' "$records"; else echo 0; fi
}

before=$(samples)
# --foreground: the signal is for pollux alone, which ends its runs; one that was just being started would count as crashed.
timeout --foreground --signal=TERM --kill-after=60 "$seconds" "$@"
status=$?
case $status in
    124 | 137) ;; # its time is over; 137: it did not end when it was asked to
    *) exit "$status" ;;
esac
if [ "$(samples)" -le "$before" ]; then
    echo "campaign.sh: no sample was taken within $seconds s: raise the job's time limit" >&2
    exit "$status"
fi
tries=${POLLUX_SUBMIT_TRIES:-8} # the system's controller may be down for a while
while ! sh -c "$submit"; do
    tries=$((tries - 1))
    if [ "$tries" -le 0 ]; then
        echo "campaign.sh: the job could not be submitted again; $records is safe: $submit" >&2
        exit 1
    fi
    sleep 20
done
