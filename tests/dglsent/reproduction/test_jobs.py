from __future__ import annotations

import re

import pytest

from dglsent.reproduction import jobs, tables
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


def killed(name, why):
    """A program that says a line and is ended by a signal, and what is told of it."""
    program = f"import os, signal; print('epoch 1/8', flush=True); os.kill(os.getpid(), signal.{name})"
    return pytest.param(program, why, id=name)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        killed("SIGKILL", r"^it was ended by SIGKILL; there may have been too little memory"),
        killed("SIGABRT", r"^it was ended by SIGABRT \("),
        ("import sys; print('dglsent: no vectors'); sys.exit(1)", r"^no vectors \("),
        ("raise SystemExit(1)", r"^it said nothing \("),
    ],
)
def test_the_reason_of_a_failure_is_its_own(program, reason, tmp_path, monkeypatch):
    """Not the last line of a training before it that stopped, nor of an epoch after which it was killed."""
    monkeypatch.setattr(jobs, "_PROGRAM", program)
    table = tables.load("sick-relatedness")
    ((job,),) = jobs_of(next(row for row in table.rows if row.recipe), None, [3], tmp_path)
    job.log.parent.mkdir(parents=True)
    job.log.write_text("dglsent: stopped; to go on: dglsent reproduce sick\n")
    told = []
    jobs.train([job], [], parallel=1, done=lambda job: told.append("done"), failed=lambda job, why: told.append(why))
    assert len(told) == 1
    assert re.search(reason, told[0])
    assert told[0].endswith(f"({job.log})")
