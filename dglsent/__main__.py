"""`python -m dglsent`, which torchrun can start."""

from __future__ import annotations

import sys

from dglsent.cli.main import main

sys.exit(main())
