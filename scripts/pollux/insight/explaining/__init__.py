# SPDX-License-Identifier: BSD-3-Clause
"""Where the threads' time of a traced run went, and why one run is slower than another."""
