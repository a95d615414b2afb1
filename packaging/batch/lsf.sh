#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A campaign in jobs of LSF: copy this file to where the records are to be, edit it, then: bsub < lsf.sh
#BSUB -J pollux
#BSUB -n 64
#BSUB -R span[hosts=1]
#BSUB -x
#BSUB -W 01:00
#BSUB -r
#BSUB -o pollux.log
pollux=$HOME/pollux          # the checkout
campaign=night
records=$campaign.jsonl
exec "$pollux/packaging/batch/campaign.sh" 3300 "bsub < lsf.sh" "$records" \
    "$pollux/.venv/bin/pollux" run "$campaign" --output "$records" --plain
