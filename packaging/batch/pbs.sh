#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A campaign in jobs of PBS: copy this file to where the records are to be, edit it, then: qsub pbs.sh
#PBS -N pollux
#PBS -l select=1:ncpus=64
#PBS -l place=excl
#PBS -l walltime=01:00:00
#PBS -r y
#PBS -j oe
cd "$PBS_O_WORKDIR" || exit 3
pollux=$HOME/pollux          # the checkout
campaign=night
records=$campaign.jsonl
exec "$pollux/packaging/batch/campaign.sh" 3300 "qsub pbs.sh" "$records" \
    "$pollux/.venv/bin/pollux" run "$campaign" --output "$records" --plain
