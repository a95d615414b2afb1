# SPDX-License-Identifier: BSD-3-Clause
"""The commands of this part."""
