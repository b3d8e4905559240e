"""What spaCy's Doc and Span offer to readers, made by hand: spaCy is no dependency."""

from __future__ import annotations

import types


class Doc(list):
    """What a spaCy Doc offers to readers."""

    parsed = True
    split = False  # by a sentencizer, which sets no more than boundaries

    def has_annotation(self, name):
        return self.parsed or (self.split and name == "SENT_START")

    @property
    def sents(self):
        return [self[:3], self[3:]]


class Span(list):
    """What a spaCy Span offers: its sentences are whole ones."""

    def __init__(self, doc, start, end):
        super().__init__(doc[start:end])
        self.doc, self.root = doc, doc[start]

    @property
    def sents(self):
        return [one for one in self.doc.sents if any(token in self for token in one)]


def spacy_doc():
    rows = [("films", 1, "nsubj"), ("work", 1, "ROOT"), (" \n", 1, "dep"), ("they", 4, "nsubj"), ("do", 4, "ROOT")]
    doc = Doc(
        types.SimpleNamespace(
            i=i, text=text, dep_=dep, pos_="X", tag_="", lemma_=text, morph="", is_space=text.isspace()
        )
        for i, (text, _, dep) in enumerate(rows)
    )
    for token, (_, head, _) in zip(doc, rows, strict=True):
        token.head = doc[head]
    return doc
