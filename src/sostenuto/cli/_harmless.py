"""Words of others on a terminal: of a model, a tool, a provider or a file. Nothing in them acts there."""

from __future__ import annotations


def visible(text: str) -> str:
    """A text of one line, with everything in it that a terminal would act on, or not show, written out."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def printable(text: str) -> str:
    """`text` without what a terminal would act on or cannot encode: control characters and lone surrogates."""
    kept_as_is = {"\n", "\t"}
    shown = "".join(c if c in kept_as_is or (c >= " " and c != "\x7f" and not "\x80" <= c <= "\x9f") else "\ufffd" for c in text)
    return shown.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, *, width: int) -> str:
    """The beginning of a text on one line of at most `width` columns, nothing in it that acts on a terminal."""
    flat = visible(" ".join(text[: 8 * max(width, 1)].split()))
    return flat if len(flat) <= width else f"{flat[: max(0, width - 3)]}..."


def lines_of(text: str) -> list[str]:
    """All lines of a text, nothing in them that acts on a terminal."""
    return [visible(line.expandtabs(4)) for line in text.replace("\r\n", "\n").split("\n")]
