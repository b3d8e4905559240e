"""SICK: pairs of sentences with a relatedness from 1 to 5 and an entailment judgment.

Marelli et al. 2014, SemEval-2014 task 1. The pairs come as text; parses are read in the layout of the Tree-LSTM
releases (Tai et al. 2015), line i of every file about pair i.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.rows import score
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, counted
from graphs.formats.brackets import read_brackets
from graphs.formats.source import read_lines
from graphs.formats.tai import read_tai_dependencies

_SPLITS = ("train", "dev", "test")
_FILES = {"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}
_PARSES = tuple(f"{split}/{side}.{kind}" for split in _SPLITS for side in "ab" for kind in ("toks", "parents"))
_ENTAILMENT = {"NEUTRAL": 0, "ENTAILMENT": 1, "CONTRADICTION": 2}


class SICK(Corpus):
    """Pairs of sentences by relatedness and entailment: 4500 to train on, 500 trial pairs as dev, 4927 to test on.

    Targets are "score" (1 to 5) and, where the official files are there, "entailment" (0 neutral, 1 entailment,
    2 contradiction). Every sentence has dependencies; constituency trees where `a.ptb` and `b.ptb` are there.
    """

    labels = tuple(name.lower() for name in _ENTAILMENT)

    def load(self, data: Path) -> Splits:
        """Reads the parses under `sick/parsed` or `sick`, and scores from the official files or `sim.txt`.

        Raises:
            InputError: parses are missing, or a file is damaged or not of SICK.
        """
        official = find_folder(data, ("sick", "SICK", "."), tuple(_FILES.values()))
        single = find_folder(data, ("sick", "SICK", "."), ("SICK.txt",))
        parsed = find_folder(data, ("sick/parsed", "sick", "parsed"), _PARSES)
        if parsed is None:
            where = official or single
            what = "has no parses, which its graphs need" if where else "SICK is missing"
            raise InputError(
                f"{where or data}: {what}; expected {data / 'sick' / 'parsed'}/{{train,dev,test}}/"
                "{a,b}.{toks,parents,rels,ptb}, id.txt and sim.txt, as the Tree-LSTM releases have them (docs/data.md)"
            )
        rows: dict[str, dict[str, float]] = {}
        if official:
            rows = dict(row for file in _FILES.values() for row in _rows(official / file))
        elif single:
            rows = dict(_rows(single / "SICK.txt"))
        return {split: _read(parsed / split, rows) for split in _SPLITS}


def _rows(file: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """The targets of an official file by pair id; its columns are found by their names."""
    lines = read_lines(file)
    header = next(lines, "").split("\t")
    # SICK.txt of the full release has other names than the files of the task.
    names = {"pair_ID": "id", "relatedness_score": "score", "entailment_judgment": "entailment"}
    column = {names.get(name, names.get(name.replace("label", "judgment"), name)): i for i, name in enumerate(header)}
    missing = [name for name in ("id", "score", "entailment") if name not in column]
    if missing:
        raise InputError(f"{file}:1: no column for {', '.join(missing)}; this is not a file of SICK")
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if line and len(cells) != len(header):
            raise InputError(f"{file}:{number}: {counted(len(cells), 'column')}, expected {len(header)}")
        if line:
            judgment = cells[column["entailment"]]
            if judgment not in _ENTAILMENT:
                raise InputError(f"{file}:{number}: entailment {judgment!r}, expected {', '.join(_ENTAILMENT)}")
            relatedness = score(cells[column["score"]], file, number, 1, 5)
            yield cells[column["id"]], {"score": relatedness, "entailment": _ENTAILMENT[judgment]}


def _read(folder: Path, rows: dict[str, dict[str, float]]) -> list[Example]:
    """The pairs of one split."""
    left, right = (_sentences(folder, side) for side in "ab")
    ids = list(read_lines(folder / "id.txt")) if (folder / "id.txt").is_file() else []
    if rows and ids:
        unknown = next((name for name in ids if name not in rows), None)
        if unknown is not None:
            raise InputError(f"{folder / 'id.txt'}: pair {unknown!r} is in no official file of SICK beside it")
        targets = [rows[name] for name in ids]
    elif (folder / "sim.txt").is_file():
        lines = list(read_lines(folder / "sim.txt"))
        targets = [{"score": score(line, folder / "sim.txt", i, 1, 5)} for i, line in enumerate(lines, 1)]
    else:
        raise InputError(f"{folder}: no scores; expected sim.txt, or id.txt and the official files of SICK")
    ids = ids or [str(number) for number in range(1, len(left) + 1)]
    if not len(left) == len(right) == len(targets) == len(ids):
        raise InputError(f"{folder}: a.toks, b.toks, id.txt and sim.txt have not the same number of lines")
    return [
        Example((a, b), target, f"{folder.name}-{name}")
        for a, b, target, name in zip(left, right, targets, ids, strict=True)
    ]


def _sentences(folder: Path, side: str) -> list[Parsed]:
    rels = folder / f"{side}.rels"
    dependencies: list[Dependencies] = read_tai_dependencies(
        folder / f"{side}.toks", folder / f"{side}.parents", rels if rels.is_file() else None
    )
    ptb = folder / f"{side}.ptb"
    if not ptb.is_file():
        return [Parsed(dependencies=sentence) for sentence in dependencies]
    trees: list[Constituency] = read_brackets(ptb, unescape=True)
    if len(trees) != len(dependencies):
        raise InputError(f"{ptb}: {len(trees)} trees for {len(dependencies)} sentences of {side}.toks")
    for tree, sentence in zip(trees, dependencies, strict=True):
        if len(tree.words) == len(sentence):
            sentence.xpos = tree.pos
    return [Parsed(tree, sentence) for tree, sentence in zip(trees, dependencies, strict=True)]
