from __future__ import annotations

from collections import Counter

import pytest

from dglsent.corpora.ptb_pos import PTBPOS
from graphs.errors import InputError, SentenceError


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "treebank" / "combined"
    folder.mkdir(parents=True)
    for number in range(1, 200):
        (folder / f"wsj_{number:04}.mrg").write_text(
            f"\n( (S (NP-SBJ (NNP N{number})) (VP (VBD sat) (NP (-NONE- *-1))) (-LRB- -LRB-) (. .)))\n"
        )
    return tmp_path


def test_traces_are_dropped_and_tags_are_not_read(small):
    splits = PTBPOS().load(small)
    assert {split: len(found) for split, found in splits.items()} == {"train": 159, "dev": 20, "test": 20}
    sentence = splits["dev"][0].sentences[0]
    assert sentence.unparsed.words == ["N160", "sat", "(", "."]
    assert [PTBPOS.labels[label] for label in sentence.labels] == ["NNP", "VBD", "-LRB-", "."]
    assert sentence.unparsed.columns == {}


def test_unknown_tag_is_named(small):
    (small / "treebank" / "combined" / "wsj_0199.mrg").write_text("( (S (FOO a)))\n")
    with pytest.raises(SentenceError, match=r"wsj_0199\.mrg.*pos 'FOO' is none of #"):
        PTBPOS().load(small)


def test_missing_files_are_said_with_the_layout(small):
    (small / "treebank" / "combined" / "wsj_0042.mrg").unlink()
    with pytest.raises(InputError, match=r"sample is missing; expected .*combined/wsj_\{0001\.\.0199\}\.mrg"):
        PTBPOS().load(small)


def test_real_counts(data_dir):
    splits = PTBPOS().load(data_dir)
    assert {split: len(found) for split, found in splits.items()} == {"train": 3396, "dev": 273, "test": 245}
    tokens = {split: sum(len(one.sentences[0].labels) for one in found) for split, found in splits.items()}
    assert tokens == {"train": 81793, "dev": 6327, "test": 5964}
    used = Counter(label for found in splits.values() for one in found for label in one.sentences[0].labels)
    assert set(used) == set(range(len(PTBPOS.labels)))
