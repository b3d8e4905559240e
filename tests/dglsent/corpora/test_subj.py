from __future__ import annotations

from collections import Counter

import pytest
from real_graphs import check_graphs

from dglsent.corpora.subj import SUBJ
from graphs.errors import InputError


@pytest.fixture
def small(tmp_path, no_parses):
    for name in ("plot", "quote"):
        (tmp_path / f"{name}.tok.gt9.5000").write_text("".join(f"{name} {number} .\n" for number in range(20)))
    return tmp_path


def test_folds(small):
    splits = SUBJ(fold=3).load(small)
    assert [(one.id, one.targets["label"]) for one in splits["test"]] == [
        ("subj-plot-4", 0),
        ("subj-plot-14", 0),
        ("subj-quote-4", 1),
        ("subj-quote-14", 1),
    ]
    assert splits["test"][0].sentences[0].unparsed.words == ["plot", "3", "."]
    assert len(splits["train"]) + len(splits["dev"]) == 36


def test_missing_files_are_said_with_the_layout(small):
    (small / "plot.tok.gt9.5000").unlink()
    with pytest.raises(
        InputError, match=r"SUBJ is missing; expected .*plot\.tok\.gt9\.5000 quote\.tok\.gt9\.5000 \(docs/data\.md\)"
    ):
        SUBJ().load(small)


def test_real_graphs(load_real):
    check_graphs(load_real(SUBJ))


def test_real_counts(load_real, data_dir):
    splits = load_real(SUBJ)
    examples = [one for split in splits.values() for one in split]
    assert Counter(one.targets["label"] for one in examples) == {0: 5000, 1: 5000}
    assert Counter(one.targets["label"] for one in splits["test"]) == {0: 500, 1: 500}
    texts = SUBJ().texts(data_dir)
    other = [
        one.id
        for one in examples
        for name, line in [one.id.rsplit("-", 1)]
        if one.sentences[0].dependencies.words != texts[name][int(line) - 1]
    ]
    # The given parses were made of wrongly decoded text; where an accent became a space the words are theirs.
    assert len(other) <= 1
    words = {word for one in examples for word in one.sentences[0].constituency.words}
    assert "araña" in words
