# SPDX-License-Identifier: BSD-3-Clause
"""Finding a good tile size with few runs: the candidates, the search, and what it measures."""
