from __future__ import annotations

import numpy as np
import pytest

import graphs
from graphs.bulk import packed, unpacked
from graphs.columns import Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.conllu import parse_conllu, to_conllu
from graphs.parse_cache import ParseCache
from graphs.stanza_models import TAGGING, models
from graphs.tagging import _record, _restored

TEXTS = ["The kids aren't (all) sleeping.", ["(", "New York", "a\xa0b"], "", "w " * 401, ["They", "duck"]]


def columns(sentence: Dependencies) -> list[list]:
    names = ("word", "head", "relation", "upos", "xpos", "feats", "lemma", "multiword", "comments")
    return [list(getattr(sentence, name)) for name in names]


def test_tags_are_those_of_a_parse(stanza_dir, tmp_path):
    options = {"stanza_dir": stanza_dir, "cache": tmp_path}
    tagged, parsed = graphs.tag(TEXTS, **options), graphs.parse(TEXTS, **options)
    for tags, parse in zip(tagged, parsed, strict=True):
        if isinstance(parse, SentenceError):
            assert str(tags) == str(parse)
            continue
        for name in ("word", "upos", "xpos", "feats", "multiword", "comments"):
            assert list(getattr(tags, name)) == list(getattr(parse.dependencies, name))
        assert tags.origin == parse.dependencies.origin
        assert (tags.head == -1).all()
        assert set(tags.relation) == set(tags.lemma) == {"_"}
    assert [isinstance(one, SentenceError) for one in tagged] == [False, False, True, True, False]


def test_what_is_cached_needs_no_models(stanza_dir, tmp_path, monkeypatch):
    options = {"stanza_dir": stanza_dir, "cache": tmp_path}
    first = graphs.tag([TEXTS[0], TEXTS[4]], **options)
    monkeypatch.setattr("graphs.stanza_pipeline.StanzaPipeline.load", None)
    again = graphs.tag([TEXTS[4], TEXTS[0]], **options)
    assert [columns(one)[:8] for one in again] == [columns(one)[:8] for one in first[::-1]]
    assert [one.comments[0] for one in again] == ["sent_id = 1", "sent_id = 2"]


def test_tags_that_are_given_are_kept(stanza_dir, tmp_path):
    words, roots = ["They", "saw", "her", "duck"], np.full(4, -1)
    given = Dependencies(words, roots, ["_"] * 4, xpos=["_", "_", "PRP$", "_"], lemma=["_", "see", "_", "_"])
    plain, kept = graphs.tag([words, given], stanza_dir=stanza_dir, cache=tmp_path)
    assert kept.xpos == [*plain.xpos[:2], "PRP$", plain.xpos[3]]
    assert kept.lemma == given.lemma


def test_running_text_is_split(stanza_dir, tmp_path):
    tagged = graphs.tag(
        ["Kids sleep. Are they?", ["One", "more", "."]], split=True, stanza_dir=stanza_dir, cache=tmp_path
    )
    assert [one.words for one in tagged] == [["Kids", "sleep", "."], ["Are", "they", "?"], ["One", "more", "."]]


def test_the_tagger_alone_is_asked_for(stanza_dir):
    assert set(models(stanza_dir, TAGGING).identity.split("; ")) < set(models(stanza_dir).identity.split("; "))
    assert "depparse" not in models(stanza_dir, TAGGING).identity


def test_tags_written_and_read_are_the_same(stanza_dir, tmp_path):
    (tagged,) = graphs.tag(TEXTS[:1], stanza_dir=stanza_dir, cache=tmp_path)
    (read,) = parse_conllu(to_conllu(tagged))
    assert columns(read) == columns(tagged)
    (same,) = graphs.tag([read], stanza_dir=stanza_dir, cache=tmp_path)
    assert columns(same) == columns(tagged)


@pytest.mark.parametrize(
    ("whole", "broken"), [(b'"xpos":["NN"]', b'"xpos":[]'), (b'"xpos"', b'"pos"'), (b'"NN"', b"1")]
)
def test_damaged_tags(whole, broken, tmp_path):
    cached = packed(_record(Dependencies(["a"], np.array([-1]), ["_"], xpos=["NN"])))
    assert cached.count(whole) == 1
    with pytest.raises(InputError, match="damaged"):
        unpacked(cached.replace(whole, broken), "a", Origin(), _restored, ParseCache(tmp_path))
