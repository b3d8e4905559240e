"""The readers of `graphs` as targets: of bytes and text in memory, of files, and of gzip that is damaged itself."""

from __future__ import annotations

import gzip
import io
import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import texts
from harness import Target
from invariants import check, check_graph
from mutations import damaged, mutated
from safetensors.numpy import save

from dglsent.cli.reading import FORMATS, guess
from dglsent.cli.reading import read as read_to_predict
from dglsent.corpora.example import Parsed
from dglsent.corpora.own_files import PAIR
from dglsent.inference.given import Raw
from graphs.builders import chain
from graphs.bulk import Text, packed, unpacked
from graphs.columns import Constituency, Dependencies
from graphs.errors import BrokenFileError, InputError, Origin
from graphs.features import Vocabularies, Vocabulary
from graphs.formats.brackets import read_brackets
from graphs.formats.ccgbank import read_auto, read_auto_trees
from graphs.formats.columns import read_conll2000, read_conll2003, read_pmb
from graphs.formats.conllu import read_conllu
from graphs.formats.pipes import read_pipes
from graphs.formats.policy import Sentences
from graphs.formats.source import read_lines
from graphs.formats.tai import read_tai_constituency, read_tai_dependencies
from graphs.parse_cache import ParseCache
from graphs.parsing import _record, _restored
from graphs.token_vectors import TokenVectors, with_vectors
from graphs.vectors import read_vectors

Read = Callable[..., Sentences[Any]]

_FORMATS: dict[str, tuple[Read, Callable[[Random], str]]] = {
    "brackets": (read_brackets, texts.brackets),
    "brackets, unescaped": (partial(read_brackets, unescape=True), texts.brackets),
    "conllu": (read_conllu, texts.conllu),
    "conll2000": (read_conll2000, texts.columns(3)),
    "conll2003": (read_conll2003, texts.columns(4)),
    "pmb": (read_pmb, texts.columns(7, "\t")),
    "pipes": (read_pipes, texts.pipes),
    "auto": (read_auto, texts.auto),
    "auto trees": (read_auto_trees, texts.auto),
}
_VOCABULARY = Vocabulary(texts.WORDS[:6])
_PLAIN = Dependencies(texts.WORDS[:3], np.full(3, -1), ["_"] * 3)
_VOCABULARIES = Vocabularies.of([_PLAIN])


def targets(folder: Path) -> list[Target]:
    """All readers of `graphs`; their files lie in `folder`."""
    found: list[Target] = []
    for name, (read, make) in _FORMATS.items():
        whole, packed = _of(make), partial(_packed, make)
        found += [
            Target(f"{name} from bytes", whole, mutated, partial(_memory, read, io.BytesIO), 8),
            Target(f"{name} from text", whole, mutated, partial(_memory, read, _text), 2),
            Target(f"{name} from a file", whole, mutated, partial(_file, read, folder / "plain"), 1),
            Target(f"{name} from gzip", packed, _packed_mutated, partial(_file, read, folder / "f.gz"), 1),
        ]
    return [
        *found,
        Target(
            "tai dependencies", _of(texts.tai_dependencies), mutated, partial(_tai, read_tai_dependencies, folder), 4
        ),
        Target(
            "tai constituency", _of(texts.tai_constituency), mutated, partial(_tai, read_tai_constituency, folder), 4
        ),
        Target("vectors", _of(texts.vectors), mutated, partial(_vectors, folder / "v.txt"), 6),
        Target(
            "vectors, gzip", partial(_packed, texts.vectors), _packed_mutated, partial(_vectors, folder / "v.gz"), 2
        ),
        Target("vectors, zip", _zipped, damaged, partial(_vectors, folder / "v.zip"), 2),
        Target("vectors of tokens", _safetensors, mutated, partial(_token_vectors, folder / "v.safetensors"), 2),
        Target("vocabularies", _of(texts.vocabularies), mutated, partial(_vocabularies, folder / "v.json"), 2),
        Target("cache of parses", partial(_cache, folder), damaged, partial(_cached, folder / "cache"), 0.3),
        Target("cached parse", _parse, mutated, partial(_unpacked, folder), 3),
        Target("predict, any format", _of(texts.conllu), mutated, partial(_predict, ""), 1),
        Target("predict, brackets", _of(texts.brackets), mutated, partial(_predict, "brackets"), 1),
        Target("predict, conllu", _of(texts.conllu), mutated, partial(_predict, "conllu"), 1),
        Target("predict, tsv", _of(_pairs), mutated, partial(_predict, "tsv"), 1),
        Target("predict, tokens", _of(_pairs), mutated, partial(_predict, "tokens"), 1),
        Target("predict, text", _of(_pairs), mutated, partial(_predict, "text"), 1),
    ]


def _of(make: Callable[[Random], str]) -> Callable[[Random], bytes]:
    return lambda random: make(random).encode()


def _packed(make: Callable[[Random], str], random: Random) -> bytes:
    return gzip.compress(make(random).encode(), 1, mtime=0)


def _packed_mutated(data: bytes, random: Random) -> bytes:
    """Damage within gzip, or to gzip itself."""
    if random.random() < 0.3:
        return gzip.compress(mutated(gzip.decompress(data), random), 1, mtime=0)
    return damaged(data, random)


def _zipped(random: Random) -> bytes:
    out = io.BytesIO()
    kind = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.writestr(zipfile.ZipInfo("v.txt"), texts.vectors(random), kind)
    return out.getvalue()


def _text(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def _memory(read: Read, wrap: Callable[[bytes], Any], data: bytes) -> None:
    _read(read, partial(wrap, data), data)


def _file(read: Read, file: Path, data: bytes) -> None:
    file.write_bytes(data)
    _read(read, lambda: file, data)


def _read(read: Read, source: Callable[[], Any], data: bytes) -> None:
    """Reads under both policies: "raise" raises what "skip" lists first, and else gives the same."""
    sentences = read(source(), on_error="skip")
    for sentence in sentences:
        check(sentence)
        if len(data) % 8 == 0:
            check_graph(sentence)
    assert all("\n" not in str(error) for error in sentences.skipped), "an error that is not one line"
    breaks = [isinstance(error, BrokenFileError) for error in sentences.skipped]
    assert not any(breaks[:-1]), "sentences after a break"
    said, count = "", len(sentences)
    try:
        count = len(read(source()))
    except InputError as error:
        said = str(error)
    assert said == "".join(map(str, sentences.skipped[:1])), "another error than the first that is skipped"
    assert count == len(sentences), "another number of sentences"


def _tai(read: Read, folder: Path, data: bytes) -> None:
    parts = [*data.split(b"\x1e"), b"", b"", b""][:3]
    files = [folder / f"tai{place}" for place in range(3)]
    for file, part in zip(files, parts, strict=True):
        file.write_bytes(part)
    _read(lambda source, **options: read(*files, **options), lambda: None, data)


def _vectors(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    vectors = read_vectors(file, _VOCABULARY)
    assert vectors.matrix.shape[0] == len(vectors.found) == len(_VOCABULARY), "a row for another number of words"
    assert vectors.matrix.shape[1] > 0, "vectors without dimensions"
    assert np.isfinite(vectors.matrix).all(), "a number that is not finite"
    assert not vectors.matrix[~vectors.found].any(), "a vector of a word that was not found"


def _safetensors(random: Random) -> bytes:
    sizes = {" ".join(random.choices(texts.WORDS, k=n)): n for n in (2, 3, 5)}
    kind = random.choice((np.float16, np.float32, np.int64))
    return save({**{key: np.ones((n, 4), kind) for key, n in sizes.items()}, " ".join(_PLAIN.word): np.ones((3, 4))})


def _token_vectors(file: Path, data: bytes) -> None:
    file.unlink(missing_ok=True)  # to cut off a file that is mapped would end the process
    file.write_bytes(data)
    vectors = TokenVectors(file)
    graph = with_vectors(chain(_PLAIN, _VOCABULARIES), vectors[vectors.check(_PLAIN)])
    column = graph.nodes["vector"]
    assert column.shape == (len(_PLAIN), vectors.dim), "not one vector a token"
    assert np.isfinite(column).all(), "a number that is not finite"


def _vocabularies(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    vocabularies = Vocabularies.load(file)
    for vocabulary in (vocabularies.word, vocabularies.tag, vocabularies.relation):
        strings = list(vocabulary)[2 if vocabulary.special else 0 :]
        assert len(set(strings)) == len(strings), "a string twice"
        if vocabulary.special:
            ids = vocabulary.ids(texts.WORDS)
            assert ((ids >= 0) & (ids < len(vocabulary))).all(), "an id out of range"
    if vocabularies.spelling:
        vocabularies.spelling.node_fields(texts.WORDS)
    if vocabularies.cooccurrence:
        words = np.arange(len(vocabularies.word))
        buckets = vocabularies.cooccurrence.bucket(words[:, None], words)
        assert ((buckets >= 0) & (buckets < 8)).all(), "a bucket out of range"
    vocabularies.save(file)
    assert Vocabularies.load(file) == vocabularies, "others when saved"


def _cache(folder: Path, random: Random) -> bytes:
    shutil.rmtree(folder / "whole", ignore_errors=True)
    cache = ParseCache(folder / "whole")
    cache.put({random.randbytes(32): random.randbytes(60) for _ in range(20)} | {b"a": b"1"})
    return cache.file.read_bytes()


def _cached(folder: Path, data: bytes) -> None:
    folder.mkdir(exist_ok=True)
    for beside in folder.iterdir():
        beside.unlink()
    cache = ParseCache(folder)
    cache.file.write_bytes(data)
    assert all(isinstance(parse, bytes) for parse in cache.get([b"a", b"b"]).values()), "a parse that is not bytes"
    cache.put({b"b": b"2"})  # whether it is found again nobody knows: an index may be damaged unseen


def _parse(random: Random) -> bytes:
    words = texts.words(random)
    parent = np.array([-1, *[0] * len(words)]) if len(words) > 1 else np.array([-1])
    tree = Constituency(["S", *["X"] * len(words)][: len(parent)], [None, *words][-len(parent) :], parent)
    head = np.array([-1, *range(len(words) - 1)])
    return packed(_record((Dependencies(words, head, ["dep"] * len(words)), tree)))


def _unpacked(folder: Path, data: bytes) -> None:
    text: Text = "any text"
    parse = unpacked(data, text, Origin(sentence="1"), _restored, ParseCache(folder / "none"))
    check_graph(parse.dependencies)
    check_graph(parse.constituency)
    assert parse.dependencies.words == parse.constituency.words, "trees over other words"


def _pairs(random: Random) -> str:
    pairs = [(texts.brackets(random).split("\n")[0], " ".join(texts.words(random))) for _ in range(3)]
    return "".join(f"{one}\t{other}\n" for one, other in pairs)


def _predict(form: str, data: bytes) -> None:
    text = "\n".join(read_lines(io.BytesIO(data)))
    chosen: Any = form or guess("<stdin>", text)
    assert chosen in FORMATS, "a format that there is not"
    for example in read_to_predict(text, chosen, PAIR, "<stdin>"):
        assert 1 <= len(example) <= 2, "an example of neither one nor two sentences"
        for sentence in example:
            if isinstance(sentence, Raw):
                assert sentence.text, "a sentence without words"
            elif isinstance(sentence, Parsed):
                for parse in (sentence.constituency, sentence.dependencies, sentence.unparsed):
                    if parse is not None:
                        check(parse)
