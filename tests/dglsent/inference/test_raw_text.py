"""Raw text that is given to a model, by what the model reads of a sentence."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from untrained import untrained

import dglsent
import graphs
from dglsent.inference.given import Raw, parsed
from dglsent.inference.raw_text import readable
from graphs import parsing
from graphs.bulk import key, packed
from graphs.columns import Dependencies
from graphs.errors import InputError, Origin
from graphs.parse_cache import ParseCache
from graphs.stanza_models import models

TEXT = "The film was good."


@pytest.fixture
def parsed_before(stanza_dir, tmp_path, monkeypatch):
    """A cache that has the parse of `TEXT`, so that Stanza's models need not be loaded."""
    words = ["The", "film", "was", "good", "."]
    relations = ["det", "nsubj", "cop", "root", "punct"]
    sentence = Dependencies(words, np.array([1, 3, 3, -1, 3]), relations)
    tree = parsing.Constituency(
        ["S", "NP", "DT", "NN", "VP", "VBD", "JJ", "."], [None, None, *words[:2], None, *words[2:]],
        np.array([-1, 0, 1, 1, 0, 4, 4, 0]),
    )  # fmt: skip
    monkeypatch.setenv("DGLSENT_CACHE", str(tmp_path / "cache"))
    there = models(stanza_dir)
    cached = packed(parsing._record((sentence, tree)))
    ParseCache(tmp_path / "cache").put({key(there, text): cached for text in (TEXT, words)})
    return stanza_dir


def test_raw_text_is_parsed_where_the_model_needs_parses(trees_run, parsed_before):
    told = []
    model = dglsent.load(trees_run, stanza_dir=parsed_before)
    (said,) = model.predict(TEXT, say=told.append)
    assert said["text"] == "The film was good ."
    assert said == model.predict([["The", "film", "was", "good", "."]])[0]
    assert "1 sentence with stanza" in told[0]
    assert "constituency" in told[0]


def test_what_is_parsed_stands_where_its_text_stood(parsed_before):
    place = Origin("f", 3, "3")
    (((parsed,),)) = readable([(Raw(TEXT, place),)], "parses", stanza_dir=parsed_before)
    assert parsed.constituency.origin == parsed.dependencies.origin == place


def test_raw_text_on_standard_input(trees_run, parsed_before, program, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{TEXT}\n\n{TEXT}\n".encode())))
    code, out, err = program("predict", trees_run, "--stanza-dir", parsed_before)
    assert code == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["1", "3"]
    assert "parsing 2 sentences with stanza" in err


def test_text_is_cut_into_tokens_where_words_are_enough():
    model = untrained("chain", "sequence.SeqLSTM", hidden=6)
    assert model.needs == "words"
    (said,) = model.predict("The film wasn't good.")
    assert said["text"] == "The film was n't good ."
    assert model.predict([["the", "film"]]) == model.predict("the film")


def test_raw_text_is_tagged_where_tags_are_enough(stanza_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("DGLSENT_CACHE", str(tmp_path / "cache"))
    model = untrained("complete", "cn3.CN3", hidden=8, layers=1, attributes={"tag_dim": 3})
    model.stanza_dir, told = stanza_dir, []
    said = model.predict([TEXT, ["The", "film", "was", "good", "."]], say=told.append)
    (parse,) = graphs.parse([TEXT], stanza_dir=stanza_dir)
    assert said == [*model.predict(parse.dependencies)] * 2
    assert (len(told), told[0].startswith("tagging 2 sentences with stanza"), "pos" in told[0]) == (1, True, True)
    raw = [Raw(text, Origin("f", line)) for line, text in ((3, TEXT), (7, "x" * 1001))]
    (tagged,), (long,) = readable([(one,) for one in raw], "tags", stanza_dir=stanza_dir)
    assert str(tagged.unparsed.origin) == "f:3"
    assert str(long).startswith("f:7: Stanza's tokens are not the text")
    of_trees = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", hidden=6)
    (wrong,) = of_trees.attempt(
        of_trees.readable([(parsed(one),) for one in graphs.tag([TEXT], stanza_dir=stanza_dir)])
    )
    assert "the model reads dependency trees; give raw English text, or parses, such as" in str(wrong)
    model.stanza_dir = tmp_path
    with pytest.raises(InputError, match=r"the model needs tags, and raw text was given: .*`dglsent parse --tags`"):
        model.predict("Another one.")
    with pytest.raises(InputError, match=r"the model needs tags, and tokens alone were given: "):
        model.predict([["Another", "one"]])
