# SPDX-License-Identifier: BSD-3-Clause
"""One module for each command of `pollux`."""
