# SPDX-License-Identifier: BSD-3-Clause
"""Runs the Pollux executables and compares their records."""
