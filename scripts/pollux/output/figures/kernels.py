# SPDX-License-Identifier: BSD-3-Clause
"""The colour of each kernel, the same in every figure, graph and chart."""

from collections.abc import Iterable

# By what a kernel does: orange and yellow for panels, green for solves, blue for updates, pink for
# row exchanges; for a product by recursion, yellow for sums of A, green for those of B, pink for
# those of C. All but the greys are Okabe & Ito's, "Color Universal Design" (2008), or mixtures
# of these with white; black text is legible on each (a contrast of 4.5 and more, WCAG 2.1, 1.4.3).
COLOURS = {
    "potrf": "#D55E00",
    "getrf": "#D55E00",
    "geqrt": "#D55E00",
    "tsqrt": "#E69F00",
    "ttqrt": "#F0E442",
    "panel_load": "#F2CFB2",
    "panel_getrf": "#D55E00",
    "panel_swap": "#D99B6C",
    "panel_trsm": "#E08A44",
    "panel_gemm": "#EAAE80",
    "panel_store": "#F2CFB2",
    "trsm": "#009E73",
    "unmqr": "#009E73",
    "laswp": "#CC79A7",
    "syrk": "#4C9CC9",
    "gemm": "#A9D7F2",
    "tsmqr": "#A9D7F2",
    "ttmqr": "#56B4E9",
    "s123": "#E69F00",
    "s4": "#F5D999",
    "s124": "#E69F00",
    "s35": "#F5D999",
    "t123": "#009E73",
    "t4": "#99D8C7",
    "t124": "#009E73",
    "t35": "#99D8C7",
    "product": "#A9D7F2",
    "u2": "#CC79A7",
    "u3": "#DBA1C1",
    "u4": "#EBC9DC",
    "c11": "#CC79A7",
    "c22": "#DBA1C1",
    "c12": "#EBC9DC",
    "c21": "#F5E4ED",
    "sweep": "#A9D7F2",
    "message": "#9A9A9A",
    "taskwait": "#DDDDDD",
    "task": "#EEEEEE",
}
MESSAGE = "message"  # no kernel: in charts of runs over MPI, messages under way
OTHERS = ("#A0A0A0", "#C0B8A8", "#B0C0B0", "#C8C8C8")  # of kernels that are not known here


def in_order(names: Iterable[str]) -> list[str]:
    """Kernels as legends list them: panels, solves, exchanges, updates, then any others by name."""
    known = list(COLOURS)
    return sorted(set(names), key=lambda n: (known.index(n) if n in COLOURS else len(known), n))


def kernel_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each of these kernels."""
    ordered = in_order(names)
    unknown = [name for name in ordered if name not in COLOURS]
    return {
        name: COLOURS.get(name) or OTHERS[unknown.index(name) % len(OTHERS)] for name in ordered
    }
