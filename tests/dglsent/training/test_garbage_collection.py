from __future__ import annotations

import gc
import weakref

import pytest

from dglsent.training.garbage_collection import collection_off


@pytest.mark.parametrize("before", [True, False])
def test_afterwards_it_is_as_it_was(before, request):
    request.addfinalizer(gc.enable)
    (gc.enable if before else gc.disable)()

    @collection_off()
    def off() -> bool:
        return not gc.isenabled()

    assert off()
    assert off()
    assert gc.isenabled() is before
    with pytest.raises(ValueError, match="why"), collection_off():
        raise ValueError("why")
    assert gc.isenabled() is before


def test_corpora_are_read_without_it(monkeypatch, tmp_path, program):
    from tiny import TINY, recipe

    from dglsent.corpora.built_in import Reviews

    load, seen = Reviews.load, []

    def watched(self, data):
        seen.append(gc.isenabled())
        return load(self, data)

    monkeypatch.setattr(Reviews, "load", watched)
    assert program("fit", recipe(tmp_path, TINY), "--out", tmp_path / "run")[0] == 0
    assert seen == [False]
    assert gc.isenabled()


def test_of_seeds_that_are_trained_one_after_the_other_no_model_stays(monkeypatch, tmp_path, program):
    """Each was kept with its corpus and its optimiser for as long as the process lived."""
    from tiny import recipe

    from dglsent.training import fit

    make, made = fit.make_model, []

    def watched(*arguments):
        model = make(*arguments)
        made.append(weakref.ref(model))
        return model

    monkeypatch.setattr(fit, "make_model", watched)
    assert program("fit", recipe(tmp_path), "--seeds", "1,2", "--out", tmp_path / "runs")[0] == 0
    gc.collect()
    assert [model() for model in made] == [None, None]
