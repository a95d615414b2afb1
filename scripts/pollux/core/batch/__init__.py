# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns in the jobs of a batch system."""
