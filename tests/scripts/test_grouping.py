# SPDX-License-Identifier: BSD-3-Clause
"""What is alike is put together in the order in which it comes."""

from pollux.core.grouping import grouped


def test_groups_and_what_is_in_them_keep_their_order() -> None:
    found = grouped(["ba", "a", "bc", "ab", "c"], lambda word: word[0])
    assert list(found.items()) == [("b", ["ba", "bc"]), ("a", ["a", "ab"]), ("c", ["c"])]
    assert grouped([], str) == {}
