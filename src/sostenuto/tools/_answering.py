"""From what a tool returned to what the model is given: shaped, kept whole if it has to be cut, framed (origin 10)."""

from __future__ import annotations

from sostenuto.messages import Call
from sostenuto.protocols import KeptResult
from sostenuto.results import Provenance, budget, cut, fitted, framed, shaped, text_of
from sostenuto.tools._answer import Answer, Ended, Handling
from sostenuto.tools._tool import Output

SILENT = "(no output)"


def answer(call: Call, output: Output, *, handling: Handling, ended: Ended, note: str = "", seconds: float = 0.0) -> Answer:
    """The answer to a call. `note` is a line of ours that stands behind everything else."""
    whole = text_of(output.value)
    text, key = (whole, "") if output.paged else _fitting(call, output, whole=whole, handling=handling)
    text = text or ("" if note else SILENT)
    if output.provenance is not None:
        text = framed(text, output.provenance)
    if output.footer:
        text = f"{text}\n{output.footer}"
    if output.key and output.key == key:
        text = f"{text}\n[{_kept_as(key, handling)}]"
    if note:
        text = f"{text}\n[{note}]" if text else note
    return Answer(
        call.id,
        call.name,
        text,
        ended,
        key=key,
        provenance=output.provenance,
        characters=len(whole),
        seconds=seconds,
        wish=output.wish,
    )


def _fitting(call: Call, output: Output, *, whole: str, handling: Handling) -> tuple[str, str]:
    """The text within its budget, and the key of the whole where the text is not the whole."""
    value = shaped(output.value, tool=call.name)
    text = text_of(value)
    limit = handling.sizing.longest(text, budget(value))
    if len(text) <= limit and text == whole and not output.key:
        return text, ""
    key = _kept(call, output, whole=whole, handling=handling)
    if len(text) <= limit:
        return text, key
    if isinstance(value, str):
        way = _way(key, handling, ", offset={offset}") + " reads on" if key and handling.retrievable else ""
        return cut(text, characters=limit, way=way).text, key
    said = f"\n[shortened; {_way(key, handling)} reads the whole]" if key and handling.retrievable else ""
    return fitted(value, characters=limit - len(said), way="the whole is kept" if said else "") + said, key


def _kept(call: Call, output: Output, *, whole: str, handling: Handling) -> str:
    """The key under which the whole result now is; "" where it could not be kept."""
    key = output.key or call.id
    if handling.kept is None or not whole.strip():
        return ""
    try:
        return key if handling.kept.keep(key, KeptResult(whole, call.name, call.id, output.provenance)) else ""
    except Exception:  # a store may be anybody's code: its failure costs the way back, not the result
        return ""


def _way(key: str, handling: Handling, more: str = "") -> str:
    return f'retrieve_tool_result(tool_call_id="{key}"{more})'


def _kept_as(key: str, handling: Handling) -> str:
    return f"kept whole as {key}" + (f"; {_way(key, handling)} reads it" if handling.retrievable else "")


def plain(call: Call, text: str, ended: Ended, *, seconds: float = 0.0, provenance: Provenance | None = None) -> Answer:
    """An answer in our own words."""
    return Answer(call.id, call.name, text, ended, provenance=provenance, characters=len(text), seconds=seconds)
