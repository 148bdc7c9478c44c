"""A disk without room: the first half of a write is taken, as a real one does, and the rest is refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def full_disk() -> Iterator[None]:
    """While it lasts, nothing can be written whole."""
    write = os.write

    def half(handle: int, data: bytes) -> int:
        if len(data) < 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data[: len(data) // 2])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", half)
        yield
