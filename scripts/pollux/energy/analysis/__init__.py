# SPDX-License-Identifier: BSD-3-Clause
"""What records and meters say of energy."""
