"""Killing a process before each of its writes, and in the middle of each: what is left must be what there was, or what was meant."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count
from typing import Any

CHANGING = ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "chmod", "fchmod", "close")


def kill_everywhere(prepare: Callable[[int], Callable[[], object]], *, check: Callable[[int], None]) -> int:
    """Run what `prepare` returns in a process of its own that is killed at moment 0, 1, 2 and so on, until one lives to its end.

    After each, that last one included, `check` looks at what is left. Returns how many were killed.
    """
    for moment in count():
        act = prepare(moment)
        was_killed = _dies(act, moment=moment)
        check(moment)
        if not was_killed:
            return moment
    raise AssertionError("unreachable")


def _dies(act: Callable[[], object], *, moment: int) -> bool:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _arm(moment)
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), f"moment {moment} ended with status {status}"
    return status != 0


def _arm(moment: int) -> None:
    moments = count()

    def armed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **named: Any) -> Any:
            if next(moments) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "write" and next(moments) == moment:
                call(given[0], given[1][: len(given[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given, **named)

        return wrapped

    for name in CHANGING:
        setattr(os, name, armed(name, getattr(os, name)))
