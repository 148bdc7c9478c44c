"""``sostenuto run``: an agent works on a task until it is done, inside its limits and its window."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sostenuto.cli._envelope import envelope, failure
from sostenuto.cli._given import config_option, home
from sostenuto.cli._harmless import printable
from sostenuto.cli._output import encoded
from sostenuto.cli._parked import kept_line, parked_fields, verdict_of, waiting_lines
from sostenuto.cli._streams import say
from sostenuto.cli._terminal import is_terminal
from sostenuto.cli._watching import CATEGORIES, Lines, Ndjson, categories
from sostenuto.cli._whose import DEFAULT_AGENT
from sostenuto.errors import SostenutoError, UnknownSetting

if TYPE_CHECKING:
    import asyncio

    from sostenuto.agent import Stop
    from sostenuto.app import Ran, Wish

POLICIES = ("read-only", "low-risk", "high-risk")
INTERRUPTED, PARKED, FAILED, WRONG_USAGE = 130, 1, 1, 2
"""Exit codes."""
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A time as people write it (``90``, ``90s``, ``10m``, ``1.5h``, ``500ms``) in seconds."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|m|h|)", value.strip().lower())
    seconds = float(found.group(1)) * _UNITS[found.group(2)] if found else 0.0
    if seconds <= 0:
        raise click.BadParameter(f"{value!r} is no time; write 90s, 10m or 1h", ctx=ctx, param=param)
    return seconds


@click.command("run", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("prompt", required=False)
@click.option("--agent", metavar="ID", default="", help="Who works (sostenuto agent list).")
@click.option("--model", metavar="P:ID", default="", help="The model, whatever the agent says; or the address of its server.")
@click.option("--workflow", metavar="NAME|FILE", default="", help="A task kept in ./workflows/NAME/ or the data home, or a Markdown file.")
@click.option("--approval-policy", "policy", type=click.Choice(POLICIES), help="What runs without asking.")
@click.option("--max-iterations", metavar="N", type=click.IntRange(min=0), help="Requests at most; 0 for no limit.")
@click.option("--max-cost-usd", metavar="X", type=click.FloatRange(min=0, min_open=True), help="Dollars at most.")
@click.option("--max-tokens", metavar="N", type=click.IntRange(min=1), help="Tokens at most, prompt and completion.")
@click.option("--max-duration", metavar="TIME", callback=_seconds, help="Ends the run in good order after this time (90s, 10m).")
@click.option("--timeout", metavar="TIME", callback=_seconds, help="Gives the run up as failed after this time.")
@click.option("--conversation", metavar="NAME", default="", help="Go on with this conversation, or begin it.")
@click.option("--park", is_flag=True, help="Where nobody can be asked, let calls above the approval policy wait, and end the run.")
@click.option("--approve", metavar="CALLID", help="Go on with --conversation: carry out the call that waits.")
@click.option("--deny", metavar="CALLID", help="Go on with --conversation: refuse the call that waits; PROMPT says why.")
@click.option("--ephemeral", is_flag=True, help="Keep nothing of the conversation; --json prints it.")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
@click.option("--events", metavar="LIST", default="", help=f"Events as JSON lines on standard error: {', '.join(CATEGORIES)}.")
def command(prompt: str | None, *, as_json: bool, events: str, **options: Any) -> int:
    """Work on PROMPT with tools until it is done. Without PROMPT, or with -, it is read from standard input.

    The run stays inside the model's window, however long it takes, and inside its limits. Ctrl+C ends it in good order: what was
    done is kept; a second one gives up waiting. The answer is the only thing on standard output.

    On a terminal you are asked before a call above the approval policy. With --json, --events, or input from a file nobody is: such a
    call is refused, and the model is told why; with --park it waits, the run ends with exit code 1, and --approve or --deny goes on.

    \b
    Examples:
      sostenuto run "Which functions here have no test?"
      sostenuto run --model ollama:qwen3:8b --max-duration 10m < task.md
      sostenuto run --workflow triage --approval-policy read-only --json
      sostenuto run --conversation review "And now the second file."
      sostenuto run --conversation review --approve call_1
    """
    from sostenuto.cli._asking import can_ask

    watcher = Ndjson(categories(events)) if events else Lines(sys.stderr, is_live=_is_live())
    try:
        wish = _wish(prompt, options)
        ran = _performed(wish, watcher, asks=not as_json and can_ask())
    except SostenutoError as error:
        watcher.close()
        if as_json:
            click.echo(encoded(failure(str(error))), nl=False)
        if isinstance(watcher, Ndjson):
            watcher.put({"event": "error", "error": str(error)})
        raise
    finally:
        watcher.close()
    return _told(ran, wish, watcher, as_json=as_json, options=options)


def _told(ran: Ran, wish: Wish, watcher: Ndjson | Lines, *, as_json: bool, options: Mapping[str, Any]) -> int:
    """Print what came of it; the exit code."""
    outcome = ran.outcome
    if isinstance(watcher, Ndjson) and outcome.error is not None:
        watcher.put({"event": "error", "error": str(outcome.error)})
    if isinstance(watcher, Ndjson) and outcome.parked is not None:
        watcher.put({"event": "parked", **parked_fields(outcome.parked), "conversation": wish.conversation})
    if ran.unsaved:
        say(f"sostenuto: the conversation is not kept: {printable(ran.unsaved)}")
    elif outcome.parked is not None and isinstance(watcher, Lines):
        for line in waiting_lines(outcome.parked, options, conversation=wish.conversation):
            say(line)
    if as_json:
        click.echo(encoded(envelope(ran, conversation=wish.conversation, is_ephemeral=options["ephemeral"])), nl=False)
    elif outcome.text.strip():
        answer = outcome.text.strip()
        click.echo(printable(answer) if is_terminal(sys.stdout) else answer)
    if outcome.error is not None:
        say(f"sostenuto: {printable(' '.join(str(outcome.error).split()))}")
    if wish.conversation and not ran.unsaved and outcome.ended not in ("done", "parked") and isinstance(watcher, Lines):
        agent = "" if ran.agent == DEFAULT_AGENT else ran.agent
        say(kept_line(options, conversation=wish.conversation, agent=agent))
    if isinstance(outcome.error, UnknownSetting):
        return WRONG_USAGE
    return {"interrupted": INTERRUPTED, "parked": PARKED, "failed": FAILED}.get(outcome.ended, 0)


def _wish(prompt: str | None, options: Mapping[str, Any]) -> Wish:
    from sostenuto.app import Wish

    if options["ephemeral"] and options["conversation"]:
        raise click.UsageError("--ephemeral keeps nothing, --conversation does; give one of them")
    verdict = verdict_of(prompt, options)
    duration = options["max_duration"]
    flags = {
        "approvalPolicy": options["policy"],
        "maxIterations": options["max_iterations"],
        "maxCostUSD": options["max_cost_usd"],
        "maxTokens": options["max_tokens"],
        "maxDurationMs": max(1, int(duration * 1000)) if duration is not None else None,
    }
    return Wish(
        prompt=None if verdict is not None else _prompt(prompt, has_workflow=bool(options["workflow"])),
        home=home(),
        project=Path.cwd(),
        agent=options["agent"],
        model=options["model"],
        workflow=options["workflow"],
        flags={key: value for key, value in flags.items() if value is not None},
        conversation="" if options["ephemeral"] else options["conversation"] or _new_name(),
        timeout_s=options["timeout"],
        streaming=True,
        config=options["file"],
        parks=options["park"],
        verdict=verdict,
    )


def _new_name() -> str:
    """A name for a conversation that was given none: the moment, and enough chance that two do not meet."""
    import secrets

    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def _prompt(given: str | None, *, has_workflow: bool) -> str | None:
    if given is not None and given != "-":
        if not given.strip():
            raise click.UsageError("PROMPT is empty; say what is to be done")
        return given
    if has_workflow and given is None:
        return None
    if sys.stdin is None or (given is None and sys.stdin.isatty()):
        raise click.UsageError("PROMPT is missing; give it as an argument, or on standard input")
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not UTF-8; PROMPT is a text") from None
    except (OSError, ValueError):
        raise click.UsageError("standard input is closed; give PROMPT as an argument") from None
    if not text.strip():
        raise click.UsageError("standard input is empty; say what is to be done")
    return text


def _performed(wish: Wish, watcher: Ndjson | Lines, *, asks: bool) -> Ran:
    import asyncio

    async def go() -> Ran:
        from sostenuto.agent import Stop
        from sostenuto.app import perform
        from sostenuto.cli._asking import Asker

        stop = Stop()
        ask = Asker(watcher, project=wish.project).ask if asks and isinstance(watcher, Lines) else None
        with _signals(stop, watcher, asyncio.get_running_loop()):
            return await perform(wish, listener=watcher.take, stop=stop, ask=ask)

    try:
        return asyncio.run(go())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextlib.contextmanager
def _signals(stop: Stop, watcher: Ndjson | Lines, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """The first Ctrl+C ends the run in good order, the second gives up waiting; the word to terminate is taken like the first."""
    import asyncio
    import signal

    task = asyncio.current_task(loop)

    def interrupted() -> None:
        if stop.cause is not None and task is not None:
            task.cancel()
            return
        watcher.rest()
        watcher.notice("stopping; what was done is kept (Ctrl+C again gives up waiting)")
        stop.now()

    taken = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # where there are none: asyncio's own way is left
            loop.add_signal_handler(number, interrupted)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)


def _is_live() -> bool:
    return is_terminal(sys.stderr) and os.environ.get("TERM", "") != "dumb"
