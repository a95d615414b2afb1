# SPDX-License-Identifier: BSD-3-Clause
"""Chooses among the variants that executables list."""

from collections.abc import Sequence

from pollux.core.errors import BadUsageError
from pollux.core.listings import Listing, Variant
from pollux.core.records import KERNEL_SETS

ALL = "all"


def chosen_variants(listing: Listing, names: Sequence[str]) -> list[Variant]:
    """Those named; all of them for "all"; without names the benchmark's default, or its first."""
    if ALL in names:
        return list(listing.variants)
    known = [variant.variant for variant in listing.variants]
    usual = listing.default_variant if listing.default_variant in known else known[0]
    return [v for v in listing.variants if v.variant in (names or [usual])]


def check_variants(names: Sequence[str], listed: Sequence[Variant]) -> None:
    known = list(dict.fromkeys(v.variant for v in listed))
    for name in names:
        if name not in (ALL, *known):
            raise BadUsageError(
                f"unknown variant {name!r}; choose from {', '.join(known)}, or {ALL}"
            )


def check_kernels(names: Sequence[str]) -> None:
    for name in names:
        if name not in KERNEL_SETS:
            raise BadUsageError(f"--kernels {name}: unknown; choose from {', '.join(KERNEL_SETS)}")


def why_not(listing: Listing, variant: Variant, kernels: str | None) -> str | None:
    """Why a variant cannot run with a kernel set; None if it can."""
    if not variant.available:
        return why_unavailable(variant)
    if kernels is None and not listing.kernel_sets:
        return None
    for known in listing.kernel_sets:
        if known.kernels == kernels:
            return None if known.available else f"kernel set {kernels}: {known.reason}"
    return f"the executable has no kernel set {kernels}"


def why_unavailable(variant: Variant) -> str:
    return variant.reason or variant.needs or "the executable says that it is not available"
