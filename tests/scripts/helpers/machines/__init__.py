# SPDX-License-Identifier: BSD-3-Clause
"""Machines to examine: each .txt file holds what /proc, /sys and a few commands say on one."""
