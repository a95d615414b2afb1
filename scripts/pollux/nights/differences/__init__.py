# SPDX-License-Identifier: BSD-3-Clause
"""Differences between builds: rules, costs, granularity and factorizations."""
