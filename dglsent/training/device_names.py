"""The names of devices, which commands are given before torch is loaded."""

from __future__ import annotations

import re

_NAME = re.compile(r"auto|cpu|cuda(:[0-9]{1,3})?")


def fault(name: str) -> str:
    """What is wrong with the name of a device, "" if nothing is."""
    return "" if _NAME.fullmatch(name) else "is none of auto, cpu, cuda and such as cuda:1"
