# SPDX-License-Identifier: BSD-3-Clause
"""This machine: its fitness, its runtimes, its tiles, the rules that its runtimes keep."""
