"""The door to DGL: the only module that imports it.

DGL 2.1.0 imports its GraphBolt library, which exists for torch <= 2.2 alone, so `import dgl` fails on a newer
torch although nothing else in it depends on the version. Where the installed GraphBolt does not fit the installed
torch, an empty module stands in for it; where it fits (an official build), DGL is left as it is.

`fn` is `dgl.function`, which is all of DGL that the torch engine needs. `dgl` itself is imported when somebody asks for
it: with pandas, SciPy and NetworkX it takes two thirds as long as torch.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import types
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import torch

_INSTALL = "install it with: pip install dgl==2.1.0 pandas (Python 3.10-3.12), or dgl==1.1.3 packaging (3.10, 3.11)"


class DGLUnavailableError(ImportError):
    """DGL is missing or broken; the message says what to install."""


def _graphbolt_fits(dgl_folder: Path) -> bool:
    """Whether the installed DGL has no GraphBolt, or one built for the installed torch."""
    if not (dgl_folder / "graphbolt" / "__init__.py").exists():
        return True
    version = torch.__version__.split("+", maxsplit=1)[0]
    return any((dgl_folder / "graphbolt").glob(f"*graphbolt_pytorch_{version}.*"))


def _opened() -> Path:
    """The folder of DGL, which any `import dgl` can import from now on."""
    spec = importlib.util.find_spec("dgl")
    if spec is None or spec.origin is None:
        raise DGLUnavailableError(f"DGL is not installed; {_INSTALL}")
    folder = Path(spec.origin).parent
    os.environ.setdefault("DGLBACKEND", "pytorch")
    if "dgl" not in sys.modules and not _graphbolt_fits(folder):
        sys.modules["dgl.graphbolt"] = types.ModuleType("dgl.graphbolt")
    return folder


def _import_dgl() -> Any:
    folder = _opened()
    try:
        # DGL writes its backend choice to the home folder and says so on first import.
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            import dgl
    except Exception as error:
        for name in [name for name in sys.modules if name == "dgl" or name.startswith("dgl.")]:
            del sys.modules[name]
        raise _broken(folder, error) from error
    return dgl


def _import_functions() -> Any:
    """`dgl.function` alone; its files need nothing else of DGL, which takes it for its own when it is imported."""
    name, folder = "dgl.function", _opened()
    if name not in sys.modules:
        spec: Any = PathFinder.find_spec(name, [str(folder)])
        try:
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        except Exception as error:
            sys.modules.pop(name, None)
            raise _broken(folder, error) from error
    return sys.modules[name]


def _broken(folder: Path, error: Exception) -> DGLUnavailableError:
    cause = str(error).strip().splitlines()
    reason = cause[0] if cause else type(error).__name__
    return DGLUnavailableError(f"DGL at {folder} does not load ({reason}); {_INSTALL}")


fn: Any = _import_functions()


def __getattr__(name: str) -> Any:
    if name != "dgl":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _import_dgl()
