"""The grammar of the built-in reviews, as data: how meaning composes, rules of two halves, choices.

Polarity runs from -2 (very negative) over 0 (neutral) to 2 (very positive). A word has that of its class. A
phrase has what the meaning of its rule makes of its two halves, and of nothing else: its gold label follows
from its binary tree, and often not from its bag of words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

# --------------------------------------------------------------------------------------------------- meanings

Meaning: TypeAlias = Callable[[int, int], "int | None"]
"""Polarity of a phrase from those of its left and right half; None where nobody would say such a thing."""


def _sign(polarity: int) -> int:
    return (polarity > 0) - (polarity < 0)


def left(first: int, second: int) -> int:
    """The left half decides unless it is neutral: "loved | the dull plot"."""
    return first or second


def right(first: int, second: int) -> int:
    """The right half decides unless it is neutral: "the dull plot | was a triumph"."""
    return second or first


def strengthen(_: int, scope: int) -> int | None:
    """Take what is said to its extreme: "very | good"; but nothing is very French."""
    return 2 * _sign(scope) if scope else None


def weaken(_: int, scope: int) -> int | None:
    """Take what is said back to the mild: "somewhat | awful"."""
    return _sign(scope) if scope else None


def negate(_: int, scope: int) -> int:
    """Flip and weaken: "not | brilliant" is mildly negative, and "not | very good" too."""
    return -_sign(scope)


def reverse(_: int, scope: int) -> int | None:
    """Flip and insist: "far from | good" is very negative."""
    return -2 * _sign(scope) if scope else None


def agree(first: int, second: int) -> int | None:
    """Two of one mind, the stronger heard: "good | and brilliant"; they never disagree."""
    return max(first, second, key=abs) if first * second >= 0 else None


def but(first: int, second: int) -> int | None:
    """The second wins over its opposite, tempered unless it is the stronger: "well shot | but a disaster"."""
    if first * second >= 0:
        return None
    return second if abs(second) > abs(first) else _sign(second)


def though(first: int, second: int) -> int | None:
    """The first wins over what it admits, as in `but`: "the film was awful | although it was well shot"."""
    return but(second, first)


PHENOMENON: dict[Meaning, str] = {
    negate: "negation",
    reverse: "negation",
    strengthen: "intensifier",
    weaken: "intensifier",
    but: "contrast",
    though: "contrast",
}
"""The hard phenomenon that a meaning brings into a sentence."""

OPERATORS: frozenset[Meaning] = frozenset({negate, reverse, strengthen, weaken})
"""Meanings where the left half acts upon the right one, and may stand far from the word that it changes."""

# ------------------------------------------------------------------------------------------------------ rules


class Rule(NamedTuple):
    """A phrase of two halves, each a word class, a rule or a choice.

    Attributes:
        tag: label of the phrase.
        first: name of the left half.
        second: name of the right half.
        head: the half, "left" or "right", whose head word is that of the phrase.
        relation: dependency relation of the other half's head word to it.
        meaning: polarity of the phrase from those of its halves.
    """

    tag: str
    first: str
    second: str
    head: str
    relation: str
    meaning: Meaning


RULES: dict[str, Rule] = {
    # adjectives: very good, somewhat dull, beautifully shot, good and clever, dull but clever, far from dull
    "very good": Rule("ADJP", "very", "ADJ", "right", "advmod", strengthen),
    "slightly good": Rule("ADJP", "slightly", "ADJ", "right", "advmod", weaken),
    "well crafted": Rule("ADJP", "MANNER", "crafted", "right", "advmod", left),
    "and good": Rule("ADJP", "and", "ADJ", "right", "cc", right),
    "good and good": Rule("ADJP", "ADJ", "and good", "left", "conj", agree),
    "but good": Rule("ADJP", "but", "DEGREE", "right", "cc", right),
    "bad but good": Rule("ADJP", "DEGREE", "but good", "left", "conj", but),
    "far from": Rule("ADVP", "far", "from", "left", "fixed", right),
    "anything but": Rule("ADVP", "anything", "except", "left", "fixed", right),
    "far from good": Rule("ADJP", "OPPOSITE", "ADJ", "right", "advmod", reverse),
    "not good": Rule("ADJP", "NOT", "DEGREE", "right", "advmod", negate),
    # asides, which carry an adverb away from what it changes: not , as the trailer promised , very good
    "the source": Rule("NP", "the", "source", "right", "det", right),
    "the source promised": Rule("S", "the source", "promised", "right", "nsubj", right),
    "as promised": Rule("SBAR", "as", "the source promised", "right", "mark", right),
    ", as promised": Rule("PRN", ",", "as promised", "right", "punct", right),
    ", as promised ,": Rule("PRN", ", as promised", ",", "left", "punct", left),
    "not , as promised ,": Rule("ADVP", "not", ", as promised ,", "left", "advcl", left),
    "truly , as promised ,": Rule("ADVP", "truly", ", as promised ,", "left", "advcl", left),
    # what is reviewed: the film, the ending of the film, the dull film, the film that nobody liked
    "the work": Rule("NP", "the", "work", "right", "det", right),
    "the part": Rule("NP", "the", "part", "right", "det", right),
    "of the work": Rule("PP", "of", "the work", "right", "case", right),
    "the part of": Rule("NP", "the part", "of the work", "left", "nmod", left),
    "good work": Rule("NP", "ATTRIBUTE", "work", "right", "amod", agree),
    "the good work": Rule("NP", "the", "good work", "right", "det", right),
    "they liked": Rule("S", "PEOPLE", "LIKED", "right", "nsubj", right),
    "nobody liked": Rule("S", "NOBODY", "LIKED", "right", "nsubj", negate),
    "that they liked": Rule("SBAR", "which", "GAP", "right", "obj", right),
    "the work that": Rule("NP", "NOUN", "that they liked", "left", "acl:relcl", right),
    # what it is called: a good piece, a gem, a piece without charm, truly a gem, not a good piece
    "good gem": Rule("NP", "ATTRIBUTE", "GEM", "right", "amod", agree),
    "good piece": Rule("NP", "ATTRIBUTE", "piece", "right", "amod", agree),
    "a piece": Rule("NP", "a", "piece", "right", "det", right),
    "a good piece": Rule("NP", "a", "good piece", "right", "det", right),
    "a gem": Rule("NP", "a", "GEM", "right", "det", right),
    "a good gem": Rule("NP", "a", "good gem", "right", "det", right),
    "with charm": Rule("PP", "with", "TRAIT", "right", "case", right),
    "without charm": Rule("PP", "without", "TRAIT", "right", "case", negate),
    "a piece with charm": Rule("NP", "a piece", "WITH", "left", "nmod", agree),
    "truly a gem": Rule("NP", "TRULY", "TITLE", "right", "advmod", strengthen),
    "not a gem": Rule("NP", "NOT", "TITLE", "right", "advmod", negate),
    "not without charm": Rule("PP", "NOT", "without charm", "right", "advmod", negate),
    # what it was: was good, seemed good, never seemed good, had charm, lacked charm, failed to be good
    "was good": Rule("VP", "was", "COMPLEMENT", "right", "cop", right),
    "seemed good": Rule("VP", "seemed", "DEGREE", "left", "xcomp", right),
    "hardly seemed good": Rule("VP", "HARDLY", "seemed good", "right", "advmod", negate),
    "had charm": Rule("VP", "had", "TRAIT", "left", "obj", right),
    "lacked charm": Rule("VP", "lacked", "merit", "left", "obj", negate),
    "avoided kitsch": Rule("VP", "avoided", "fault", "left", "obj", negate),
    "be good": Rule("VP", "be", "DEGREE", "right", "cop", right),
    "to be good": Rule("VP", "to", "be good", "right", "mark", right),
    "failed to be good": Rule("VP", "failed", "to be good", "left", "xcomp", negate),
    "proved to be good": Rule("VP", "proved", "to be good", "left", "xcomp", right),
    # who judged it: liked the film, did not like it, found it good; nobody, no critic, hardly anybody
    "the crowd": Rule("NP", "most", "crowd", "right", "det", right),
    "no viewer": Rule("NP", "no", "viewer", "right", "det", right),
    "hardly anybody": Rule("NP", "hardly", "anybody", "right", "advmod", right),
    "liked it": Rule("VP", "LIKED", "THING", "left", "obj", left),
    "hardly liked it": Rule("VP", "HARDLY", "liked it", "right", "advmod", negate),
    "like it": Rule("VP", "LIKE", "THING", "left", "obj", left),
    "not like it": Rule("VP", "not", "like it", "right", "advmod", negate),
    "did not like it": Rule("VP", "did", "not like it", "right", "aux", right),
    "found it": Rule("VP", "found", "THING", "left", "obj", right),
    "found it good": Rule("VP", "found it", "DEGREE", "left", "xcomp", right),
    # who made it: the director made a good piece, did not make a good piece
    "the maker": Rule("NP", "the", "maker", "right", "det", right),
    "made it": Rule("VP", "made", "TITLE", "left", "obj", right),
    "make it": Rule("VP", "make", "TITLE", "left", "obj", right),
    "not make it": Rule("VP", "not", "make it", "right", "advmod", negate),
    "did not make it": Rule("VP", "did", "not make it", "right", "aux", right),
    # what was believed: did not think that the director made a good piece
    "that it was": Rule("SBAR", "that", "CLAUSE", "right", "mark", right),
    "said that": Rule("VP", "said", "that it was", "left", "ccomp", right),
    "think that": Rule("VP", "think", "that it was", "left", "ccomp", right),
    "not think that": Rule("VP", "not", "think that", "right", "advmod", negate),
    "did not think that": Rule("VP", "did", "not think that", "right", "aux", right),
    # clauses
    "it was": Rule("S", "THING", "VERDICT", "right", "nsubj", right),
    "they found": Rule("S", "PEOPLE", "JUDGED", "right", "nsubj", right),
    "nobody found": Rule("S", "NOBODY", "FOUND", "right", "nsubj", negate),
    "they made": Rule("S", "the maker", "MADE", "right", "nsubj", right),
    "they believed": Rule("S", "PEOPLE", "BELIEVED", "right", "nsubj", right),
    "it good": Rule("S", "THING", "DEGREE", "right", "nsubj", right),
    "was it good": Rule("SINV", "was", "it good", "right", "cop", right),
    "rarely was it good": Rule("SINV", "rarely", "was it good", "right", "advmod", negate),
    # clauses and phrases set against one another, and a time in front
    ", it was": Rule("S", ",", "CLAUSE", "right", "punct", right),
    "and it was": Rule("S", "and", "CLAUSE", "right", "cc", right),
    "it was and": Rule("S", "CLAUSE", "and it was", "left", "conj", agree),
    "but it was": Rule("S", "but", "CLAUSE", "right", "cc", right),
    "it was but": Rule("S", "CLAUSE", "but it was", "left", "conj", but),
    "although it was": Rule("SBAR", "although", "CLAUSE", "right", "mark", right),
    "although it was , it was": Rule("S", "although it was", ", it was", "right", "advcl", but),
    "it was although": Rule("S", "CLAUSE", "although it was", "left", "advcl", though),
    "its charm": Rule("NP", "its", "TRAIT", "right", "nmod:poss", right),
    "despite charm": Rule("PP", "despite", "ADMITTED", "right", "case", right),
    "despite it , it was": Rule("S", "despite charm", ", it was", "right", "obl", but),
    "it was despite": Rule("S", "CLAUSE", "despite charm", "left", "obl", though),
    "although good": Rule("SBAR", "although", "ADMISSION", "right", "mark", right),
    ", although good": Rule("PRN", ",", "although good", "right", "punct", right),
    ", although good ,": Rule("PRN", ", although good", ",", "left", "punct", left),
    ", although good , was": Rule("VP", ", although good ,", "PREDICATE", "right", "advcl", but),
    "first half": Rule("NP", "first", "time", "right", "amod", right),
    "the first half": Rule("NP", "the", "first half", "right", "det", right),
    "in the first half": Rule("PP", "in", "the first half", "right", "case", right),
    "in it , it was": Rule("S", "in the first half", ", it was", "right", "obl", right),
}

# ---------------------------------------------------------------------------------------------------- choices


def _weighted(choices: str) -> tuple[str, ...]:
    """The names in "name*weight | name | ...", each as often as its weight says."""
    pairs = (choice.strip().partition("*") for choice in choices.split("|"))
    return tuple(name for name, _, weight in pairs for _ in range(int(weight or 1)))


CHOICES: dict[str, tuple[str, ...]] = {
    symbol: _weighted(choices)
    for symbol, choices in {
        "ADJ": "good*5 | bad*5 | great*3 | awful*3 | plain*4",
        "MANNER": "well | badly",
        "DEGREE": "ADJ*6 | very good*5 | slightly good | well crafted*2",
        "ATTRIBUTE": "ADJ*5 | very good*3 | well crafted",
        "OPPOSITE": "far from | anything but",
        "HARDLY": "hardly | never",
        "NOT": "not*4 | HARDLY*3 | not , as promised ,*2",
        "TRULY": "truly*2 | truly , as promised ,",
        "NOUN": "the work | the part",
        "THING": "the work*6 | the part*6 | the part of*3 | the work that*3 | the good work*2",
        "GEM": "gem | flop",
        "TRAIT": "merit | fault",
        "WITH": "with charm | without charm",
        "TITLE": "a good piece*6 | a gem*2 | a good gem | a piece with charm*2 | a piece",
        "COMPLEMENT": "DEGREE*8 | not good*5 | far from good*6 | good and good*3 | bad but good*2"
        " | TITLE*3 | truly a gem*5 | not a gem*3 | without charm | not without charm*2",
        "PREDICATE": "was good*14 | seemed good*2 | hardly seemed good*2 | had charm | lacked charm"
        " | avoided kitsch | failed to be good*2 | proved to be good",
        "VERDICT": "PREDICATE*12 | , although good , was",
        "ADMISSION": "DEGREE*3 | not good*2 | not a gem | without charm",
        "LIKED": "adored*2 | liked*2 | watched*3 | resented*2 | hated*2",
        "LIKE": "adore | like*2 | resent*2 | hate",
        "GAP": "they liked*3 | nobody liked",
        "PEOPLE": "we | the crowd",
        "NOBODY": "nobody*2 | no viewer | hardly anybody",
        "FOUND": "liked it | found it good*2",
        "JUDGED": "liked it*3 | hardly liked it | did not like it | found it good*4",
        "MADE": "made it*2 | did not make it",
        "BELIEVED": "said that | did not think that",
        "ADMITTED": "its charm | the good work",
        "CLAUSE": "it was*12 | they found*4 | nobody found | they made*2 | they believed*3 | rarely was it good",
        "REVIEW": "CLAUSE*14 | it was but*3 | it was and*2 | although it was , it was*2 | it was although*2"
        " | despite it , it was | it was despite | in it , it was*3",
    }.items()
}
"""What a name in capitals stands for, each choice with its weight; every sentence is a REVIEW."""
