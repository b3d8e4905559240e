"""The built-in reviews as files that people have."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dglsent.corpora.built_in import Reviews
from graphs.formats.brackets import to_brackets
from graphs.formats.conllu import to_conllu


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of the built-in reviews: CoNLL-U with `# label = CLASS`, and brackets with classes as labels."""
    folder = tmp_path_factory.mktemp("corpus")
    for split, examples in Reviews(train=40, dev=8, test=8).load().items():
        blocks, trees = [], []
        for number, example in enumerate(examples):
            sentence = example.sentences[0]
            assert sentence.dependencies is not None
            assert sentence.constituency is not None
            sentence.dependencies.comments = [
                f"sent_id = {number}",
                f"label = {Reviews.labels[example.targets['label']]}",
            ]
            blocks.append(to_conllu(sentence.dependencies))
            sentence.constituency.label = list(map(str, sentence.labels or ()))
            trees.append(to_brackets(sentence.constituency))
        (folder / f"{split}.conllu").write_text("".join(blocks))
        (folder / f"{split}.brackets").write_text("\n".join(trees) + "\n")
        with gzip.open(folder / f"{split}.conllu.gz", "wt") as packed:
            packed.write("".join(blocks))
    return folder
