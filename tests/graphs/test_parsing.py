from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import graphs
from graphs.bulk import key, packed, unpacked
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import parse_brackets, read_brackets, to_brackets
from graphs.formats.conllu import parse_conllu, read_conllu, to_conllu
from graphs.parse_cache import ParseCache
from graphs.parsing import Parse, _record, _restored
from graphs.stanza_models import PROCESSORS, models

ROOT = Path(__file__).resolve().parents[2]
TEXT = "The kids aren't (all) sleeping. Are they?"
WORDS = ["The", "kids", "are", "n't", "(", "all", ")", "sleeping", ".", "Are", "they", "?"]


def listed(folder: Path, md5: str = "0") -> Path:
    """A folder that lists models and has none: enough to find what is in a cache."""
    english = {processor: {"tiny": {"md5": md5}} for processor in PROCESSORS}
    packages = {"packages": {"default": dict.fromkeys(PROCESSORS, "tiny")}}
    folder.mkdir(exist_ok=True)
    (folder / "resources.json").write_text(json.dumps({"en": {**english, **packages}}))
    return folder


def made(*words: str) -> Parse:
    """A parse made by hand: every word depends on the first."""
    rows = [f"{i}\t{w}\tl{i}\tX\tNN\t_\t{int(i > 1)}\tdep\t_\t_" for i, w in enumerate(words, 1)]
    (sentence,) = parse_conllu("\n".join(rows))
    (tree,) = parse_brackets(f"(ROOT (NP {' '.join(f'(NN {i})' for i in range(len(words)))}))")
    own = iter(words)
    return Parse(sentence, Constituency(tree.label, [word and next(own) for word in tree.word], tree.parent))


def fill(folder: Path, stanza: Path, texts: list) -> None:
    there = models(stanza)
    parses = [made(*(text.split() if isinstance(text, str) else text)) for text in texts]
    cached = [packed(_record((parse.dependencies, parse.constituency))) for parse in parses]
    ParseCache(folder).put({key(there, text): one for text, one in zip(texts, cached, strict=True)})


def same(a: Parse, b: Parse) -> bool:
    fields = ("word", "relation", "upos", "xpos", "lemma", "multiword")
    return (
        all(list(getattr(a.dependencies, name)) == list(getattr(b.dependencies, name)) for name in fields)
        and a.dependencies.head.tolist() == b.dependencies.head.tolist()
        and a.constituency.label == b.constituency.label
        and a.constituency.word == b.constituency.word
        and a.constituency.parent.tolist() == b.constituency.parent.tolist()
    )


# Without Stanza's models


def test_cached_sentences_need_no_models_and_keep_their_order(tmp_path):
    stanza = listed(tmp_path / "stanza")
    texts = ["c c c", ["a"], "b b", ["( \xa0", "-LRB-", "ü"], "c c c"]
    fill(tmp_path / "cache", stanza, texts)
    calls = []
    parses = graphs.parse(
        iter(texts), stanza_dir=stanza, cache=tmp_path / "cache", on_progress=lambda *numbers: calls.append(numbers)
    )
    assert [parse.dependencies.words for parse in parses] == [["c"] * 3, ["a"], ["b"] * 2, texts[3], ["c"] * 3]
    for parse, text in zip(parses, texts, strict=True):
        assert same(parse, made(*(text.split() if isinstance(text, str) else text)))
    assert [parse.dependencies.origin.sentence for parse in parses] == list("12345")
    assert parses[2].dependencies.comments == ["sent_id = 3", "text = b b"]
    assert calls == [(5, 5, 0)]
    assert "torch" not in loaded(
        f"import graphs; graphs.parse(['b b'], stanza_dir={str(stanza)!r})", tmp_path / "cache"
    )


def loaded(code: str, cache: Path) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=ROOT,
        env={**os.environ, "DGLSENT_CACHE": str(cache), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split()


def test_importing_loads_no_stanza(tmp_path):
    assert not {"stanza", "torch"} & set(loaded("import graphs; graphs.parse", tmp_path))


def test_other_models_do_not_find_the_parse(tmp_path):
    stanza = listed(tmp_path / "stanza")
    fill(tmp_path / "cache", stanza, ["a b"])
    other = listed(tmp_path / "other", md5="1")
    with pytest.raises(InputError, match="cannot load its English models") as caught:
        graphs.parse(["a b"], stanza_dir=other, cache=tmp_path / "cache")
    assert str(other) in str(caught.value)
    assert str(caught.value).startswith(f"{other}: Stanza cannot load")
    assert "\n" not in str(caught.value)


def test_one_text_may_stand_alone(tmp_path):
    """It was parsed letter by letter."""
    stanza = listed(tmp_path / "stanza")
    fill(tmp_path / "cache", stanza, ["a b"])
    (alone,) = graphs.parse("a b", stanza_dir=stanza, cache=tmp_path / "cache")
    assert alone.dependencies.words == ["a", "b"]


def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path):
    stanza = listed(tmp_path / "stanza")
    fill(tmp_path / "cache", stanza, ["a b"])
    for given in ("\ufeffa b", ["\ufeffa b"]):
        (marked,) = graphs.parse(given, stanza_dir=stanza, cache=tmp_path / "cache")
        assert marked.dependencies.words == ["a", "b"]
        assert marked.dependencies.comments == ["sent_id = 1", "text = a b"]


@pytest.mark.parametrize("into", [graphs.parse, graphs.tag])
@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (b"a b", {}, "a list of sentences is wanted, and a value of type bytes was given"),
        ({"a b": 1}, {}, "a list of sentences is wanted, and a value of type dict was given"),
        (3, {}, "a list of sentences is wanted, and a value of type int was given"),
        (pd.DataFrame({"text": ["a b"]}), {}, "a list of sentences is wanted, and a value of type DataFrame was given"),
        (Tagged(["a"]), {}, "a list of sentences is wanted, and a value of type Tagged was given"),
        (parse_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")[0], {}, "a value of type Dependencies was given"),
        (["a b", None], {}, "sentence 2 is a value of type NoneType; give text, a list of tokens, or"),
        ([b"a b"], {}, "sentence 1 is a value of type bytes"),
        ([["a", 3]], {}, "sentence 1 is a value of type list"),
        (parse_brackets("(S (A a) (B b))"), {}, "sentence 1 is a value of type Constituency"),
        (["a b"], {"batch": 0}, "batch is 0; give a whole number from 1"),
        (["a b"], {"max_tokens": -1}, "max_tokens is -1; give a whole number from 1"),
    ],
)
def test_what_is_no_list_of_sentences(into, given, options, said, tmp_path):
    with pytest.raises(InputError, match=said):
        into(given, stanza_dir=listed(tmp_path / "stanza"), cache=tmp_path / "cache", **options)


def test_a_string_is_not_its_tokens(tmp_path):
    there = models(listed(tmp_path / "stanza"))
    texts = ["a b", ["a", "b"], ["a b"], ["ab"], "ab"]
    assert len({key(there, text) for text in texts}) == 5
    assert key(there, "a  b\n") == key(there, "a b")
    assert key(there, ("a", "b")) == key(there, ["a", "b"])


# With Stanza's models


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parses")


def test_tokens_come_back_as_they_were_given(stanza_dir, cache):
    texts = [
        ["Kids", "don't", "sleep", "."],
        ["(", "-LRB-", "\\/", "a\xa0b", "New York", "*", "1/2"],
        ["x"],
        ["\x80", "#", "_", "\u200b"],
    ]
    for parse, tokens in zip(graphs.parse(texts, stanza_dir=stanza_dir, cache=cache), texts, strict=True):
        assert parse.dependencies.words == parse.constituency.words == tokens
        assert (parse.dependencies.head == -1).sum() == 1
        assert parse.constituency.label[0] == "ROOT"


def test_a_string_stays_one_sentence(stanza_dir, cache):
    (parse,) = graphs.parse([TEXT], stanza_dir=stanza_dir, cache=cache, device="cpu")
    assert parse.dependencies.words == parse.constituency.words == WORDS
    assert parse.dependencies.comments[1] == f"text = {TEXT}"
    (spaced,) = graphs.parse(["  " + TEXT.replace(" ", " \n\n\xa0")], stanza_dir=stanza_dir, cache=cache)
    assert same(parse, spaced)


def test_running_text_is_split(stanza_dir, cache):
    texts = [TEXT, ["Kids", ".", "Sleep", "."], "", "One more."]
    parses = graphs.parse(texts, split=True, stanza_dir=stanza_dir, cache=cache)
    assert [parse.dependencies.words for parse in parses] == [
        WORDS[:9],
        WORDS[9:],
        ["Kids", ".", "Sleep", "."],
        ["One", "more", "."],
    ]
    assert [parse.dependencies.origin.sentence for parse in parses] == list("1234")


def test_what_cannot_be_parsed_is_said_in_its_place(stanza_dir, cache):
    texts = ["", "Kids sleep.", [], "\x80", ["a", ""], "a" * 1001, "w " * 31, ["w"] * 31, ["w"] * 30, "w " * 9000]
    calls = []
    parses = graphs.parse(
        texts,
        max_tokens=30,
        stanza_dir=stanza_dir,
        cache=cache,
        on_progress=lambda *numbers: calls.append(numbers),
    )
    reasons = [parse.reason if isinstance(parse, SentenceError) else None for parse in parses]
    assert reasons == [
        "the sentence has no words",
        None,
        "the sentence has no words",
        "the sentence has no words",
        "token 2 is empty",
        "Stanza's tokens are not the text (a token over 1000 characters?)",
        "over 30 tokens (max_tokens); `dglsent parse --max-tokens` takes another limit",
        "over 30 tokens (max_tokens); `dglsent parse --max-tokens` takes another limit",
        None,
        "over 30 tokens (max_tokens); `dglsent parse --max-tokens` takes another limit",
    ]
    assert str(parses[4]) == "sentence 5: token 2 is empty"
    assert len(parses[8].dependencies) == 30
    assert calls[-1] == (10, 10, 8)
    # Failures are not cached: another limit finds other sentences.
    assert len(graphs.parse(texts[6:8], stanza_dir=stanza_dir, cache=cache)[1].dependencies) == 31


def test_what_was_parsed_before_a_stop_is_not_parsed_again(stanza_dir, tmp_path):
    texts = [["w"] * size for size in range(1, 9)] * 2

    def stop(done, total, failed):
        if done >= 4:
            raise KeyboardInterrupt

    options = {"stanza_dir": stanza_dir, "cache": tmp_path, "batch": 1}
    with pytest.raises(KeyboardInterrupt):
        graphs.parse(texts, **options, on_progress=stop)
    calls = []
    again = graphs.parse(texts, **options, on_progress=lambda *numbers: calls.append(numbers))
    assert calls == [(done, 16, 0) for done in range(4, 17, 2)]  # each distinct sentence is two of them
    assert [len(parse.dependencies) for parse in again] == [*range(1, 9)] * 2
    whole = graphs.parse(texts, stanza_dir=stanza_dir, cache=tmp_path / "other")
    assert all(map(same, again, whole))


def test_given_parses_are_made_again(stanza_dir, parses_dir, tmp_path):
    """Sentences of TREC, parsed by the same models with others around them."""
    given = read_conllu(parses_dir / "trec-test.conllu.gz")[:40]
    trees = list(islice(read_brackets(parses_dir / "trec-test.brackets.gz", unescape=True), 40))
    parses = graphs.parse([one.words for one in given], stanza_dir=stanza_dir, cache=tmp_path)
    for parse, sentence, tree in zip(parses, given, trees, strict=True):
        assert same(parse, Parse(sentence, tree))
        assert parse.dependencies.origin.sentence == sentence.origin.sentence


def test_parses_written_and_read_are_the_same(stanza_dir, cache):
    for parse in graphs.parse([TEXT, "1/2 * [x] {y}"], stanza_dir=stanza_dir, cache=cache):
        (sentence,) = parse_conllu(to_conllu(parse.dependencies))
        (tree,) = parse_brackets(to_brackets(parse.constituency, escape=True), unescape=True)
        assert same(parse, Parse(sentence, tree))
        assert sentence.comments == parse.dependencies.comments
        assert same(
            parse, unpacked(packed(_record((sentence, tree))), TEXT, sentence.origin, _restored, ParseCache(cache))
        )


def test_tags_that_are_given_are_kept_and_parsed_with(stanza_dir, cache):
    words, head = ["They", "saw", "her", "duck"], np.full(4, -1)
    tags = {"upos": ["PRON", "VERB", "PRON", "VERB"], "xpos": ["PRP", "VBD", "PRP", "VB"]}
    noun = Dependencies(words, head, ["_"] * 4, xpos=["_", "_", "PRP$", "NN"], upos=["_", "_", "PRON", "NOUN"])
    verb = Dependencies(words, head, ["_"] * 4, **tags, lemma=["they", "see", "_", "quack"], comments=["label = 1"])
    tagged = Tagged(words, {"pos": noun.xpos})
    of_noun, of_verb, of_tagged = graphs.parse([noun, verb, tagged], stanza_dir=stanza_dir, cache=cache)
    assert of_noun.dependencies.xpos == ["PRP", "VBD", "PRP$", "NN"]
    assert of_verb.dependencies.xpos == tags["xpos"]
    assert of_verb.dependencies.upos == tags["upos"]
    assert of_verb.dependencies.lemma[3] == "quack"
    assert of_verb.dependencies.comments == ["sent_id = 2", "text = They saw her duck", "label = 1"]
    assert of_tagged.dependencies.xpos == of_noun.dependencies.xpos
    for one, relation, phrase in ((of_noun, "nmod:poss", "(NP (PRP$ her) (NN duck))"), (of_verb, None, "(VB duck)")):
        assert relation in (None, one.dependencies.relation[2])
        assert phrase in to_brackets(one.constituency)
    assert of_noun.dependencies.relation != of_verb.dependencies.relation


def test_other_tags_are_another_sentence(tmp_path):
    there = models(listed(tmp_path / "stanza"))
    plain = Dependencies(["a", "b"], np.array([-1, 0]), ["root", "x"])
    texts = [["a", "b"], replace(plain, xpos=["NN", "_"]), replace(plain, upos=["NN", "_"]), "a b"]
    assert len({key(there, text) for text in texts}) == 4
    assert key(there, plain) == key(there, ["a", "b"]) == key(there, Tagged(["a", "b"]))
    assert key(there, texts[1]) == key(there, Tagged(["a", "b"], {"pos": ["NN", "_"]}))
    forms = [replace(plain, multiword=[(0, 2, form)]) for form in ("ab", "AB")]
    assert len({key(there, text) for text in (plain, *forms)}) == 3


def test_a_cached_parse_without_its_heads_is_damaged(tmp_path):
    parse = made("a")
    cached = packed(_record((parse.dependencies, parse.constituency)))
    assert cached.count(b'"head":[-1]') == 1
    broken = cached.replace(b'"head":[-1]', b'"head":[]')
    with pytest.raises(InputError, match="damaged"):
        unpacked(broken, "a", parse.dependencies.origin, _restored, ParseCache(tmp_path))
