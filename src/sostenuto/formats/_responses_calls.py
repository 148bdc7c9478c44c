"""Calls and their answers among OpenAI Responses items: each kind of call has its own kind of answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sostenuto.formats import _results
from sostenuto.formats._blocks import fields
from sostenuto.formats._responses_blocks import INPUT_TEXT, attachment, media_block
from sostenuto.formats._text import dumped, word
from sostenuto.messages import Call, Result

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallKind:
    """A kind of call: the type of its answer, where what was asked stands, its name where the item has none, whether any text will do."""

    answer: str
    asked: tuple[str, ...]
    name: str = ""
    free: bool = False


FUNCTION_OUTPUT = "function_call_output"
_LOCAL_SHELL_OUTPUT = "local_shell_call_output"
_SHELL_OUTPUT = "shell_call_output"
_PATCH_OUTPUT = "apply_patch_call_output"
_SCREEN_OUTPUT = "computer_call_output"

CALLS: Mapping[str, CallKind] = {
    "apply_patch_call": CallKind(_PATCH_OUTPUT, ("operation",), name="apply_patch"),
    "computer_call": CallKind(_SCREEN_OUTPUT, ("action", "actions"), name="computer"),
    "custom_tool_call": CallKind("custom_tool_call_output", ("input",), free=True),
    "function_call": CallKind(FUNCTION_OUTPUT, ("arguments",)),
    "local_shell_call": CallKind(_LOCAL_SHELL_OUTPUT, ("action",), name="local_shell"),
    "shell_call": CallKind(_SHELL_OUTPUT, ("action",), name="shell"),
}
"""Calls that the caller's program answers. What the server runs itself (searches, MCP, code) is no call of ours."""

ANSWERS = frozenset(kind.answer for kind in CALLS.values())

BLANK = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQAAAAA3iMLMAAAADklEQVR42mP4/5+BFAQA/U4f4d7IdZcAAAAASUVORK5CYII="
"""A white picture of 16 x 16 pixels: what stands for a screenshot that is gone, for its output takes a picture and nothing else."""


# Calls


def call_of(item: Item, *, kind: CallKind) -> Call:
    """The call that an item of `kind` makes; objects are dumped."""
    value = item.get(_place(item, kind))
    asked = value if isinstance(value, str) else "" if value is None else dumped(value)
    return Call(word(item.get("call_id")), word(item.get("name")) or kind.name, asked, free=kind.free)


def _place(item: Item, kind: CallKind) -> str:
    return next((name for name in kind.asked if name in item), kind.asked[0])


def new_call(item: Item, old: Call, *, new: Call, kind: CallKind) -> Item:
    """A copy of the item that makes the call `new` instead of `old`; an object stays an object."""
    out = dict(item)
    if new.id != old.id:
        out["call_id"] = new.id
    if new.name != old.name:
        out["name"] = new.name
    if new.arguments != old.arguments:
        place = _place(item, kind)
        out[place] = _as_held(new.arguments) if isinstance(item.get(place), dict | list) else new.arguments
    return out


def _as_held(arguments: str) -> Any:
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return found if isinstance(found, dict | list) else arguments


def made_call(call: Call) -> Item:
    """A new item that makes `call`: a function's, or a custom tool's where its input is free."""
    if call.free:
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": call.arguments}
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


# Answers


def answered_id(item: Item) -> str:
    """The id of the call an item answers; some clients write a local shell's under ``id``."""
    return word(item.get(_id_place(item)))


def _id_place(item: Item) -> str:
    return "id" if item.get("type") == _LOCAL_SHELL_OUTPUT and item.get("call_id") is None else "call_id"


def result_of(item: Item) -> Result:
    """The result that an answer holds."""
    kind, output = item.get("type"), item.get("output")
    if kind == _SHELL_OUTPUT and isinstance(output, list):
        return Result(answered_id(item), _shell_text(output), _shell_success(output))
    text, media = _results.read([output] if isinstance(output, dict) else output, media_of=attachment)
    succeeded = {"completed": True, "failed": False}.get(word(item.get("status"))) if kind == _PATCH_OUTPUT else None
    return Result(answered_id(item), text, succeeded, media, word(item.get("name")))


def new_result(item: Item, old: Result, *, new: Result) -> Item:
    """A copy of the answer that reads as `new` instead of `old`, in its own kind."""
    out = dict(item)
    if new.call_id != old.call_id:
        out[_id_place(item)] = new.call_id
    kind = item.get("type")
    writer = _WRITERS.get(kind, _write_output) if isinstance(kind, str) else _write_output
    writer(out, old, new)
    return out


def made_result(result: Result, *, answer: str = FUNCTION_OUTPUT) -> Item:
    """A new answer of the type `answer`."""
    out: Item = {"type": answer, "call_id": result.call_id, "output": result.text}
    if answer == _SCREEN_OUTPUT:
        out["output"] = _blank_screen()
    elif answer == _SHELL_OUTPUT:
        out["output"] = [_chunk(result.text, _exit(result.succeeded))]
    elif answer == _PATCH_OUTPUT:
        out["status"] = _status(result.succeeded)
    elif result.media:
        shown = [media_block(each) or {"type": INPUT_TEXT, "text": f"[{each.label or each.kind}]"} for each in result.media]
        out["output"] = [*([{"type": INPUT_TEXT, "text": result.text}] if result.text else []), *shown]
    return out


def _write_output(out: Item, old: Result, new: Result) -> None:
    if (new.text, new.media) != (old.text, old.media):
        out["output"] = _results.rewritten(out.get("output"), old, new=new, media_of=attachment, kind=INPUT_TEXT)


def _write_screen(out: Item, old: Result, new: Result) -> None:
    if new.media != old.media:
        out["output"] = _blank_screen()


def _blank_screen() -> Item:
    return {"type": "computer_screenshot", "image_url": BLANK}


def _write_patch(out: Item, old: Result, new: Result) -> None:
    _write_output(out, old, new)
    if new.succeeded is not None and new.succeeded != old.succeeded:
        out["status"] = _status(new.succeeded)


def _status(succeeded: bool | None) -> str:
    return "failed" if succeeded is False else "completed"


def _write_shell(out: Item, old: Result, new: Result) -> None:
    held = out.get("output")
    if not isinstance(held, list):
        _write_output(out, old, new)
        return
    if held and (new.text, new.succeeded) == (old.text, old.succeeded):
        return
    outcomes = _outcomes(held)
    outcome: Item | None = next((each for each in outcomes if not _is_fine(each)), outcomes[-1] if outcomes else None)
    if new.succeeded != old.succeeded or outcome is None:
        outcome = _exit(new.succeeded)
    out["output"] = [_chunk(new.text, outcome)]


def _chunk(text: str, outcome: Item) -> Item:
    return {"stdout": text, "stderr": "", "outcome": outcome}


def _exit(succeeded: bool | None) -> Item:
    return {"type": "exit", "exit_code": 1 if succeeded is False else 0}


def _shell_text(chunks: list[Any]) -> str:
    held = [fields(chunk) or {} for chunk in chunks]
    said = [word(chunk.get(name)) for chunk in held for name in ("stdout", "stderr")]
    return "\n".join(text for text in said if text)


def _shell_success(chunks: list[Any]) -> bool | None:
    outcomes = _outcomes(chunks)
    return all(map(_is_fine, outcomes)) if outcomes else None


def _outcomes(chunks: list[Any]) -> list[Item]:
    found = (fields((fields(chunk) or {}).get("outcome")) for chunk in chunks)
    return [outcome for outcome in found if outcome is not None]


def _is_fine(outcome: Item) -> bool:
    return outcome.get("exit_code") == 0


_WRITERS: Mapping[str, Callable[[Item, Result, Result], None]] = {
    _PATCH_OUTPUT: _write_patch,
    _SCREEN_OUTPUT: _write_screen,
    _SHELL_OUTPUT: _write_shell,
}
