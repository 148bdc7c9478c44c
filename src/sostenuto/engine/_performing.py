"""Performing needs: the store and the summarizer are asked here, and nowhere else (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from sostenuto.ladder import History, Journal, Keep, Need, Outcome, Run, Summarize, advance
from sostenuto.messages import Result, Text, parse_key
from sostenuto.protocols import Log, Summarizer


def drive(run: Run, perform: Callable[[Need], Outcome]) -> Run:
    """Advance a run to its end, performing each need."""
    run, need = advance(run)
    while need is not None:
        run, need = advance(run, perform(need))
    return run


async def drive_async(run: Run, perform: Callable[[Need], Awaitable[Outcome]]) -> Run:
    """The same, awaiting each need."""
    run, need = advance(run)
    while need is not None:
        run, need = advance(run, await perform(need))
    return run


def stored(need: Keep | Journal, log: Log, history: History) -> Outcome:
    """Ask the log. A store that fails is an outcome like any other."""
    try:
        if isinstance(need, Journal):
            return Outcome(value=log.journal(need.record))
        return Outcome(value=log.keep({key: _text(history, key) for key in need.keys}))
    except Exception as error:  # a store may be anybody's code: its failure must not fail the run
        return Outcome(value=frozenset(), failed="store", why=str(error))


def _text(history: History, key: str) -> str:
    found = parse_key(key)
    if found is None or found[1] is None:
        return ""
    part = history.messages[found[0]].parts[found[1]]
    return part.text if isinstance(part, Result | Text) else ""


def summarized(need: Summarize, summarizer: Summarizer) -> Outcome:
    """Ask a synchronous summarizer in a thread of its own, so that one that hangs can be left behind (algorithms 4)."""
    import threading  # where no model summarises, nobody waits for this to load

    box: list[Outcome] = []
    worker = threading.Thread(target=lambda: box.append(_asked(need, summarizer)), daemon=True, name="sostenuto-summarizer")
    worker.start()
    worker.join(need.deadline_s)
    return box[0] if box else _hung(need)


async def summarized_async(need: Summarize, summarizer: Summarizer) -> Outcome:
    """Ask a summarizer of either kind without blocking the loop."""
    import asyncio
    import inspect
    import threading

    if inspect.iscoroutinefunction(summarizer):
        try:
            return _judged(await asyncio.wait_for(cast(Awaitable[Any], summarizer(need.prompt)), need.deadline_s))
        except TimeoutError:
            return _hung(need)
        except Exception as error:
            return Outcome(failed="raised", why=_said(error))
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Outcome] = loop.create_future()

    def work() -> None:
        outcome = _asked(need, summarizer, awaited=True)
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, done, outcome)

    threading.Thread(target=work, daemon=True, name="sostenuto-summarizer").start()
    try:
        outcome = await asyncio.wait_for(asyncio.shield(done), need.deadline_s)
    except TimeoutError:
        return _hung(need)
    if hasattr(outcome.value, "__await__"):
        try:
            return _judged(await asyncio.wait_for(outcome.value, need.deadline_s))
        except TimeoutError:
            return _hung(need)
        except Exception as error:
            return Outcome(failed="raised", why=_said(error))
    return outcome


def _settle(done: Any, outcome: Outcome) -> None:
    if not done.done():
        done.set_result(outcome)


def _asked(need: Summarize, summarizer: Summarizer, *, awaited: bool = False) -> Outcome:
    try:
        answer = summarizer(need.prompt)
    except Exception as error:
        return Outcome(failed="raised", why=_said(error))
    if hasattr(answer, "__await__"):
        if awaited:
            return Outcome(value=answer)
        close = getattr(answer, "close", None)
        if close:
            close()
        return Outcome(failed="raised", why="an asynchronous summarizer needs the asynchronous prepare")
    return _judged(answer)


def _judged(answer: object) -> Outcome:
    if isinstance(answer, str):
        return Outcome(value=answer)
    return Outcome(failed="refused", why=f"the summarizer returned {type(answer).__name__}, not text")


def _hung(need: Summarize) -> Outcome:
    return Outcome(failed="hung", why=f"no answer within {need.deadline_s:g} second{'' if need.deadline_s == 1 else 's'}")


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
