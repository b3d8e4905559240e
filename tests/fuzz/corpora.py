"""The corpora as targets: small folders as they are downloaded, with one file of them damaged."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import texts
from harness import Target
from invariants import check
from mutations import damaged, mutated

from dglsent.corpora.ai2 import AI2
from dglsent.corpora.ccgbank import CCGbank
from dglsent.corpora.conll2000 import CoNLL2000
from dglsent.corpora.conll2003 import CoNLL2003
from dglsent.corpora.corpus import Corpus
from dglsent.corpora.imdb import IMDB
from dglsent.corpora.mr import MR
from dglsent.corpora.msrp import MSRP
from dglsent.corpora.msrpar import MSRpar
from dglsent.corpora.pmb import PMB
from dglsent.corpora.quora import Quora
from dglsent.corpora.sick import SICK
from dglsent.corpora.snli import SNLI
from dglsent.corpora.sst import SST
from dglsent.corpora.subj import SUBJ
from dglsent.corpora.trec import TREC

Make = Callable[[Random], bytes]

_SENTENCES = ("the film worked .", "a caf\u00e9 did n't", "x|y 1/2", "he said so")


def targets(folder: Path) -> list[Target]:
    """Every kind of file of every corpus; the files lie in `folder`."""
    found = []
    for name, (corpus, files) in _corpora().items():
        home = folder / name
        for path, make in files.items():
            file = home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(make(Random(name)))
        found += [
            Target(
                f"{name}, {path}",
                make,
                damaged if path.endswith(".gz") else mutated,
                partial(_load, corpus, home, home / path, make(Random(name))),
                0.06,
            )
            for path, make in files.items()
            # One of several files that are read alike.
            if not any(part in path for part in ("dev", "test", "trial", "-b.", "b.", "pos", "quote")) or len(files) < 3
        ]
    return found


def _load(corpus: Callable[[], Corpus], folder: Path, file: Path, whole: bytes, data: bytes) -> None:
    file.write_bytes(data)
    try:
        splits = corpus().load(folder)
    finally:
        file.write_bytes(whole)
    assert set(splits) == {"train", "dev", "test"}, "other splits"
    for examples in splits.values():
        for example in examples:
            for sentence in example.sentences:
                for parse in (sentence.constituency, sentence.dependencies, sentence.unparsed):
                    if parse is not None and len(parse):
                        check(parse)
                if sentence.labels is not None:
                    nodes = sentence.constituency or sentence.unparsed
                    assert nodes is not None, "labels of nothing"
                    assert len(sentence.labels) == len(nodes), "labels of other nodes"
            assert all(value == value and abs(value) < 1e9 for value in example.targets.values()), (
                "a target out of range"
            )


def _corpora() -> dict[str, tuple[Callable[[], Corpus], dict[str, Make]]]:
    splits = ("train", "dev", "test")
    lines = _of(lambda random: "".join(f"{sentence}\n" for sentence in _SENTENCES))
    parses = _of(_parses)
    trees = _of(lambda random: "".join(f"{_flat(sentence)}\n" for sentence in _SENTENCES))
    return {
        "ai2": (AI2, {f"ai2_8grade/enwv0-{split}.csv": _of(_ai2) for split in splits}),
        "ccgbank": (CCGbank, {f"ccgbank/wsj{part}.stagged": _of(texts.pipes) for part in ("02-21", "00", "23")}),
        "conll2000": (CoNLL2000, {f"conll2000/{split}.txt": _of(texts.columns(3)) for split in ("train", "test")}),
        "conll2003": (
            CoNLL2003,
            {f"conll2003/eng.{part}": _of(texts.columns(4)) for part in ("train", "testa", "testb")},
        ),
        "imdb": (IMDB, {"imdb/aclImdb_v1.tar.gz": _imdb}),
        "mr": (MR, {f"mr/rt-polarity.{part}": lines for part in ("neg", "pos")}),
        "msrp": (
            MSRP,
            {f"msrp/msr_paraphrase_{split}.txt": _of(_msrp) for split in ("train", "test")}
            | {f"parsed/msrp-{split}-{side}.conllu": parses for split in ("train", "test") for side in "ab"}
            | {f"parsed/msrp-{split}-{side}.brackets": trees for split in ("train", "test") for side in "ab"},
        ),
        "msrpar": (
            MSRpar,
            {f"msrpar/MSRpar.{split}.tsv": _of(_msrpar) for split in ("train", "test")}
            | {f"parsed/msrpar-{split}-{side}.conllu": parses for split in ("train", "test") for side in "ab"},
        ),
        "pmb": (PMB, {f"pmb/{split}.conll": _of(texts.columns(7, "\t")) for split in splits}),
        "quora": (Quora, {f"quora/{split}.txt": _of(_quora) for split in splits}),
        "sick": (
            SICK,
            {
                f"sick/parsed/{split}/{file}": make
                for split in splits
                for file, make in {
                    "id.txt": _of(lambda random: "1\n2\n3\n4\n"),
                    "a.toks": lines,
                    "b.toks": lines,
                    "a.parents": _of(lambda random: "2 3 0 3\n2 0 2 2\n0 1\n2 0 2\n"),
                    "b.parents": _of(lambda random: "2 3 0 3\n2 0 2 2\n0 1\n2 0 2\n"),
                    "a.rels": _of(lambda random: "a b c d\na b c d\na b\na b c\n"),
                    "a.ptb": trees,
                }.items()
            }
            | {f"sick/SICK_{part}.txt": _of(_sick) for part in ("train", "trial", "test_annotated")},
        ),
        "snli": (
            SNLI,
            {f"snli/{name}.{split}": lines for split in splits for name in ("s1", "s2")}
            | {
                f"snli/labels.{split}": _of(lambda random: "entailment\nneutral\ncontradiction\nneutral\n")
                for split in splits
            },
        ),
        "sst": (SST, {f"sst/{split}.txt": _of(texts.sentiment) for split in splits}),
        "subj": (SUBJ, {f"subj/{part}.tok.gt9.5000": lines for part in ("plot", "quote")}),
        "trec": (TREC, {f"trec/{split}.txt": _of(_trec) for split in ("train", "test")}),
    }


def _of(make: Callable[[Random], str]) -> Make:
    return lambda random: make(random).encode()


def _flat(sentence: str) -> str:
    return f"(S {' '.join(f'(X {word})' for word in sentence.split())})"


def _parses(random: Random) -> str:
    blocks = []
    for number, sentence in enumerate(_SENTENCES, 1):
        words = sentence.split()
        rows = [f"{place}\t{word}\t_\tX\tX\t_\t{place - 1}\tdep\t_\t_" for place, word in enumerate(words, 1)]
        blocks.append(f"# sent_id = {number}\n" + "\n".join(rows) + "\n\n")
    return "".join(blocks)


def _ai2(random: Random) -> str:
    rows = "".join(f'{number % 2},Q{number // 2},"{one}",0 0,{one}\n' for number, one in enumerate(_SENTENCES))
    return f"label,qid,htext,halabels,mtext\n{rows}"


def _msrp(random: Random) -> str:
    rows = "".join(f"{number % 2}\t1\t2\t{one}\t{one}\n" for number, one in enumerate(_SENTENCES))
    return f"\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n{rows}"


def _msrpar(random: Random) -> str:
    return "".join(f"{number + 0.5}\t{one}\t{one}\n" for number, one in enumerate(_SENTENCES))


def _quora(random: Random) -> str:
    return "".join(f"{one}\t{one}\t{number % 2}\n" for number, one in enumerate(_SENTENCES))


def _sick(random: Random) -> str:
    rows = "".join(f"{number}\t{one}\t{one}\t3.5\tNEUTRAL\n" for number, one in enumerate(_SENTENCES, 1))
    return f"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n{rows}"


def _trec(random: Random) -> str:
    return "".join(f"{random.choice(('NUM', 'HUM', 'LOC'))}:fine {one}\n" for one in _SENTENCES)


def _imdb(random: Random) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for split in ("train", "test"):
            for part in ("neg", "pos"):
                for number in range(3):
                    text = random.choice(_SENTENCES).encode()
                    member = tarfile.TarInfo(f"aclImdb/{split}/{part}/{number}_{number + 1}.txt")
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text))
    return out.getvalue()
