"""Stanza's models on disk: what is said where they are missing, broken, or cannot be fetched."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import graphs
from graphs.errors import InputError
from graphs.stanza_models import TAGGING, models

ROOT = Path(__file__).resolve().parents[2]


def test_a_broken_model_is_one_line_and_stanza_logs_no_traceback(stanza_dir, tmp_path):
    """As of Ctrl-C while a model is loaded, Stanza logs what its loader raises."""
    log, logged, handler = logging.getLogger("stanza"), [], logging.Handler()
    handler.emit = logged.append
    shutil.copytree(stanza_dir, tmp_path / "stanza", copy_function=os.symlink)
    for model in (tmp_path / "stanza").glob("en/constituency/*.pt"):
        model.unlink()
        model.write_bytes(b"no model")
    log.addHandler(handler)
    try:
        with pytest.raises(InputError, match="cannot load its English models") as caught:
            graphs.parse(["a b"], stanza_dir=tmp_path / "stanza", cache=tmp_path / "cache")
    finally:
        log.removeHandler(handler)
    assert "\n" not in str(caught.value)
    assert not logged


def test_missing_models_are_named(tmp_path):
    with pytest.raises(InputError, match=r"none/resources\.json: no list of Stanza's models"):
        graphs.parse(["a"], stanza_dir=tmp_path / "none", cache=tmp_path)
    stanza = tmp_path / "stanza"
    stanza.mkdir()
    for text, reason in (("{", "no list"), ('{"de": {}}', "no English model for tokenize")):
        (stanza / "resources.json").write_text(text)
        with pytest.raises(InputError, match=reason):
            graphs.parse(["a"], stanza_dir=stanza, cache=tmp_path)


def test_a_parse_depends_on_stanza_and_on_every_model_and_what_that_needs(tmp_path):
    tagger = {"md5": "2", "dependencies": [{"model": "pretrain", "package": "words"}]}
    english = {
        "tokenize": {"cut": {"md5": "1"}},
        "pos": {"tagger": tagger},
        "pretrain": {"words": {"md5": "3"}},
        "mwt": {"parts": {"md5": "4"}},
        "packages": {"default": {"tokenize": "cut", "pos": "tagger", "mwt": "parts"}},
    }
    (tmp_path / "resources.json").write_text(json.dumps({"en": english}))
    found = models(tmp_path, TAGGING)
    version = f"stanza {metadata.version('stanza')}"
    assert found.identity == f"{version}; tokenize cut 1; pos tagger 2; pretrain words 3; mwt parts 4"
    assert found.title == f"{version} (pos tagger)"


def test_without_a_folder_and_a_network_there_is_one_line(tmp_path):
    code = (
        "import graphs\nfrom graphs.errors import InputError\n"
        "try: graphs.parse(['a'])\nexcept InputError as error: print('said', error)"
    )
    nowhere = "http://127.0.0.1:9"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DGLSENT_CACHE": str(tmp_path / "cache"),
            "STANZA_RESOURCES_DIR": str(tmp_path / "own"),
            "STANZA_RESOURCES_URL": nowhere,
            "http_proxy": nowhere,
            "https_proxy": nowhere,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.startswith(f"said {tmp_path / 'own'}: no Stanza models there, and they cannot be downloaded")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_a_missing_device(stanza_dir, tmp_path):
    with pytest.raises(InputError, match="no CUDA device; use 'cpu'"):
        graphs.parse(["a"], stanza_dir=stanza_dir, cache=tmp_path, device="cuda:1")
