# SPDX-License-Identifier: BSD-3-Clause
"""The report: one self-contained HTML page about a comparison."""
