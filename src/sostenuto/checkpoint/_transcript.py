"""What the summarizer reads: the history as blocks of plain text, in pieces that fit it (origin 6.4, D24)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from sostenuto.budget import water_level
from sostenuto.checkpoint._numbers import NUMBERS
from sostenuto.checkpoint._redaction import redacted
from sostenuto.checkpoint._wording import is_ours
from sostenuto.messages import Call, Media, Opaque, Part, Result, Text, Thinking, Unit

RULE = "----------"
"""The line between two blocks."""
_SEPARATOR = f"\n\n{RULE}\n\n"
_TAGS = re.compile(r"<(?=/?(?:transcript|prior_checkpoint|known_work|instructions)\b)", re.I)
_FORGED = re.compile(r"^(?=\[(?:USER|ASSISTANT|TOOL|SYSTEM)\b|-{10}[ \t]*$)", re.M)


def escaped(text: str) -> str:
    """`text` as data: well-formed, without secrets, its delimiter tags and role tags defused."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _FORGED.sub(" ", _TAGS.sub("&lt;", redacted(whole)))


def blocks(units: Iterable[Unit]) -> list[str]:
    """One block per message, in order: a role tag in capitals and the content. What we wrote ourselves is left out."""
    return [block for unit in units if not _is_ours(unit) for block in _unit_blocks(unit)]


def _is_ours(unit: Unit) -> bool:
    first = unit.parts[0].part if unit.parts else None
    return isinstance(first, Text) and is_ours(first.text)


def _unit_blocks(unit: Unit) -> Iterator[str]:
    names = {slot.call_part.id: slot.call_part.name for slot in unit.slots}
    for (ordinal, is_result), group in groupby(unit.parts, key=lambda p: (p.ordinal, isinstance(p.part, Result))):
        for text in _grouped([p.part for p in group], names=names, apart=is_result):
            role = "TOOL" if is_result else {"user": "USER", "system": "SYSTEM"}.get(unit.kind, "ASSISTANT")
            yield f"[{role} m{ordinal}]\n{text}"


def _grouped(parts: list[Part], *, names: Mapping[str, str], apart: bool) -> Iterator[str]:
    texts = [text for part in parts if (text := _words(part, names=names)).strip()]
    if apart:
        yield from texts
    elif texts:
        yield "\n".join(texts)


def _words(part: Part, *, names: Mapping[str, str]) -> str:
    match part:
        case Text(text):
            return escaped(text)
        case Call(_, name, arguments):
            return _call(escaped(name), arguments)
        case Result():
            name = part.name or names.get(part.call_id, "")
            state = " failed" if part.succeeded is False else ""
            shown = [f"{escaped(name) or 'result'}{state}: {escaped(part.text)}", *(described(m) for m in part.media)]
            return "\n".join(shown)
        case Media():
            return described(part)
        case Thinking():
            return ""  # a transcript of reasoning is refused by some providers, and is no evidence
        case Opaque(kind, text):
            return f"[{escaped(kind)}] {escaped(text)}"


def _call(name: str, arguments: str) -> str:
    given = escaped(arguments.strip())
    if given in ("", "{}", "null"):
        return f"→ {name}"
    if len(given) > NUMBERS.arguments:
        given = f"{given[: NUMBERS.arguments]}… [{len(arguments):,} characters]"
    return f"→ {name}({given})"


def described(media: Media) -> str:
    """An attachment in words."""
    size = f", {media.width}x{media.height}" if media.width and media.height else ""
    pages = f", {media.pages} pages" if media.pages else ""
    return f"[{media.kind}{size}{pages}{': ' + escaped(media.label) if media.label else ''}]"


def chunks(
    units: Iterable[Unit],
    *,
    budget_tokens: int,
    count: Callable[[str], int],
    at_most: int = NUMBERS.chunks,
) -> tuple[str, ...]:
    """The transcript in pieces of at most `budget_tokens` each; every message once, in order, no piece empty.

    A message longer than its share is cut to head and tail. Shares shrink as far as needed to need no more than `at_most` pieces (B047),
    but never below 60 tokens, so very many short messages may still take more. `budget_tokens` <= 0 gives one piece.
    """
    texts = blocks(units)
    if not texts:
        return ()
    if budget_tokens <= 0:
        return (_SEPARATOR.join(texts),)
    rule = count(_SEPARATOR)
    sizes = [count(text) + rule for text in texts]
    cap = max(1, int(budget_tokens * NUMBERS.block_share))
    packed: tuple[str, ...] = ()
    for share in NUMBERS.chunk_shares:
        level = min(cap, max(water_level(sizes, total=int(share * at_most * budget_tokens)), NUMBERS.block_floor))
        cut = [text if size <= level else clipped(text, level - rule, count=count) for text, size in zip(texts, sizes, strict=True)]
        packed = tuple(_packed(cut, budget=budget_tokens, count=count))
        if len(packed) <= at_most or level <= NUMBERS.block_floor:
            break
    return packed


def _packed(texts: list[str], *, budget: int, count: Callable[[str], int]) -> Iterator[str]:
    # `room` adds up parts; the joined text is counted before it leaves, since counts of parts need not add up exactly
    held: list[str] = []
    room, rule = budget, count(_SEPARATOR)
    for text in texts:
        size = count(text) + rule
        if held and size > room:
            yield from _split(held, budget=budget, count=count)
            held, room = [], budget
        held.append(text)
        room -= size
    yield from _split(held, budget=budget, count=count)


def _split(held: list[str], *, budget: int, count: Callable[[str], int]) -> Iterator[str]:
    joined = _SEPARATOR.join(held)
    if len(held) == 1:
        yield joined if count(joined) <= budget else clipped(joined, budget, count=count)
    elif count(joined) <= budget:
        yield joined
    else:
        middle = len(held) // 2
        yield from _split(held[:middle], budget=budget, count=count)
        yield from _split(held[middle:], budget=budget, count=count)


def clipped(text: str, tokens: int, *, count: Callable[[str], int]) -> str:
    """Head and tail of `text` in at most `tokens` tokens, with how many characters are left out between; at least one character stays."""
    size = count(text)
    keep = len(text)
    while size > tokens and keep > 1:
        keep = max(1, min(keep - 1, int(keep * tokens / size * 0.9)))
        shown = _ends(text, keep)
        size = count(shown)
        if size <= tokens:
            return shown
    return text if keep == len(text) else text[:1]


def _ends(text: str, keep: int) -> str:
    head = keep - keep // 3
    left = len(text) - keep
    if keep < 40:
        return text[:keep]
    return f"{text[:head]}\n[… {left:,} characters left out …]\n{text[len(text) - keep // 3 :]}"
