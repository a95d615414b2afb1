# SPDX-License-Identifier: BSD-3-Clause
# For fish, which loads it at the first Tab: what the command itself says of its completions.
_POLLUX_COMPLETE=source_fish pollux | source
