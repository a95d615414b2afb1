# SPDX-License-Identifier: BSD-3-Clause
"""Shows what nights show: for people, for CI systems and dashboards, and as a page."""
