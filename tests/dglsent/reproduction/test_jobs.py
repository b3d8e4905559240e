from __future__ import annotations

import pytest

from dglsent.reproduction import tables
from dglsent.reproduction.jobs import jobs_of
from dglsent.training import recipe as recipes


@pytest.mark.parametrize("name", ["mr", "quora"], ids=["folds", "none"])
def test_the_text_of_a_run_is_that_of_its_recipe(name, tmp_path):
    table = tables.load(name)
    row = next(row for row in table.rows if row.recipe)
    texts = set()
    for of_seed in jobs_of(row, table.folds, [3, 14], tmp_path):
        for job in of_seed[:2]:
            assert job.text == recipes.dump(job.config)
            texts.add(job.text)
    assert len(texts) == (4 if table.folds else 2)
