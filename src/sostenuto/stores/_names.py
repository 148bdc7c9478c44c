"""Names that are safe as the name of a file or folder on every system."""

from __future__ import annotations

import re
from typing import Final

from sostenuto.errors import UnknownSetting
from sostenuto.work import is_device

LONGEST: Final = 200
_SHOWN: Final = 60
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def checked_name(text: str, *, what: str) -> str:
    """The name itself, if it can be the name of a file or folder anywhere.

    Args:
        text: the name; it may come from anywhere.
        what: what it names, for the error: ``--conversation``, ``agent``.

    Raises:
        UnknownSetting: it cannot be one; the text says why and what would be one.
    """
    if why := _objection(text):
        shown = ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
        raise UnknownSetting(
            f"{what} {shown}: {why}; a name has letters a-z, digits, dots, - and _, "
            f"starts with a letter or digit, and has at most {LONGEST} of them"
        )
    return text


def _objection(text: str) -> str:
    if not text:
        return "it is empty"
    if len(text) > LONGEST:
        return f"it has {len(text):,} characters"
    if not _NAME.fullmatch(text):
        odd = next(letter for place, letter in enumerate(text) if not _NAME.fullmatch(letter if place == 0 else f"a{letter}"))
        return f"{odd!a} may not stand {'at the beginning of' if text[0] == odd else 'in'} a name"
    if text.endswith("."):
        return "a dot stands at its end"
    if is_device(text):
        return "Windows keeps that name for a device"
    return ""
