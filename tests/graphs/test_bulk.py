from __future__ import annotations

import random
from itertools import pairwise

from graphs.bulk import batches


def test_batches_hold_sentences_of_one_length_and_few_long_ones():
    given = [(size, copy) for size in range(1, 200) for copy in range(3)]
    random.Random(0).shuffle(given)
    todo = {str(size).encode() + bytes([copy]): ["w"] * size for size, copy in given}
    cut = list(batches(todo, 50))
    assert sorted(one for batch in cut for one in batch) == sorted(todo)
    assert max(map(len, cut)) == 50
    sizes = [[len(todo[one]) for one in batch] for batch in cut]
    assert max(map(sum, sizes)) <= 8000
    assert sizes != sorted(sizes), "the first batches tell how long the whole will take"
    ranges = sorted((min(batch), max(batch)) for batch in sizes)
    assert all(before[1] <= after[0] for before, after in pairwise(ranges))
    assert list(batches({b"a": ["w"] * 9000, b"b": "w " * 9000}, 50)) in ([[b"a"], [b"b"]], [[b"b"], [b"a"]])
    # Of text it is its words that count, and not its letters.
    (together,) = batches({b"a": "letters " * 1000, b"b": ["w"] * 7000}, 50)
    assert sorted(together) == [b"a", b"b"]
    assert list(batches({}, 50)) == []
