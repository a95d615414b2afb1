# SPDX-License-Identifier: BSD-3-Clause
"""The exit statuses that more than one module gives; docs/campaigns.md lists all."""

BAD_USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
