"""The files that the fixture `corpus` writes, and what a store has in its folder."""

from __future__ import annotations

from pathlib import Path


def files(corpus: Path, ending: str = "conllu") -> dict[str, list[str]]:
    return {split: [str(corpus / f"{split}.{ending}")] for split in ("train", "dev", "test")}


def content(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.iterdir()}
