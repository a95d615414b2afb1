# SPDX-License-Identifier: BSD-3-Clause
"""Watching: the noise of nights, changes of level, and what last night shows of each series."""
