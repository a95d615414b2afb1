# SPDX-License-Identifier: BSD-3-Clause
"""Traces of kernels: taking, reading and drawing them."""
