from __future__ import annotations

import os
import re
import time
from dataclasses import replace

import pytest

from dglsent.reproduction import jobs, tables
from dglsent.reproduction.jobs import jobs_of
from dglsent.training import recipe as recipes
from dglsent.training.run import Run
from graphs.errors import InputError


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
        ("import sys; print('epoch 1/8'); print('dglsent: no disk\\n'); sys.exit(1)", r"^no disk \("),
        ("import os, sys; os.write(1, b'no caf\\xe9'); sys.exit(1)", "^no caf\ufffd \\("),
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


def jobs_of_a_row(name, folder, *seeds):
    table = tables.load(name)
    row = next(row for row in table.rows if row.recipe)
    return [job for of_seed in jobs_of(row, table.folds, seeds, folder) for job in of_seed]


def test_its_own_options_stand_after_those_of_all_and_the_fold_last(tmp_path):
    first, second, *_ = jobs_of_a_row("mr", tmp_path, 3)
    assert [job.title.partition(" seed ")[2] for job in (first, second)] == ["3 fold 0", "3 fold 1"]
    command = replace(first, own=("--training.epochs", "1")).command(["--training.epochs", "9"])
    out = ["--seed", "3", "--out", str(first.run.path)]
    assert command[-10:] == [*out, "--training.epochs", "9", "--training.epochs", "1", "--corpus.fold", "0"]


def test_a_quoted_row_has_no_runs(tmp_path):
    table = tables.load("mr")
    assert jobs_of(next(row for row in table.rows if not row.recipe), table.folds, [1], tmp_path) == []


@pytest.mark.parametrize("parallel", [1, 2])
def test_of_a_row_that_failed_no_other_run_begins_and_one_is_told(parallel, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_PROGRAM", "import sys; print('begun'); sys.exit(1)")
    some, told = jobs_of_a_row("sick-relatedness", tmp_path, 3, 4, 5), []
    jobs.train(some, [], parallel=parallel, done=told.append, failed=lambda job, why: told.append(why))
    assert len(told) == 1
    assert [job.log.exists() for job in some] == [number < parallel for number in range(3)]


def test_a_training_has_the_code_and_the_vector_instructions_that_it_is_to_have(tmp_path, monkeypatch):
    names = ("PYTHONPATH", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA")
    monkeypatch.setattr(jobs, "_PROGRAM", f"import os; print(*map(os.environ.get, {names}))")
    monkeypatch.setenv("PYTHONPATH", "before")
    (job,) = jobs_of_a_row("sick-relatedness", tmp_path, 3)
    for cpu, isa in (("DEFAULT", "SSE41"), ("AVX2", "AVX2")):
        told = replace(job, cpu=cpu, code="theirs", run=Run(tmp_path / cpu))
        jobs.train([told], [], parallel=1, done=lambda job: None, failed=pytest.fail)
        assert told.log.read_text() == f"theirs{os.pathsep}before {cpu.lower()} {isa}\n"
    monkeypatch.delenv("PYTHONPATH")
    assert jobs.path_to("theirs") == "theirs"  # an empty part would be the working folder


LONG = """\
import signal, sys, time

def put_away(*_):
    time.sleep(0.2)
    sys.exit("put away")

if "3" in sys.argv:
    sys.exit()
signal.signal(signal.SIGTERM, {answer})
print("begun", flush=True)
time.sleep(30)
print("left alone")
"""


@pytest.mark.parametrize(
    ("answer", "patience", "said"),
    [("put_away", 10, "begun\nput away\n"), ("signal.SIG_IGN", 0.2, "begun\n")],
    ids=["ends", "hangs"],
)
def test_what_runs_when_all_is_over_may_end_by_itself_and_is_waited_for(answer, patience, said, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_PROGRAM", LONG.format(answer=answer))
    monkeypatch.setattr(jobs, "_PATIENCE", patience)
    first, second = jobs_of_a_row("sick-relatedness", tmp_path, 3, 4)

    def done(job):
        assert job is first
        while not second.log.exists() or not second.log.read_text():
            time.sleep(0.01)
        raise InputError("its scores are damaged")

    with pytest.raises(InputError, match="damaged"):
        jobs.train([first, second], [], parallel=2, done=done, failed=pytest.fail)
    assert second.log.read_text() == said


def test_a_log_that_cannot_be_written_is_one_line(tmp_path):
    (job,) = jobs_of_a_row("sick-relatedness", tmp_path, 3)
    job.log.mkdir(parents=True)
    with pytest.raises(InputError, match=r"seed-3\.log: cannot be written \(Is a directory\); choose another --out$"):
        jobs.train([job], [], parallel=1, done=pytest.fail, failed=pytest.fail)


def test_a_signal_without_a_name_is_told_by_its_number():
    assert jobs.why_ended(-99, "") == "it was ended by signal 99"
