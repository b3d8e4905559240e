from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch

from dglsent.corpora.review_grammar import CHOICES, RULES
from dglsent.corpora.review_lexicon import LEXICON
from dglsent.corpora.reviews import CLASSES, PHENOMENA, Review, generate, skeleton

SIZES = {"train": 4000, "dev": 500, "test": 1000}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Review]]:
    return generate()


@pytest.fixture(scope="module")
def reviews(splits) -> list[Review]:
    return [review for split in splits.values() for review in split]


def written(splits: dict[str, list[Review]]) -> list[str]:
    return [
        f"{name} {skeleton(review.tree)} {review.tree.words} {review.sentiment.tolist()}"
        f" {sorted(review.phenomena)} {review.dependencies.head.tolist()} {review.dependencies.relation}"
        for name, split in splits.items()
        for review in split
    ]


# ------------------------------------------------------------------------------------------------ the grammar


def test_every_name_of_the_grammar_is_defined_once_and_used():
    names = [*LEXICON, *RULES, *CHOICES]
    used = {half for rule in RULES.values() for half in (rule.first, rule.second)}
    used |= {name for choices in CHOICES.values() for name in choices} | {"REVIEW"}
    assert len(names) == len(set(names))
    assert used == set(names)


def test_a_word_means_the_same_wherever_it_stands():
    polarity: dict[str, set[int]] = {}
    for kind in LEXICON.values():
        for word in kind.words.split():
            polarity.setdefault(word, set()).add(kind.polarity)
    assert 150 <= len(polarity) <= 250
    assert all(len(found) == 1 for found in polarity.values())


def label(phrase) -> int | None:
    """Label of a phrase given as (rule, half, half), halves being such phrases or names of word classes."""
    if isinstance(phrase, str):
        return LEXICON[phrase].polarity + 2
    rule, *halves = phrase
    polarity = RULES[rule].meaning(*(label(half) - 2 for half in halves))
    return None if polarity is None else polarity + 2


VERY_GOOD = ("very good", "very", "good")
FUNNY_PIECE = ("a good piece", "a", ("good piece", VERY_GOOD, "piece"))
FILM = ("the work", "the", "work")
BAD_FILM = ("the good work", "the", ("good work", "bad", "work"))
WAS_AWFUL = ("it was", FILM, ("was good", "was", "awful"))
ALTHOUGH_AWFUL = ("although it was", "although", WAS_AWFUL)
WELL_SHOT = ("it was", FILM, ("was good", "was", ("well crafted", "well", "crafted")))


@pytest.mark.parametrize(
    ("phrase", "sentiment"),
    [
        ("good", "positive"),
        (VERY_GOOD, "very positive"),
        (("slightly good", "slightly", "awful"), "negative"),
        (("very good", "very", "plain"), None),
        (("slightly good", "slightly", "plain"), None),
        (("not good", "not", "good"), "negative"),
        (("not good", "not", VERY_GOOD), "negative"),
        (("not good", "hardly", "awful"), "positive"),
        (("not good", "not", "plain"), "neutral"),
        (("far from good", ("far from", "far", "from"), "bad"), "very positive"),
        (("far from good", ("far from", "far", "from"), "plain"), None),
        (("without charm", "without", "merit"), "negative"),
        (("not without charm", "not", ("without charm", "without", "merit")), "positive"),
        (("not a gem", ("not , as promised ,", "not", ","), FUNNY_PIECE), "negative"),
        (("truly a gem", "truly", ("a gem", "a", "flop")), "very negative"),
        (("failed to be good", "failed", ("to be good", "to", ("be good", "be", "good"))), "negative"),
        (("nobody found", "nobody", ("found it good", ("found it", "found", FILM), "good")), "negative"),
        (("not think that", "not", ("think that", "think", ("made it", "made", FUNNY_PIECE))), "negative"),
        (("liked it", "adored", BAD_FILM), "very positive"),
        (("liked it", "watched", BAD_FILM), "negative"),
        (("it was", BAD_FILM, ("was good", "was", "great")), "very positive"),
        (("it was", BAD_FILM, ("was good", "was", "plain")), "negative"),
        (("it was but", WELL_SHOT, ("but it was", "but", WAS_AWFUL)), "very negative"),
        (("it was but", WAS_AWFUL, ("but it was", "but", WELL_SHOT)), "positive"),
        (("it was although", WAS_AWFUL, ("although it was", "although", WELL_SHOT)), "very negative"),
        (("although it was , it was", ALTHOUGH_AWFUL, (", it was", ",", WELL_SHOT)), "positive"),
        (("bad but good", "awful", ("but good", "but", "great")), "positive"),
        (("it was but", WELL_SHOT, ("but it was", "but", WELL_SHOT)), None),
        (("good and good", "good", ("and good", "and", "great")), "very positive"),
        (("good and good", "good", ("and good", "and", "bad")), None),
    ],
)  # fmt: skip
def test_meaning_composes(phrase, sentiment):
    assert label(phrase) == (None if sentiment is None else CLASSES.index(sentiment))


# ------------------------------------------------------------------------------------------------- the corpus


def test_sizes_and_lengths(splits, reviews):
    assert {name: len(split) for name, split in splits.items()} == SIZES
    assert all(3 <= len(review.tree.words) <= 25 for review in reviews)


def test_an_stands_before_vowels_alone(reviews):
    pairs = [pair for review in reviews for pair in pairwise(review.tree.words)]
    articles = [(word, then[0]) for word, then in pairs if word in ("a", "an")]
    assert {first for _, first in articles} >= set("aeiu")  # no word with an o follows one
    assert all((word == "an") == (first in "aeiou") for word, first in articles)


def test_the_same_seed_gives_the_same_reviews_everywhere():
    lines = written(generate(seed=3, train=40, dev=5, test=10))
    # A change of the grammar changes this digest, and every number published for the corpus with it.
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == "22898c2efd854fc7"
    assert written(generate(seed=4, train=40, dev=5, test=10)) != lines


def test_a_smaller_split_is_the_beginning_of_a_larger_one(splits):
    small = generate(train=40, dev=5, test=10)
    assert written(small) == written({name: split[: len(small[name])] for name, split in splits.items()})


def test_no_skeleton_and_no_sentence_is_shared(splits, reviews):
    skeletons = {name: {skeleton(review.tree) for review in split} for name, split in splits.items()}
    assert not skeletons["train"] & (skeletons["dev"] | skeletons["test"])
    assert not skeletons["dev"] & skeletons["test"]
    assert len({tuple(review.tree.words) for review in reviews}) == len(reviews)
    other = generate(seed=1, train=0, dev=0, test=200)["test"]
    assert not skeletons["train"] & {skeleton(review.tree) for review in other}


def test_trees_are_binary_and_in_pre_order(reviews):
    for review in reviews:
        tree = review.tree
        size = len(tree)
        assert len(tree.word) == len(tree.parent) == len(review.sentiment) == size
        children = np.bincount(tree.parent[1:], minlength=size)
        assert [count == 0 for count in children] == [word is not None for word in tree.word]
        assert set(children.tolist()) == {0, 2}
        assert tree.parent[0] == -1
        open_nodes = [0]
        for node in range(1, size):  # the parent of a node is the last one that still misses a child
            while open_nodes[-1] != tree.parent[node]:
                open_nodes.pop()
            open_nodes.append(node)
        assert 0 <= review.sentiment.min() <= review.sentiment.max() < len(CLASSES)


def test_dependencies_are_a_tree_with_one_root(reviews):
    for review in reviews:
        sentence = review.dependencies
        assert sentence.words == review.tree.words
        assert sentence.xpos == [
            tag for tag, word in zip(review.tree.label, review.tree.word, strict=True) if word is not None
        ]
        assert [name == "root" for name in sentence.relation] == (sentence.head == -1).tolist()
        assert (sentence.head == -1).sum() == 1
        assert -1 <= sentence.head.min() <= sentence.head.max() < len(sentence)
        above = sentence.head
        for _ in range(len(sentence)):  # from anywhere, that many steps up end at the root
            above = np.where(above == -1, -1, sentence.head[above])
        assert (above == -1).all()


def test_a_review_in_full(splits):
    review = splits["train"][4]
    tree, dependencies = review.tree, review.dependencies
    words = dependencies.words
    assert tree.origin.sentence == dependencies.origin.sentence == "train-5"
    assert review.phenomena == {"negation", "intensifier", "contrast"}
    assert brackets(review) == (
        "(1 S (2 NP (2 NP the script) (2 PP of (2 NP the film)))"
        " (1 VP (4 PRN (4 PRN , (4 SBAR although (4 ADJP remarkably masterful))) ,)"
        " (0 VP was (0 ADJP (2 ADVP anything but) interesting))))"
    )
    assert " ".join(dependencies.upos) == ("DET NOUN ADP DET NOUN PUNCT SCONJ ADV ADJ PUNCT AUX PRON CCONJ ADJ")
    assert " ".join(dependencies.relation) == (
        "det nsubj case det nmod punct mark advmod advcl punct cop advmod fixed root"
    )
    assert " ".join("-" if head < 0 else words[head] for head in dependencies.head) == (
        "script interesting film film script masterful masterful masterful interesting masterful"
        " interesting interesting anything -"
    )


def brackets(review: Review, node: int = 0) -> str:
    """A tree with the label and the tag of every phrase."""
    tree = review.tree
    if (word := tree.word[node]) is not None:
        return word
    halves = (brackets(review, int(child)) for child in np.flatnonzero(tree.parent == node))
    return f"({review.sentiment[node]} {tree.label[node]} {' '.join(halves)})"


# ------------------------------------------------------------------------ what it takes to tell the sentiment


def test_every_phenomenon_is_common(splits):
    counts = Counter(name for review in splits["test"] for name in review.phenomena)
    assert set(counts) == set(PHENOMENA)
    assert min(counts.values()) >= 0.1 * SIZES["test"]


def test_no_class_is_a_majority(splits):
    for split in splits.values():
        counts = Counter(int(review.sentiment[0]) for review in split)
        assert len(counts) == len(CLASSES)
        assert max(counts.values()) <= 0.5 * len(split)


def bags(reviews: list[Review], *, phrases: bool) -> Counter[tuple[tuple[str, ...], int]]:
    """How often each bag of words has each label, over the roots or over all phrases."""
    found: Counter[tuple[tuple[str, ...], int]] = Counter()
    for review in reviews:
        words: list[list[str]] = [[] for _ in review.tree.label]
        for node in range(len(words) - 1, -1, -1):
            if (word := review.tree.word[node]) is not None:
                words[node].append(word)
            if node:
                words[review.tree.parent[node]] += words[node]
            if phrases or not node:
                found[tuple(sorted(words[node])), int(review.sentiment[node])] += 1
    return found


def columns(bags: Counter[tuple[tuple[str, ...], int]], vocabulary: dict[str, int]) -> tuple[torch.Tensor, ...]:
    """Word counts, labels and weights of bags of words."""
    counts = torch.zeros(len(bags), len(vocabulary))
    for row, (words, _) in enumerate(bags):
        for word in words:
            counts[row, vocabulary[word]] += 1
    return counts, torch.tensor([label for _, label in bags]), torch.tensor(list(bags.values())).float()


@pytest.mark.parametrize("phrases", [False, True], ids=["trained on roots", "trained on all phrases"])
def test_a_bag_of_words_does_not_tell(splits, phrases):
    vocabulary = {word: number for number, word in enumerate(sorted(known_words(splits["train"])))}
    assert known_words(splits["test"]) <= set(vocabulary)
    counts, labels, weights = columns(bags(splits["train"], phrases=phrases), vocabulary)
    weight = torch.zeros(len(vocabulary), len(CLASSES), requires_grad=True)
    bias = torch.zeros(len(CLASSES), requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        losses = torch.nn.functional.cross_entropy(counts @ weight + bias, labels, reduction="none")
        loss = (losses * weights).sum() / weights.sum() + 1e-5 * weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert max(bias.grad.abs().max(), weight.grad.abs().max()) < 1e-3  # converged

    counts, labels, weights = columns(bags(splits["test"], phrases=False), vocabulary)
    right = ((counts @ weight + bias).argmax(1) == labels).float()
    accuracy = float((right * weights).sum() / weights.sum())
    print(f"bag of words: {accuracy:.3f}")
    assert 0.45 <= accuracy <= 0.75  # it learns what words alone tell, and no more


def known_words(reviews: list[Review]) -> set[str]:
    return {word for review in reviews for word in review.tree.words}
