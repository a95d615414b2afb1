# SPDX-License-Identifier: BSD-3-Clause
"""Meters beside the counters of the machine: their samples, joined to runs by time."""
