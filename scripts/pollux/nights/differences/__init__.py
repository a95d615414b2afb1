# SPDX-License-Identifier: BSD-3-Clause
"""Differences between two builds: rules, costs, granularity and factorizations."""
