# SPDX-License-Identifier: BSD-3-Clause
"""Limits of what users may ask for, each with its reason."""

NUMBER_MAX = 2**31 - 1  # orders and tile sizes: LAPACK's int
THREADS_MAX = 65536  # as the executables (common/driver/options.c)
# Executables take seeds below 2**62 (common/driver/options.c); the runs of a campaign or a search
# count up from its seed, at most 10**12 of them.
SEED_MAX = 4 * 10**18
SECONDS_MAX = 1_000_000  # of a time limit: 11 days; poll(2) takes up to 24
CONFIGURATIONS_MAX = 50_000  # of a campaign: planning them takes some ten seconds
RUNS_MAX = 2_000_000  # of a campaign: about a day where a run takes as little as 50 ms
