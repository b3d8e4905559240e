from __future__ import annotations

import pytest
import torch

from dglsent.tasks.spans import bio_kinds, span_counts

LABELS = ("O", "B-X", "I-X", "B-Y", "I-Y")


def counts(predicted: str, gold: str) -> list[int]:
    """Predicted, gold and right spans of one sentence; `-` has no tag."""
    kind, begins = bio_kinds(LABELS)
    short = {"-": -1, "O": 0, "bx": 1, "ix": 2, "by": 3, "iy": 4}
    tags = [torch.tensor([[short[tag] for tag in text.split()]]) for text in (predicted, gold)]
    found = span_counts(*tags, kind, begins)
    assert list(found) == ["predicted_spans", "gold_spans", "right_spans"]
    return [int(column) for column in found.values()]


# By hand, after seqeval's start_of_chunk and end_of_chunk: an I without its B begins a span.
@pytest.mark.parametrize(
    ("predicted", "gold", "wanted"),
    [
        ("bx ix O by", "bx ix O by", [2, 2, 2]),
        ("bx ix O by", "bx O O by", [2, 2, 1]),  # too long
        ("bx O O by", "bx ix O by", [2, 2, 1]),  # too short
        ("by iy", "bx ix", [1, 1, 0]),  # another kind
        ("bx bx", "bx ix", [2, 1, 0]),  # cut in two
        ("bx ix", "bx bx", [1, 2, 0]),  # two as one
        ("ix ix O", "bx ix O", [1, 1, 1]),  # no B at the start of the sentence
        ("O ix ix", "O bx ix", [1, 1, 1]),  # nor after O
        ("bx iy iy", "bx by iy", [2, 2, 2]),  # an I of another kind
        ("bx iy ix", "bx O bx", [3, 2, 2]),  # spans end where the kind changes, too
        ("bx ix iy", "bx ix ix", [2, 1, 0]),
        ("O O", "O O", [0, 0, 0]),
        ("O O", "bx O", [0, 1, 0]),
        ("O bx", "bx O", [1, 1, 0]),
        ("O O bx", "O O bx", [1, 1, 1]),
        ("bx ix -", "bx ix -", [1, 1, 1]),  # nothing stands after the end
    ],
)
def test_spans_by_hand(predicted, gold, wanted):
    assert counts(predicted, gold) == wanted


def test_sentences_are_counted_apart():
    kind, begins = bio_kinds(LABELS)
    # The first ends in X; the second begins with I-X, a span of its own.
    tags = torch.tensor([[0, 1], [2, 0]])
    found = span_counts(tags, torch.tensor([[0, 1], [0, 0]]), kind, begins)
    assert found["predicted_spans"].tolist() == [1, 1]
    assert found["gold_spans"].tolist() == [1, 0]
    assert found["right_spans"].tolist() == [1, 0]


def spans(tags) -> set[tuple[str, int, int]]:
    """A second way: token by token."""
    found, open_ = set(), None
    for place, tag in enumerate([*tags, "O"]):
        mark, _, name = tag.partition("-")
        if open_ and (mark in "BO" or name != open_[0]):
            found.add((*open_, place))
            open_ = None
        if mark != "O" and open_ is None:
            open_ = name, place
    return found


def test_random_taggings_against_a_scan():
    generator = torch.Generator().manual_seed(1)
    predicted, gold = torch.randint(len(LABELS), (2, 300, 7), generator=generator)
    kind, begins = bio_kinds(LABELS)
    found = span_counts(predicted, gold, kind, begins)
    for row in range(300):
        ours, theirs = (spans([LABELS[tag] for tag in tags[row]]) for tags in (predicted, gold))
        assert [int(column[row]) for column in found.values()] == [len(ours), len(theirs), len(ours & theirs)]


@pytest.mark.parametrize("label", ["NN", "B-", "E-X", ""])
def test_other_tags_are_refused(label):
    with pytest.raises(ValueError, match="none of O, B-kind and I-kind"):
        bio_kinds(("O", label))
