# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs as the runtime receives them: reading, measuring, checking and drawing."""
