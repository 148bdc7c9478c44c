"""Taking in very many messages at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 2_000
"""Messages from which the garbage collector waits: it looks at all of them again and again, and none of them is garbage."""


@contextmanager
def bulk(count: int) -> Iterator[None]:
    """Within it so many messages are taken in. One that was off already stays off."""
    pausing = count >= MANY and gc.isenabled()
    if pausing:
        gc.disable()
    try:
        yield
    finally:
        if pausing:
            gc.freeze()  # what was taken in is old from now on: it is not looked at once more as if it were new
            gc.unfreeze()
            gc.enable()
