# SPDX-License-Identifier: BSD-3-Clause
"""The processor's levers: turbo, idle states, governors, frequency limits."""
