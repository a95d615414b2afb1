# SPDX-License-Identifier: BSD-3-Clause
"""Energy: counters, meters, and the levers that change it."""
