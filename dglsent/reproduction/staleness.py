"""Whether a finished run is still what its recipe and this code would make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from dglsent.reproduction.jobs import Job
from dglsent.training import recipe_files
from dglsent.training.provenance import MIXED, code_hash, counts, modules
from dglsent.version import version

EPOCHS = 2  # what is trained again to verify a run: the second, too, as much happens between epochs
LONG = 5.0  # seconds of an epoch beyond which one is: of what happens between two, runs of shorter ones tell enough
_CPUS = ("DEFAULT", "AVX2", "AVX512")  # as torch names vector instructions, each with those before it
_SHOWN = 4  # changed modules that a reason names


def other_recipe(job: Job) -> str | None:
    """In what the recipe of a run differs from its row's; None where it does not."""
    # Most say what the row says, word for word; to resolve a recipe and compare its keys takes five times as long.
    if recipe_files.read(job.run.config_file).endswith(f"\n{job.text}"):
        return None
    return job.run.difference(job.config)


def other_files(job: Job, data: Path | None = None) -> str | None:
    """Which file or code of one's own that a run's recipe names has changed since; None where none has.

    Args:
        job: the run.
        data: the data folder, in which its word vectors may lie; None for that of the environment.

    Raises:
        InputError: what the run saved of them is damaged.
    """
    other = job.run.other_source(job.config, data)  # a run that a ledger put back has saved none
    return other and f"{other} has changed"


def stale(job: Job, data: Path | None = None) -> str | None:
    """Why a finished run may no longer be what training would give; None where it still is.

    Args:
        job: the run.
        data: as in `other_files`.

    Raises:
        InputError: its folder cannot be read.
    """
    different = other_recipe(job)
    if different:
        return f"its recipe has changed ({different})"
    return other_files(job, data) or changed_code(job.run.metrics().get("provenance"))


def changed_code(made_of: Mapping[str, Any] | None) -> str | None:
    """In what the code of a run is not that of today; None where it is.

    Args:
        made_of: what `metrics.json` says of it as `provenance`, if it says that.
    """
    known = _codes(made_of or {})
    if not known:
        return "it was made before runs said of which code"
    # The last one verified is nearest to the code of today.
    return None if any(map(_is_that_of_today, reversed(known))) else _changed(known[-1])


def _codes(made_of: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Hashes of modules of the code that made a run, where it says so, and of those that it was verified with since."""
    codes = [made_of.get("code"), *(each["code"] for each in made_of.get("verified", ()))]
    return [code for code in codes if code]


def _is_that_of_today(code: Mapping[str, str]) -> bool:
    # A module that counted when the run was made, and counts no more, is not compared.
    return all(code_hash(name) == made for name, made in code.items() if counts(name))


def _changed(code: Mapping[str, str]) -> str:
    """In what the code of a run is not that of today."""
    now = {name: code_hash(name) for name in code if counts(name)}
    mixed = [name for name in now if code[name] == MIXED]
    gone = [name for name, made in now.items() if made is None and name not in mixed]
    changed = [name for name, made in now.items() if made not in (None, code[name]) and name not in mixed]
    reasons = [f"code that {MIXED}: {_named(mixed)}"] if mixed else []
    if gone:
        reasons.append(f"renamed, moved or deleted since: {_named([_moved(name, code[name]) for name in gone])}")
    if changed:
        reasons.append(f"code changed since: {_named(changed)}")
    return "; ".join(reasons)


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _moved(module: str, made: str) -> str:
    """A module that is gone, with where its code is now if it is the same there."""
    there = next((name for name in modules() if code_hash(name) == made), None)
    return f"{module} (now {there})" if there else module


def unlike(recorded: Mapping[str, Any], again: Mapping[str, Any]) -> str | None:
    """The first figure of the epochs trained again that is not the recorded one to the last digit; None if all are.

    Args:
        recorded: `metrics.json` of the run.
        again: that of its first epochs, trained again.
    """
    for there, here in zip(recorded["history"][: len(again["history"])], again["history"], strict=True):
        figures = {"loss": (there["loss"], here["loss"])}
        figures |= {f"dev {name}": (there["dev"].get(name), here["dev"].get(name)) for name in there["dev"]}
        for name, (before, now) in figures.items():
            if before != now:
                return f"{name} of epoch {there['epoch']} was {before} and is {now}{_other_cpu(recorded, again)}"
    return None


def _other_cpu(recorded: Mapping[str, Any], again: Mapping[str, Any]) -> str:
    """That other vector instructions round otherwise, where that may be why two runs differ."""
    before, now = (each.get("provenance", {}).get("cpu") for each in (recorded, again))
    if before == now:
        return ""
    return f"; it was made with the vector instructions {before or 'of an unknown CPU'}, here they are {now}"


def other_code(recorded: Mapping[str, Any], again: Mapping[str, Any]) -> str | None:
    """In which modules the code of `again` is not one that a run was made of or verified with; None where it is."""
    made_of = recorded.get("provenance", {})
    known = _codes(made_of)
    if not known:
        return "it does not say of which code it was made"
    there = again["provenance"]["code"]
    differing = [[name for name in code if counts(name) and code[name] != there.get(name)] for code in known]
    return None if [] in differing else f"it was made of other code than that: {_named(differing[-1])}"


def as_made(recorded: Mapping[str, Any]) -> str:
    """The vector instructions of a run where this CPU has them among others; else ""."""
    here, before = torch.backends.cpu.get_cpu_capability(), recorded.get("provenance", {}).get("cpu")
    fewer = _CPUS[: _CPUS.index(here)] if here in _CPUS else ()
    return before if before in fewer else ""


def stamped(recorded: Mapping[str, Any], again: Mapping[str, Any]) -> dict[str, Any]:
    """`metrics.json` of a verified run: what it was made of stays, and the code of today stands beside it."""
    made_of = recorded.get("provenance") or {"recipe": again["provenance"]["recipe"], "version": None, "code": None}
    own = again["provenance"]
    return _with(recorded, made_of, {"version": own["version"], "code": own["code"], "epochs": len(again["history"])})


def stamped_by_steps(
    recorded: Mapping[str, Any], again: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    """The same of a run whose first steps are what they were before.

    Args:
        recorded: `metrics.json` of the run.
        again: its first steps with the code of today, as `first_steps.compared` gives them.
        before: those with the code before.
    """
    made_of = recorded["provenance"]
    used = _codes(made_of)[-1]
    # These are hashes of all modules: the run's own are those that it used before, and those that there were not.
    code = {name: made for name, made in again["code"].items() if name in used or name not in before["code"]}
    return _with(recorded, made_of, {"version": version(), "code": code, "steps": len(again["losses"])})


def _with(recorded: Mapping[str, Any], made_of: Mapping[str, Any], verified: Mapping[str, Any]) -> dict[str, Any]:
    return {**recorded, "provenance": {**made_of, "verified": [*made_of.get("verified", ()), verified]}}
