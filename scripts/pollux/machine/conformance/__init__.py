# SPDX-License-Identifier: BSD-3-Clause
"""Which rules of OpenMP a runtime keeps: runs the conformance programs and shows the matrix."""
