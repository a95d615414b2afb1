# SPDX-License-Identifier: BSD-3-Clause
"""Bisecting: finds the commit of a repository that made a library slower."""
