# SPDX-License-Identifier: BSD-3-Clause
"""What this part gives."""

from pollux.core.parts import Part
from pollux.nights.commands.bisect import bisect
from pollux.nights.commands.diff import diff
from pollux.nights.commands.watch import watch

part = Part(title="Night after night", commands=(watch, bisect, diff))
