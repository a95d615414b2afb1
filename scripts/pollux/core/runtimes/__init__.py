# SPDX-License-Identifier: BSD-3-Clause
"""OpenMP runtimes of this machine: which there are, and how the executables run under each."""
