"""The program as another process starts it: it ends with that process, however that ends."""

from __future__ import annotations

import os
import signal
import threading
import time

from dglsent.cli.main import main as program

_PATIENCE = 10.0  # seconds to end by itself


def main() -> int:
    """The command line, for as long as something holds the other end of standard input."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return program()


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_PATIENCE)
    os._exit(1)
