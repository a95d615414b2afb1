# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs run by an imagined machine, with kernel times that were measured or given."""
