# SPDX-License-Identifier: BSD-3-Clause
"""The mutator that tests of readers use: damage that a seed decides, of many kinds."""

import json

from mutations import Mutator

OBJECT = b'{"schema":"some/1","n":128,"deep":{"names":["a","b"],"speed":1.5}}\n'
TEXT = b"# a comment\n" + OBJECT + b"[1, 2, 3]\n"


def test_a_seed_decides_the_mutations() -> None:
    first, again = Mutator(5), Mutator(5)
    assert [first.lines(TEXT) for _ in range(200)] == [again.lines(TEXT) for _ in range(200)]


def test_objects_are_mutated_in_many_ways() -> None:
    mutator = Mutator(1)
    texts = {mutator.json_object(OBJECT).text for _ in range(2000)}
    assert len(texts) > 700
    for wanted in (b":null", b'"n":"128"', b":NaN", b"1e999", b'"unknown":'):
        assert any(wanted in text for text in texts), wanted
    assert any(b'"n"' not in text for text in texts)


def test_most_mutated_objects_are_still_json() -> None:
    mutator = Mutator(2)
    good = 0
    for _ in range(500):
        try:
            json.loads(mutator.json_object(OBJECT).text)
        except (ValueError, RecursionError):
            continue
        good += 1
    assert good > 300


def test_lines_are_mutated_whatever_they_are() -> None:
    mutator = Mutator(3)
    for text in (b"", b"\n", b"no JSON at all", TEXT, b"\xff\xfe\x00"):
        for _ in range(200):
            mutator.lines(text)
            mutator.text(text)
