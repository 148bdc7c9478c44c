"""What the engine holds for a long history, against the bytes of the history itself."""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from benchmarks.histories import TOOLS, anthropic, chat
from benchmarks.measured import Measured
from benchmarks.preparing import manager

MOST = 2.0


def rows(size: int) -> Iterator[Measured]:
    """The engine's whole state over the history, for both wires."""
    for name, history in (("chat", chat(size)), ("anthropic", anthropic(size))):
        context = manager(format="openai_chat" if name == "chat" else "anthropic")
        request = context.prepare_sync(history, tools=TOOLS if name == "chat" else None)
        theirs = deep_size(history, seen=set())
        seen: set[int] = set()
        deep_size([history, request.arguments["messages"]], seen=seen)
        ours = deep_size(context, seen=seen) + theirs
        note = f"{(ours - theirs) / size:,.0f} bytes a message beside the message's {theirs / size:,.0f}"
        yield Measured(f"memory, {size:,} messages ({name})", ours / theirs, MOST, "x their bytes", note=note)


def deep_size(root: Any, *, seen: set[int]) -> int:
    """Bytes of everything reachable from `root` that is not in `seen`, which takes in what was found. Code counts nothing."""
    total, stack = 0, [root]
    while stack:
        value = stack.pop()
        if id(value) in seen or isinstance(value, type | ModuleType | FunctionType | BuiltinFunctionType | MethodType):
            continue
        seen.add(id(value))
        total += sys.getsizeof(value)
        if isinstance(value, str | bytes | int | float | array):
            continue
        stack.extend(gc.get_referents(value))
    return total
