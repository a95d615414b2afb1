# SPDX-License-Identifier: BSD-3-Clause
"""Figures of energy."""
