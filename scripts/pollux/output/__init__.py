# SPDX-License-Identifier: BSD-3-Clause
"""Figures and the report."""
