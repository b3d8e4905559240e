"""Texts that memory does not hold, all together or one alone."""

from __future__ import annotations

import pytest
import torch
from little_memory import little_memory, on_linux
from untrained import untrained


@pytest.fixture
def one_thread():
    """Others set memory apart for themselves."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@on_linux
@pytest.mark.usefixtures("one_thread")
def test_a_text_too_long_for_memory_is_an_error_and_the_others_are_not():
    model = untrained("complete", "cn3.CN3", hidden=8)
    short, long, longer = ["good"], ["good"] * 4000, ["good"] * 30_000  # 16 million edges, and 900 million
    (alone,) = model.predict([short])
    with little_memory(400 << 20):
        said = model.predict([short, long, longer, short], on_error="keep")
    for number, one in zip((2, 3), said[1:3], strict=True):
        error = f"example {number}: too long for the memory that is free; cut it into shorter texts"
        assert one == {"error": error}
    assert said[0] == said[3] == alone


@on_linux
@pytest.mark.usefixtures("one_thread")
def test_texts_that_memory_holds_one_at_a_time_are_all_read():
    """What was made of one, which refers to itself in a circle, is gone before the next is read."""
    model = untrained("complete", "cn3.CN3", hidden=8)
    texts = [["good"] * 700] * 6  # half a million edges each
    (alone,) = model.predict(texts[:1])
    with little_memory(80 << 20):
        said = model.predict(texts)
    assert [one["probabilities"] for one in said] == [alone["probabilities"]] * 6
