# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether a machine is fit to measure: behind `pollux doctor` and the warnings of `run`."""
