#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peak resident memory of a run with --check=fast, compared with one N × N matrix."""

import argparse
import os
import subprocess
import sys

from pollux.core.paths import ROOT

MIB = 2**20
CASES = (("cholesky", "depend"), ("lu", "depend"), ("lu-cw", "cw"), ("qr", "depend"))


def peak_bytes(command: list[str]) -> int:
    """Maximum resident set size of one process, from the system's own accounting."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: failed")
    return usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--tile", type=int, default=256)
    args = parser.parse_args()
    matrix = 8 * args.size**2 / MIB
    print(f"{args.preset}, N = {args.size}, NB = {args.tile}; one matrix: {matrix:.0f} MiB")
    for benchmark, variant in CASES:
        binary = ROOT / "build" / args.preset / "bin" / benchmark
        options = ["-b", str(args.tile), "-v", variant, "-r", "1", "-w", "0", "-c", "fast"]
        peak = peak_bytes([str(binary), "-n", str(args.size), *options]) / MIB
        base = peak_bytes([str(binary), "-n", "64", *options]) / MIB
        share = f"{peak / matrix:.2f} matrices"
        print(f"{benchmark:8} peak {peak:5.0f} MiB = {share}; at N = 64: {base:.0f} MiB")


if __name__ == "__main__":
    main()
