"""What corpora say of an option that they do not have, in Python too, where no parser looks at types."""

from __future__ import annotations

import pytest

from dglsent.corpora.ai2 import AI2
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.imdb import IMDB
from dglsent.corpora.mr import MR
from dglsent.corpora.snli import SNLI
from dglsent.corpora.sst import SST
from dglsent.names import HOMES
from dglsent.registry import registered
from graphs.errors import InputError


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: AI2("enwv1"), "version is 'enwv1'; use 'enwv0' or 'ck12v0'"),
        (lambda: IMDB(max_length=-5), "max_length is -5; give a whole number from 1"),
        (lambda: IMDB(max_length=0), "max_length is 0; give a whole number from 1"),
        (lambda: MR("1"), "fold '1': the folds of a cross-validation are 0 to 9"),
        (lambda: MR(1.5), "fold 1.5: the folds of a cross-validation are 0 to 9"),
        (lambda: Reviews(seed=None).load(), "seed is None; give a whole number"),
        (lambda: Reviews(train=-1).load(), "train is -1; give a whole number of reviews, 0 or more"),
        (lambda: Reviews(test=2.5).load(), "test is 2.5; give a whole number of reviews"),
        (lambda: SNLI("dve"), "train is 'dve'; use 'train' or 'dev'"),
        (lambda: SST(classes=3), "classes is 3; use 5 or 2"),
        (lambda: SST(neutral_phrases="x"), "neutral_phrases is 'x'; use 'drop' or 'third_class'"),
    ],
)
def test_options_that_are_none(make, said):
    with pytest.raises(InputError, match=said):
        make()


OF_THE_DATA_FOLDER = [
    name for name, home in HOMES.items() if home.startswith("dglsent.corpora.") and registered(name).needs_data
]


@pytest.mark.parametrize("name", OF_THE_DATA_FOLDER)
def test_a_data_folder_that_is_a_text(name):
    """Of a text `/` makes no path, and a bare TypeError named neither `load` nor the folder."""
    assert len(OF_THE_DATA_FOLDER) > 10
    said = r"^Path is wanted, and str was given; give load the data folder as pathlib\.Path\(\.\.\.\)$"
    with pytest.raises(InputError, match=said):
        registered(name)().load("data")
