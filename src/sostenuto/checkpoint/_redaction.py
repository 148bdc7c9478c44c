"""Secrets out of text that is copied (D35, D59): keys, tokens, private key blocks, passwords. Linear; a match never makes anything fail."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,10}[-_]){0,3}[A-Za-z0-9]{16,200}\b[A-Za-z0-9_-]{0,200}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,255}\b|\bgithub_pat_[A-Za-z0-9_]{20,255}\b|\bglpat-[A-Za-z0-9_-]{16,100}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|\bAIza[A-Za-z0-9_-]{30,60}|\bya29\.[A-Za-z0-9_-]{20,500}"
    r"|\bhf_[A-Za-z0-9]{20,100}\b|\bnpm_[A-Za-z0-9]{30,100}\b|\bpypi-[A-Za-z0-9_-]{30,300}"
    r"|\beyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,1000}"
)
_BEARER = re.compile(r"\b((?:Bearer|Basic|Token)[ \t]{1,4})([A-Za-z0-9._~+/=-]{16,4000})", re.I)
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,200}:)([^\s/@\"'<>]{1,300})(@)")
_ASSIGNED = re.compile(
    r"((?<![A-Za-z])(?:[A-Za-z0-9]{1,40}[_-]){0,4}(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|"
    r"private[_-]?key|client[_-]?secret)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?)([^\s\"',;&<>`]{6,500})",
    re.I,
)
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----")
_MARK = "[redacted]"


def redacted(text: str) -> str:
    """`text` with every secret replaced by ``[redacted]``; the same object when there is none."""
    text = _without_key_blocks(text)
    text = _TOKEN.sub(_MARK, text)
    text = _BEARER.sub(rf"\g<1>{_MARK}", text)
    text = _ADDRESS.sub(rf"\g<1>{_MARK}\g<3>", text)
    return _ASSIGNED.sub(_assigned, text)


def _assigned(match: re.Match[str]) -> str:
    value = match.group(2)
    # code that looks a secret up, or prose about one, holds none
    harmless = value.startswith((_MARK, "$", "{", "(", "os.", "process.", "env", "None", "null", "true", "false")) or "(" in value
    return match.group() if harmless else f"{match.group(1)}{_MARK}"


def _without_key_blocks(text: str) -> str:
    if "PRIVATE KEY-----" not in text:
        return text
    kept: list[str] = []
    at = 0
    for match in _BEGIN.finditer(text):
        if match.start() < at:
            continue
        kept += (text[at : match.start()], _MARK)
        end = text.find("PRIVATE KEY-----", match.end())
        at = len(text) if end < 0 else end + len("PRIVATE KEY-----")
    return "".join([*kept, text[at:]])
