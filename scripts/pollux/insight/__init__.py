# SPDX-License-Identifier: BSD-3-Clause
"""Why one run is slower than another: task graphs, traces, explanations, simulation."""
