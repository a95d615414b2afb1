# SPDX-License-Identifier: BSD-3-Clause
# The rules, in the order in which they are reported.
pollux_rule(depend-order)
pollux_rule(readers-concurrent)
