# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns, from their file to their records: planning them and running them."""
