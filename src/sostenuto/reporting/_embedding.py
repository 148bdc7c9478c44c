"""Values inside a page that anybody's text goes into: nothing in them may end the element they stand in, or start another."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re

HARMLESS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that HTML or an old JavaScript engine would act on, as JSON writes them when it has to."""
_ACTIVE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def embedded(value: object) -> str:
    """`value` as JSON that may stand in a script element; encodable as UTF-8 whatever its texts hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _ACTIVE.sub(lambda found: HARMLESS.get(found.group()) or f"\\u{ord(found.group()):04x}", text)


def escaped(text: str) -> str:
    """`text` for the body or an attribute of the page; a lone surrogate becomes the replacement character."""
    return html.escape(_SURROGATE.sub("\ufffd", text), quote=True)


def hashed(source: str) -> str:
    """How a content security policy names one inline script or style: nothing else may run."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() + "'"
