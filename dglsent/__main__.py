"""`python -m dglsent`, which torchrun can start."""

from __future__ import annotations

import sys

from dglsent.cli.main import main

if __name__ != "__main__":  # of which a run folder may name a class, to have it imported
    raise ImportError("it is a program")

sys.exit(main())
