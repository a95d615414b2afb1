# SPDX-License-Identifier: BSD-3-Clause
"""The history: files of nights, what is kept of each, the index, and the accepted base line."""
