# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux run` and `pollux compare` need; it imports none of the other parts."""
