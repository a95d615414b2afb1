# SPDX-License-Identifier: BSD-3-Clause
"""Simulates task graphs on a model machine, with measured or given kernel times."""
