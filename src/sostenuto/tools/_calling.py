"""Running one function, sync or async, without letting it hold up or end anything else."""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sostenuto.tools._answer import Asking
from sostenuto.tools._approval import Ask
from sostenuto.tools._tool import Assessed, Context, Output, Tool

if TYPE_CHECKING:
    import asyncio


async def assessed(tool: Tool, arguments: Mapping[str, Any]) -> Assessed:
    """How dangerous a call is.

    Raises:
        ToolFailed: it cannot be run at all (a path that no file can have, an address that is none).
    """
    if tool.assess is None:
        return Assessed(tool.risk)
    found = tool.assess(arguments)
    return found if isinstance(found, Assessed) else await found


async def asked(asking: Asking, question: Ask) -> bool | str:
    """What the person says. A function that is not async waits for them in a thread, so that what runs beside it goes on."""
    if inspect.iscoroutinefunction(asking):
        said = await asking(question)
    else:
        said = await in_thread(lambda: asking(question))
        said = await said if inspect.isawaitable(said) else said
    return said if isinstance(said, str) else said is True


async def called(tool: Tool, arguments: Mapping[str, Any], context: Context) -> Output:
    """What the tool returns. A function that is not async runs in a thread of its own, which a hanging one can be left behind in."""
    try:
        if inspect.iscoroutinefunction(tool.run):
            value = await tool.run(arguments, context)
        else:
            value = await in_thread(lambda: tool.run(arguments, context))
            value = await value if inspect.isawaitable(value) else value
    except SystemExit as error:  # a tool may not end the program
        raise RuntimeError(f"SystemExit: {error}") from error
    return value if isinstance(value, Output) else Output(value)


async def in_thread(work: Callable[[], Any]) -> Any:
    """What `work` returns, from a daemon thread: at the end of the program nobody waits for one that hangs."""
    import asyncio

    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            value, error = context.run(work), None
        except BaseException as raised:
            value, error = None, raised if isinstance(raised, Exception) and not isinstance(raised, StopIteration) else _wrapped(raised)
        with suppress(RuntimeError):  # the loop may be closed: then nobody waits
            loop.call_soon_threadsafe(_settle, done, value, error)

    threading.Thread(target=run, daemon=True, name="sostenuto-tool").start()
    return await done


def _wrapped(raised: BaseException) -> RuntimeError:
    return RuntimeError(f"{type(raised).__name__}: {raised}")


def _settle(done: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if done.done():
        return
    if error is not None:
        done.set_exception(error)
    else:
        done.set_result(value)
