from __future__ import annotations

from pathlib import Path

import pytest

from dglsent.analysis.whole import whole
from graphs.errors import InputError


def fails(error):
    def read(path):
        raise error

    return read


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied"), "file: cannot be read (Permission denied)"),
        (OSError("Couldn't deserialize\n thrift"), "file: damaged (Couldn't deserialize thrift); record it again"),
        (ValueError("no header"), "file: damaged (no header); record it again"),
    ],
)
def test_what_cannot_be_read_is_not_called_damaged(error, said):
    with pytest.raises(InputError) as refused:
        whole(Path("file"), fails(error), "record it again")
    assert str(refused.value) == said
