# SPDX-License-Identifier: BSD-3-Clause
"""All that runs executables: processes, arguments, variables, and the builds there are."""
