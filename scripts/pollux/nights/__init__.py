# SPDX-License-Identifier: BSD-3-Clause
"""Nights: watches a history of campaigns, and finds the commit of a change."""
