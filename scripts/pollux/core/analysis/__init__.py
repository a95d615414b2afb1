# SPDX-License-Identifier: BSD-3-Clause
"""From the lines of campaigns to what they show: samples, statistics, verdicts."""
