#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A campaign in jobs of Flux: copy this file to where the records are to be, edit it, then: flux batch flux.sh
#flux: --job-name=pollux
#flux: --nodes=1
#flux: --exclusive
#flux: --time-limit=60m
#flux: --output=pollux.log
pollux=$HOME/pollux          # the checkout
campaign=night
records=$campaign.jsonl
exec "$pollux/packaging/batch/campaign.sh" 3300 "flux batch flux.sh" "$records" \
    "$pollux/.venv/bin/pollux" run "$campaign" --output "$records" --plain
