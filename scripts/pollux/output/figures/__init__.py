# SPDX-License-Identifier: BSD-3-Clause
"""Figures for papers, drawn with matplotlib from the result of a comparison."""
