# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs as a runtime was told them: reading, measuring, checking and drawing them."""
