"""Small files of every format, as real ones are shaped."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

WORDS = (
    *("the", "film", "worked", ",", "n't", ".", "-LRB-", "-RRB-", "1\\/2", "a\u00a0b", "caf\u00e9", "\u65e5\u672c"),
    *("\U0001f600", "U.S.", "3,000", "#", "_", "--", "\u2028x", "He", "``", "''", "$", "x|y", "0", "1-2", "*T*-1"),
)
TAGS = ("NN", "DT", "VBD", ",", ".", "-LRB-", "-NONE-", "X", "NP-SBJ-1=2")
PHRASES = ("S", "NP", "VP", "2", "0", "4", "SBAR", "")
CATEGORIES = ("N", "NP", "S[dcl]", "S[dcl]\\NP", "(S\\NP)/NP", ".")


def brackets(random: Random) -> str:
    return "".join(f"{_bracket(random, 0)}\n" for _ in range(random.randrange(1, 4)))


def sentiment(random: Random) -> str:
    return "".join(f"{_binary(random, random.randrange(1, 5))}\n" for _ in range(3))


def conllu(random: Random) -> str:
    return "".join(_block(number, words(random), random) for number in range(1, random.randrange(2, 5)))


def columns(count: int, separator: str = " ") -> Callable[[Random], str]:
    def make(random: Random) -> str:
        kinds = (TAGS, ("O", "B-NP", "I-NP", "I-VP"), ("O", "I-PER", "B-LOC"), CATEGORIES, ("a", "b"), ("[]", "x"))
        lines = ["-DOCSTART- -X- O O", ""] if random.random() < 0.2 else []
        for _ in range(random.randrange(1, 4)):
            lines += [
                separator.join([word, *(random.choice(kinds[place % 6]) for place in range(count - 1))])
                for word in words(random)
            ]
            lines.append("")
        return "\n".join(lines) + "\n"

    return make


def pipes(random: Random) -> str:
    return "".join(
        " ".join(f"{word}|{random.choice(TAGS)}|{random.choice(CATEGORIES)}" for word in words(random)) + "\n"
        for _ in range(random.randrange(1, 4))
    )


def auto(random: Random) -> str:
    lines = [f"ID=wsj_0001.{number} PARSER=GOLD NUMPARSE=1\n{_derivation(random, 0)}\n" for number in range(1, 4)]
    return "".join(lines)


def tai_dependencies(random: Random) -> str:
    sentences = [words(random) for _ in range(random.randrange(1, 4))]
    heads = [" ".join(str(head) for head in _heads(len(sentence), random)) for sentence in sentences]
    relations = [" ".join("dep" for _ in sentence) for sentence in sentences]
    return "\x1e".join("".join(f"{line}\n" for line in part) for part in (map(" ".join, sentences), heads, relations))


def tai_constituency(random: Random) -> str:
    parts: tuple[list[str], ...] = ([], [], [])
    for _ in range(random.randrange(1, 4)):
        size = random.randrange(1, 6)
        parent = [0] * (2 * size - 1)
        open_, new = list(range(size)), size
        while len(open_) > 1:
            place = random.randrange(len(open_) - 1)
            parent[open_[place]] = parent[open_[place + 1]] = new + 1
            open_[place : place + 2] = [new]
            new += 1
        parts[0].append(" ".join(random.choices(WORDS, k=size)))
        parts[1].append(" ".join(map(str, parent)))
        parts[2].append(" ".join(random.choice(("-2", "0", "1")) for _ in parent))
    return "\x1e".join("".join(f"{line}\n" for line in part) for part in parts)


def vectors(random: Random) -> str:
    lines = [f"{word} " + " ".join(f"{random.uniform(-1, 1):.3g}" for _ in range(3)) for word in WORDS[:6]]
    return "".join(f"{line}\n" for line in ([f"{len(lines)} 3"] if random.random() < 0.5 else []) + lines)


def vocabularies(random: Random) -> str:
    from graphs.cooccurrence import Cooccurrence
    from graphs.features import Vocabularies, Vocabulary
    from graphs.formats.conllu import parse_conllu

    sentences = parse_conllu(conllu(random))
    made = Vocabularies.of(sentences, lower=random.random() < 0.5, spelling=True)
    made.cooccurrence = Cooccurrence.of(sentences, made.word, min_count=1)
    made.label = Vocabulary(["O", "B-NP"], special=False)
    names = ("word", "tag", "relation", "spelling", "cooccurrence", "label")
    parts = {name: getattr(made, name).to_json() for name in names}
    return json.dumps({"format": "dglsent vocabularies", "version": 1, **parts}, ensure_ascii=False, indent=1)


def words(random: Random) -> list[str]:
    return random.choices(WORDS, k=random.randrange(1, 7))


def _bracket(random: Random, depth: int) -> str:
    if depth > 3 or (depth and random.random() < 0.45):
        word = random.choice(WORDS)
        return f"({random.choice(TAGS)} {word})"
    inner = " ".join(_bracket(random, depth + 1) for _ in range(random.randrange(1, 4)))
    return f"({random.choice(PHRASES)} {inner})"


def _binary(random: Random, leaves: int) -> str:
    if leaves == 1:
        return f"({random.randrange(5)} {random.choice(WORDS[:12])})"
    left = random.randrange(1, leaves)
    return f"({random.randrange(5)} {_binary(random, left)} {_binary(random, leaves - left)})"


def _derivation(random: Random, depth: int) -> str:
    category = random.choice(CATEGORIES)
    if depth > 2 or random.random() < 0.4:
        word = random.choice(WORDS)
        return f"(<L {category} NN NN {word} {category}>)"
    count = random.randrange(1, 3)
    inner = " ".join(_derivation(random, depth + 1) for _ in range(count))
    return f"(<T {category} 0 {count}> {inner} )"


def _heads(size: int, random: Random) -> list[int]:
    """Heads from 1, 0 at the root, without a cycle: each word hangs on one that comes earlier in a random order."""
    order = random.sample(range(size), size)
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[random.randrange(place)] + 1
    return heads


def _block(number: int, sentence: list[str], random: Random) -> str:
    lines = [f"# sent_id = {number}", f"# text = {' '.join(sentence)}"]
    if len(sentence) > 1 and random.random() < 0.3:
        lines.append("1-2\tdu" + "\t_" * 8)
    for place, (word, head) in enumerate(zip(sentence, _heads(len(sentence), random), strict=True), 1):
        lines.append(f"{place}\t{word}\t{word}\tNOUN\t{random.choice(TAGS)}\t_\t{head}\tdep\t_\t_")
        if random.random() < 0.05:
            lines.append(f"{place}.1\tit" + "\t_" * 8)
    return "\n".join(lines) + "\n\n"
