"""The words of the built-in reviews, as data."""

from __future__ import annotations

from typing import NamedTuple


class WordClass(NamedTuple):
    """Words that can stand for one another: neither tree nor meaning changes.

    Attributes:
        tag: POS tag of the Penn Treebank.
        upos: universal POS tag.
        polarity: from -2, very negative, over 0, neutral, to 2, very positive.
        words: the words, a blank between two; one given twice is twice as usual.
    """

    tag: str
    upos: str
    polarity: int
    words: str


LEXICON: dict[str, WordClass] = {
    # adjectives and adverbs
    "great": WordClass("JJ", "ADJ", 2, "brilliant superb wonderful magnificent stunning masterful dazzling"),
    "good": WordClass("JJ", "ADJ", 1, "good funny charming clever moving engaging likeable fresh interesting"),
    "plain": WordClass("JJ", "ADJ", 0, "long short quiet modern unusual traditional French"),
    "bad": WordClass("JJ", "ADJ", -1, "bad dull weak clumsy predictable tired flat bland uneven"),
    "awful": WordClass("JJ", "ADJ", -2, "awful terrible dreadful horrible atrocious unbearable abysmal"),
    "very": WordClass("RB", "ADV", 0, "very extremely remarkably incredibly really"),
    "slightly": WordClass("RB", "ADV", 0, "slightly somewhat mildly fairly"),
    "truly": WordClass("RB", "ADV", 0, "truly definitely undoubtedly simply"),
    "not": WordClass("RB", "PART", 0, "not"),
    "hardly": WordClass("RB", "ADV", 0, "hardly scarcely"),
    "never": WordClass("RB", "ADV", 0, "never"),
    "rarely": WordClass("RB", "ADV", 0, "rarely seldom"),
    "far": WordClass("RB", "ADV", 0, "far miles"),
    "well": WordClass("RB", "ADV", 1, "beautifully skilfully elegantly deftly"),
    "badly": WordClass("RB", "ADV", -1, "poorly clumsily lazily carelessly"),
    # nouns, pronouns and determiners
    "work": WordClass("NN", "NOUN", 0, "film movie picture story drama comedy sequel thriller"),
    "part": WordClass("NN", "NOUN", 0, "plot script dialogue acting score ending opening pacing camerawork cast"),
    "piece": WordClass("NN", "NOUN", 0, "piece effort spectacle exercise"),
    "gem": WordClass("NN", "NOUN", 2, "masterpiece triumph gem marvel"),
    "flop": WordClass("NN", "NOUN", -2, "disaster mess travesty fiasco"),
    "merit": WordClass("NN", "NOUN", 1, "charm wit warmth depth suspense imagination"),
    "fault": WordClass("NN", "NOUN", -1, "tedium nonsense padding kitsch confusion pretension"),
    "time": WordClass("NN", "NOUN", 0, "half act hour scene"),
    "source": WordClass("NN", "NOUN", 0, "trailer poster title"),
    "maker": WordClass("NN", "NOUN", 0, "director writer studio crew"),
    "viewer": WordClass("NN", "NOUN", 0, "viewer critic child"),
    "crowd": WordClass("NNS", "NOUN", 0, "critics viewers children audiences"),
    "we": WordClass("PRP", "PRON", 0, "I we they"),
    "nobody": WordClass("NN", "PRON", 0, "nobody"),
    "anybody": WordClass("NN", "PRON", 0, "anybody anyone"),
    "anything": WordClass("NN", "PRON", 0, "anything"),
    "the": WordClass("DT", "DET", 0, "the the this"),
    "most": WordClass("DT", "DET", 0, "the most some"),
    "a": WordClass("DT", "DET", 0, "a"),
    "no": WordClass("DT", "DET", 0, "no"),
    "its": WordClass("PRP$", "PRON", 0, "its"),
    "first": WordClass("JJ", "ADJ", 0, "first second last"),
    # verbs
    "was": WordClass("VBD", "AUX", 0, "was"),
    "be": WordClass("VB", "AUX", 0, "be"),
    "did": WordClass("VBD", "AUX", 0, "did"),
    "seemed": WordClass("VBD", "VERB", 0, "seemed felt looked"),
    "adored": WordClass("VBD", "VERB", 2, "adored loved"),
    "liked": WordClass("VBD", "VERB", 1, "liked enjoyed admired praised"),
    "watched": WordClass("VBD", "VERB", 0, "watched saw discussed"),
    "resented": WordClass("VBD", "VERB", -1, "resented disliked regretted criticised"),
    "hated": WordClass("VBD", "VERB", -2, "hated loathed"),
    "adore": WordClass("VB", "VERB", 2, "adore love"),
    "like": WordClass("VB", "VERB", 1, "like enjoy admire praise"),
    "resent": WordClass("VB", "VERB", -1, "resent dislike regret criticise"),
    "hate": WordClass("VB", "VERB", -2, "hate loathe"),
    "found": WordClass("VBD", "VERB", 0, "found considered called"),
    "made": WordClass("VBD", "VERB", 0, "made delivered created"),
    "make": WordClass("VB", "VERB", 0, "make deliver create"),
    "had": WordClass("VBD", "VERB", 0, "had offered"),
    "lacked": WordClass("VBD", "VERB", 0, "lacked lost"),
    "avoided": WordClass("VBD", "VERB", 0, "avoided escaped"),
    "failed": WordClass("VBD", "VERB", 0, "failed"),
    "proved": WordClass("VBD", "VERB", 0, "proved happened"),
    "said": WordClass("VBD", "VERB", 0, "said thought believed"),
    "think": WordClass("VB", "VERB", 0, "think believe say"),
    "promised": WordClass("VBD", "VERB", 0, "promised suggested claimed"),
    "crafted": WordClass("VBN", "VERB", 0, "shot written edited directed paced"),
    # small words
    "with": WordClass("IN", "ADP", 0, "with"),
    "without": WordClass("IN", "ADP", 0, "without"),
    "in": WordClass("IN", "ADP", 0, "in during after"),
    "of": WordClass("IN", "ADP", 0, "of"),
    "from": WordClass("IN", "ADP", 0, "from"),
    "despite": WordClass("IN", "ADP", 0, "despite"),
    "that": WordClass("IN", "SCONJ", 0, "that"),
    "which": WordClass("WDT", "PRON", 0, "that which"),
    "as": WordClass("IN", "SCONJ", 0, "as"),
    "although": WordClass("IN", "SCONJ", 0, "although though while"),
    "to": WordClass("TO", "PART", 0, "to"),
    "and": WordClass("CC", "CCONJ", 0, "and"),
    "but": WordClass("CC", "CCONJ", 0, "but yet"),
    "except": WordClass("CC", "CCONJ", 0, "but"),
    ",": WordClass(",", "PUNCT", 0, ","),
}
