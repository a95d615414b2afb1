# SPDX-License-Identifier: BSD-3-Clause
"""A campaign from its file to its records: what is to be run, and running it."""
