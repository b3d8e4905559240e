from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from real_graphs import check_graphs

from dglsent.corpora import sst
from dglsent.corpora.sst import SST, tags_of
from dglsent.training.graphs import shape
from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import parse_brackets, read_brackets
from graphs.trees import spans

TREES = "(3 (2 It) (4 (4 works) (2 -RRB-)))\n(2 (2 so) (1 (2 un) (0 even)))\n"


@pytest.fixture
def small(tmp_path, no_parses):
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.txt").write_text(TREES)
    return tmp_path


def test_five_classes(small):
    first, second = SST().load(small)["dev"]
    assert (first.id, first.targets) == ("dev-1", {"label": 3})
    (sentence,) = first.sentences
    assert sentence.constituency.words == ["It", "works", ")"]
    assert sentence.labels == [3, 2, 4, 4, 2]
    assert second.targets == {"label": 2}


def test_gold_labels_are_not_tags(small):
    for example in SST().load(small)["train"]:
        assert set(example.sentences[0].constituency.label) == {""}


@pytest.mark.parametrize(("phrases", "neutral"), [("drop", -1), ("third_class", 2)])
def test_two_classes_have_no_neutral_sentence(small, phrases, neutral):
    (small / "test.txt").write_text(TREES + "(1 (2 so) (1 (3 un) (0 even)))\n")
    good, bad = SST(classes=2, neutral_phrases=phrases).load(small)["test"]
    assert (good.targets, bad.targets) == ({"label": 1}, {"label": 0})
    assert good.sentences[0].labels == [1, neutral, 1, 1, neutral]
    assert bad.sentences[0].labels == [0, neutral, 0, 1, 0]
    assert (good.id, bad.id) == ("test-1", "test-3")


def test_phrases_are_sequences_of_training_alone(small):
    splits = SST(phrases=True).load(small)
    sentences, phrases = splits["train"][:2], splits["train"][2:]
    assert {split: len(examples) for split, examples in splits.items()} == {"train": 10, "dev": 2, "test": 2}
    assert [one.id for one in sentences] == ["train-1", "train-2"]
    found = {" ".join(one.sentences[0].unparsed.words): (one.targets["label"], one.id) for one in phrases}
    assert found == {
        "It": (2, "train-1-1-1"),
        "works )": (4, "train-1-2-3"),
        "works": (4, "train-1-2-2"),
        ")": (2, "train-1-3-3"),
        "so": (2, "train-2-1-1"),
        "un even": (1, "train-2-2-3"),
        "un": (2, "train-2-2-2"),
        "even": (0, "train-2-3-3"),
    }
    with pytest.raises(SentenceError, match=r"train\.txt:1, .*constituency trees; corpus\.phrases gives sequences"):
        shape("constituency", phrases[0].sentences[0])


def test_a_phrase_counts_once_and_neutral_ones_with_two_classes_not(small):
    (small / "train.txt").write_text(TREES + TREES)
    assert len(SST(phrases=True).load(small)["train"]) == 4 + 8
    two = SST(classes=2, phrases=True).load(small)["train"]
    assert [(one.sentences[0].unparsed.words, one.targets["label"]) for one in two[2:]] == [
        (["works", ")"], 1),
        (["works"], 1),
    ]


def test_a_phrase_has_the_class_that_it_has_first(small):
    (small / "train.txt").write_text(TREES + "(1 (2 It) (0 (1 works) (2 -RRB-)))\n")
    found = {one.id: one.targets["label"] for one in SST(phrases=True).load(small)["train"][3:]}
    assert len(found) == 8
    assert (found["train-1-2-3"], found["train-1-2-2"]) == (4, 4)


def test_layout_of_the_official_download(small, tmp_path):
    trees = tmp_path / "data" / "trainDevTestTrees_PTB" / "trees"
    trees.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (small / f"{split}.txt").rename(trees / f"{split}.txt")
    assert len(SST().load(tmp_path / "data")["train"]) == 2
    (tmp_path / "data" / "sst").mkdir()
    trees.rename(tmp_path / "data" / "sst" / "trees")
    assert len(SST().load(tmp_path / "data")["train"]) == 2


def test_missing_file_is_said_with_the_layout(small):
    (small / "dev.txt").unlink()
    with pytest.raises(InputError, match=r"SST is missing; expected .*\{train,dev,test\}\.txt.*docs/data\.md"):
        SST().load(small)


def test_wrong_label_is_said_with_its_line(small):
    (small / "dev.txt").write_text(TREES + "(7 (2 a) (2 b))\n")
    with pytest.raises(InputError, match=r"dev\.txt:3, sentence 3: label '7'"):
        SST().load(small)


@pytest.fixture(scope="module")
def unparsed(data_dir):
    """All of SST without given parses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DGLSENT_PARSES", raising=False)
        return SST().load(data_dir)


def test_real_counts(data_dir, unparsed, no_parses):
    sizes = {split: len(examples) for split, examples in unparsed.items()}
    assert sizes == {"train": 8544, "dev": 1101, "test": 2210}
    two = SST(classes=2).load(data_dir)
    assert {split: len(examples) for split, examples in two.items()} == {"train": 6920, "dev": 872, "test": 1821}
    assert {example.targets["label"] for example in two["test"]} == {0, 1}


def test_real_phrases(data_dir, no_parses):
    train = SST(phrases=True).load(data_dir)["train"]
    texts = [tuple(one.sentences[0].unparsed.words) for one in train[8544:]]
    assert len(texts) == len(set(texts)) == 150743


def test_real_labels_are_those_of_the_brackets(data_dir, unparsed):
    trees = read_brackets(data_dir / "sst" / "dev.txt")
    for example, tree in zip(unparsed["dev"], trees, strict=True):
        (sentence,) = example.sentences
        assert sentence.labels == [int(label) for label in tree.label]
        assert np.array_equal(sentence.constituency.parent, tree.parent)
    roots = np.bincount([example.targets["label"] for example in unparsed["train"]])
    assert roots.tolist() == [1092, 2218, 1624, 2322, 1288]


def parse_files(folder, blocks, lines):
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"sst-{split}.conllu").write_text(blocks)
        (folder / f"sst-{split}.brackets").write_text(lines)


WORDS = [["It", "works", ")"], ["so", "un", "even"]]


def blocks_of(sentences):
    return "".join(
        "".join(f"{i}\t{word}\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_\n" for i, word in enumerate(words, 1)) + "\n"
        for words in sentences
    )


BLOCKS = blocks_of(WORDS)
LINES = "(ROOT (S (NP (PRP It)) (VP (VBZ works)) (-RRB- -RRB-)))\n(ROOT (S (ADJP (RB so) (RB un)) (JJ even)))\n"


def test_tags_and_dependencies_of_parses(small):
    parse_files(small / "parsed", BLOCKS, LINES)
    first, second = SST(tags=True).load(small)["dev"]
    (sentence,) = first.sentences
    assert sentence.constituency.label == ["S", "PRP", "S", "VBZ", "-RRB-"]
    assert sentence.constituency.words == sentence.dependencies.words == ["It", "works", ")"]
    assert sentence.dependencies.head.tolist() == [-1, 0, 1]
    assert sentence.labels == [3, 2, 4, 4, 2]
    assert second.sentences[0].constituency.label == ["S", "RB", "S", "RB", "JJ"]


def test_parses_are_found_for_two_classes(small):
    parse_files(small / "parsed", BLOCKS, LINES)
    (only,) = SST(classes=2).load(small)["dev"]
    assert only.sentences[0].constituency.label == ["S", "PRP", "S", "VBZ", "-RRB-"]


def test_a_tree_whose_parse_failed_is_left_out(small):
    (small / "parsed").mkdir()
    for split in ("train", "dev", "test"):
        (small / f"{split}.txt").write_text(TREES + "(3 no)\n" + TREES * 4)
        (small / "parsed" / f"sst-{split}.brackets").write_text(LINES + "\n" + LINES * 4)
    assert [one.id for one in SST().load(small)["test"]] == [f"test-{line}" for line in range(1, 12) if line != 3]


def test_phrases_have_the_tags_of_their_words(small):
    parse_files(small / "parsed", re.sub(r"\t(\S+)\t_\t_\t_\t", r"\t\1\t_\t_\tT-\1\t", BLOCKS), LINES)
    for phrase in SST(phrases=True).load(small)["train"][2:]:
        read = phrase.sentences[0].unparsed
        assert read.columns == {"pos": [f"T-{word}" for word in read.words]}


def test_phrases_have_the_tags_that_sentences_have(small):
    parse_files(small / "parsed", re.sub(r"\t(\S+)\t_\t_\t_\t", r"\t\1\t_\tU-\1\t_\t", BLOCKS), LINES)
    for phrase in SST(phrases=True).load(small)["train"][2:]:
        read = phrase.sentences[0].unparsed
        assert read.columns == {"pos": [f"U-{word}" for word in read.words]}


def test_dependencies_of_words_cut_otherwise_give_phrases_no_tags_of_others(small):
    parse_files(small / "parsed", blocks_of([["I", "t", "works", ")"], *WORDS[1:]]), "")
    for file in (small / "parsed").glob("*.brackets"):
        file.unlink()
    with pytest.raises(InputError, match=r"sst-train\.conllu:1, .*4 words where .*train\.txt:1, .* has 3"):
        SST(phrases=True).load(small)


def tag_files(folder, blocks):
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"sst-{split}.tags.conllu").write_text(blocks)


TAGS = "".join(
    "".join(f"{i}\t{word}\t_\t_\tT{i}\t_\t_\t_\t_\t_\n" for i, word in enumerate(words, 1)) + "\n" for words in WORDS
)


def test_words_that_were_tagged_alone_have_tags(small):
    tag_files(small / "parsed", TAGS)
    splits = SST(phrases=True).load(small)
    tree = splits["dev"][0].sentences[0].constituency
    assert tree.label == ["", "T1", "", "T2", "T3"]
    assert {tuple(one.sentences[0].unparsed.columns["pos"]) for one in splits["train"][2:]} == {
        ("T1",),
        ("T2",),
        ("T3",),
        ("T2", "T3"),
    }
    with pytest.raises(InputError, match="the model reads tags of phrases"):
        SST(tags=True).load(small)


def test_tags_of_words_cut_otherwise_are_refused(small):
    tag_files(
        small / "parsed",
        TAGS.replace("1\tIt\t", "1\tI\t_\t_\tT0\t_\t_\t_\t_\t_\n2\tt\t")
        .replace("3\t)", "4\t)")
        .replace("2\tworks", "3\tworks"),
    )
    with pytest.raises(InputError, match=r"sst-train\.tags\.conllu:1, .*4 words where .*train\.txt:1, .* has 3"):
        SST().load(small)


def test_tags_that_are_wanted_need_parses(small):
    with pytest.raises(
        InputError, match=r"train\.txt:1, sentence 1: the model reads tags of phrases; .*`dglsent parse sst .*parsed`"
    ):
        SST(tags=True).load(small)


def test_parses_of_other_words_are_refused(small):
    parse_files(small / "parsed", BLOCKS, LINES.replace("works", "does"))
    with pytest.raises(InputError, match=r"sst-train\.brackets:1, sentence 1: the parse is of 'It does \)'"):
        SST().load(small)


@pytest.mark.parametrize(
    ("tree", "parse", "tags"),
    [
        # A constituent with the same words gives its label, the top one of its chain; a leaf keeps its own.
        (
            "(2 (2 a) (2 (2 b) (2 c)))",
            "(ROOT (S (NP (NN a)) (VP (VP (VB b) (NN c)))))",
            ["S", "NN", "VP", "VB", "NN"],
        ),
        # Otherwise the smallest one that covers the words: NP of b c within X, not X or S.
        (
            "(2 (2 a) (2 (2 (2 b) (2 c)) (2 d)))",
            "(ROOT (S (X (NP (DT a) (NN b) (NN c)) (PP (IN d)))))",
            ["S", "DT", "S", "NP", "NN", "NN", "IN"],
        ),
        # One word, whatever stands over it.
        ("(2 a)", "(ROOT (S (NP (NN a))))", ["NN"]),
        ("(2 (2 a) (2 b))", "(S (NN a) (NN b))", ["S", "NN", "NN"]),
    ],
)
def test_tags_of(tree, parse, tags):
    (tree,), (parse,) = parse_brackets(tree), parse_brackets(parse)
    assert tags_of(tree, parse) == tags


def test_tags_of_another_number_of_words():
    (tree,), (parse,) = parse_brackets("(2 (2 a) (2 b))"), parse_brackets("(S (A a) (B b) (C c))")
    with pytest.raises(SentenceError, match=r"3 words where .* has 2"):
        tags_of(tree, parse)


def test_tags_of_random_trees_are_those_of_the_definition():
    generator = np.random.default_rng(3)
    for _ in range(50):
        size = int(generator.integers(1, 15))
        tree, parse = (random_tree(generator, 0, size) for _ in range(2))
        (tree,), (parse,) = parse_brackets(tree), parse_brackets(f"(ROOT {parse})")
        found = spans(parse).tolist()
        tags = tags_of(tree, parse)
        for node, (start, end) in enumerate(spans(tree).tolist()):
            if tree.word[node] is not None:
                (leaf,) = (i for i, word in enumerate(parse.word) if word is not None and found[i] == [start, end])
                assert tags[node] == parse.label[leaf]
                continue
            covering = [i for i in range(1, len(parse)) if found[i][0] <= start and end <= found[i][1]]
            smallest = min(found[i][1] - found[i][0] for i in covering)
            top = next(i for i in covering if found[i][1] - found[i][0] == smallest)
            assert tags[node] == parse.label[top]


def random_tree(generator, start: int, end: int) -> str:
    """A tree over words start .. end - 1, unary chains included; every label occurs once."""
    label = f"L{generator.integers(10**9)}"
    if end - start == 1:
        leaf = f"({label} w{start})"
        return f"(U{label} {leaf})" if generator.random() < 0.3 else leaf
    cuts = sorted({start, end, *generator.integers(start + 1, end, size=generator.integers(1, 4)).tolist()})
    inner = " ".join(random_tree(generator, *pair) for pair in pairwise(cuts))
    return f"(U{label} ({label} {inner}))" if generator.random() < 0.3 else f"({label} {inner})"


def test_real_graphs(load_real):
    check_graphs(load_real(SST, tags=True))


def test_real_tags(load_real):
    splits = load_real(SST, tags=True)
    tags = set()
    for example in splits["dev"]:
        (sentence,) = example.sentences
        tree = sentence.constituency
        assert sentence.dependencies.words == tree.words
        leaf = [label for label, word in zip(tree.label, tree.word, strict=True) if word is not None]
        assert leaf == list(sentence.dependencies.xpos)
        tags |= set(tree.label)
    assert {"NP", "VP", "S", "NN", "DT"} <= tags
    assert not tags & {"", "ROOT"}
    odd = [word for example in splits["train"] for word in example.sentences[0].dependencies.words if "\xa0" in word]
    assert len(odd) == 3


def test_real_trees_of_the_same_shape_give_each_node_its_own_tag(data_dir, tagged_dir, monkeypatch):
    monkeypatch.setenv("DGLSENT_PARSES", str(tagged_dir))
    tagged = read_brackets(tagged_dir / "sst-dev.brackets.gz")
    monkeypatch.setattr(sst, "_SPLITS", ("dev",))
    examples = SST(tags=True).load(data_dir)["dev"]
    for example, tree in zip(examples, tagged, strict=True):
        read = example.sentences[0].constituency
        assert np.array_equal(read.parent, tree.parent)
        assert read.label == tree.label
    first = examples[0].sentences[0].constituency
    assert first.label[:3] == ["ROOT", "NP", "@S"]
    assert first.word[1] == "It"


def test_real_texts(data_dir):
    texts = SST().texts(data_dir)
    assert {name: len(sentences) for name, sentences in texts.items()} == {
        "sst-train": 8544,
        "sst-dev": 1101,
        "sst-test": 2210,
    }
    words = {word for sentence in texts["sst-train"] for word in sentence}
    assert not any(mark in word for word in words for mark in ("\xa0", "\\/", "-LRB-"))
    assert {"8_1/2", "("} <= words
