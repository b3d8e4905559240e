"""`make fuzz N=100000 SEED=1 JOBS=1`: damaged files into every reader; exit code 1 if one fails."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from harness import Tally, run

_MEMORY = 3 << 30  # bytes that cases may take beside what is loaded
_SECONDS = 5.0
_PART = 2000  # cases in one go


def main() -> int:
    """Runs the cases and prints what failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--n", type=int, default=100_000, help="cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", default="", help="targets whose names hold this")
    parser.add_argument("--case", type=int, help="run one case alone, by its number")
    options = parser.parse_args()
    first, last = (0, options.n) if options.case is None else (options.case, options.case + 1)
    parts = [range(start, min(start + _PART, last)) for start in range(first, last, _PART)]
    start, tally = time.monotonic(), Tally()
    # In memory where there is such a folder: a case may be a file or several.
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-", dir=room) as folder,
        ProcessPoolExecutor(options.jobs, initializer=_begin, initargs=(options.only, folder)) as pool,
    ):
        for done in pool.map(_run, parts, [options.seed] * len(parts)):
            for key, failure in done.failures.items():
                if key not in tally.failures:
                    print(f"\n{failure}\n", flush=True)
            tally.add(done)
            count = sum(tally.cases.values())
            rate = count / (time.monotonic() - start)
            line = f"\r{count} of {last - first} cases, {rate:.0f}/s, {len(tally.failures)} failures"
            print(line, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for name in sorted(tally.cases):
        cases, seconds = tally.cases[name], tally.seconds[name]
        print(f"{name:<32}{cases:>9} cases {tally.accepted[name] / cases:>7.1%} read {cases / seconds:>9.0f}/s")
    for failure in tally.failures.values():
        print(f"{failure.target}: {failure.kind} at {failure.place}, {failure.times} times")
    print(f"\nseed {options.seed}: {sum(tally.cases.values())} cases, {len(tally.failures)} distinct failures")
    return 1 if tally.failures else 0


def _begin(only: str, folder: str) -> None:
    global _targets
    os.environ.pop("DGLSENT_PARSES", None)  # the corpora here have parses of their own
    from all_targets import targets

    _targets = [target for target in targets(Path(tempfile.mkdtemp(dir=folder))) if only in target.name]
    if not _targets:
        raise SystemExit(f"no target whose name holds {only!r}")
    if sys.platform == "linux":
        limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _run(cases: range, seed: int) -> Tally:
    return run(_targets, cases, seed, _SECONDS)


_targets: list = []

if __name__ == "__main__":
    sys.exit(main())
