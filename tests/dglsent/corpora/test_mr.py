from __future__ import annotations

from collections import Counter

import pytest
from real_graphs import check_graphs
from test_parses import write

from dglsent.corpora.mr import MR
from dglsent.corpora.splits import is_dev
from graphs.errors import InputError


@pytest.fixture
def small(tmp_path, no_parses):
    folder = tmp_path / "sentence_polarity"
    folder.mkdir()
    for name in ("neg", "pos"):
        # As the first release has it: ISO-8859-1.
        text = "".join(f"{name} {number} caf\xe9 .\n" for number in range(20))
        (folder / f"rt-polarity.{name}").write_bytes(text.encode("iso-8859-1"))
    return tmp_path


def test_folds(small):
    for fold in range(10):
        splits = MR(fold).load(small)
        assert [(one.id, one.targets["label"]) for one in splits["test"]] == [
            (f"mr-{name}-{line}", label) for label, name in enumerate(("neg", "pos")) for line in (fold + 1, fold + 11)
        ]
        assert all(is_dev(one.id) for one in splits["dev"])
        assert len(splits["train"]) + len(splits["dev"]) == 36
    assert splits["test"][3].sentences[0].unparsed.words == ["pos", "19", "café", "."]


def test_others_stay_in_their_folds_where_a_parse_failed(small):
    for name, sentences in MR().texts(small).items():
        write(small / "parsed", name, sentences, frozenset({4} if name == "mr-neg" else ()))
    kept = {fold: [one.id for one in MR(fold).load(small)["test"]] for fold in (3, 4)}
    assert kept == {
        3: ["mr-neg-14", "mr-pos-4", "mr-pos-14"],
        4: ["mr-neg-5", "mr-neg-15", "mr-pos-5", "mr-pos-15"],
    }


def test_no_such_fold():
    with pytest.raises(InputError, match="fold 10"):
        MR(fold=10)


def test_missing_files_are_said_with_the_layout(small):
    (small / "sentence_polarity" / "rt-polarity.pos").unlink()
    with pytest.raises(
        InputError, match=r"MR is missing; expected .*rt-polarity\.neg rt-polarity\.pos \(docs/data\.md\)"
    ):
        MR().load(small)


def test_blank_line_is_named(small):
    (small / "sentence_polarity" / "rt-polarity.pos").write_text("a b\n\nc\n")
    with pytest.raises(InputError, match=r"rt-polarity\.pos:2: a blank line"):
        MR().load(small)


def test_a_class_without_sentences_is_no_corpus(small):
    (small / "sentence_polarity" / "rt-polarity.pos").write_text("\n")
    with pytest.raises(InputError, match=r"rt-polarity\.pos: has no sentences; download it again$"):
        MR().load(small)


def test_real_graphs(load_real):
    check_graphs(load_real(MR))


def test_real_counts(load_real, data_dir):
    splits = load_real(MR)
    examples = [one for split in splits.values() for one in split]
    assert Counter(one.targets["label"] for one in examples) == {0: 5331, 1: 5331}
    assert {split: len(found) for split, found in splits.items()} == {"train": 8630, "dev": 964, "test": 1068}
    assert Counter(one.targets["label"] for one in splits["test"]) == {0: 534, 1: 534}
    texts = MR().texts(data_dir)
    assert {name: len(found) for name, found in texts.items()} == {"mr-neg": 5331, "mr-pos": 5331}
    for one in examples:
        name, line = one.id.rsplit("-", 1)
        (sentence,) = one.sentences
        assert sentence.dependencies.words == sentence.constituency.words == texts[name][int(line) - 1]
