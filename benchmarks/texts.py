"""Kinds of text that agents read and write, made with fixed seeds. Used to fit and to judge the weights of ``sostenuto.tokens``.

Every kind comes in two halves that share no source: other modules and other pages of documentation of the running Python, other
sentences, other words, other shapes of the same thing. The weights are fitted on one half and judged on the other.
"""

# ruff: noqa: E501, SIM905 - templates and word lists
from __future__ import annotations

import base64
import difflib
import importlib
import inspect
import json
import random
import textwrap
from collections.abc import Callable
from functools import cache
from pydoc_data import topics
from typing import Literal

from benchmarks import programs, sentences

Half = Literal["fit", "judge"]
SIZE = 24_000  # characters of each sample
HALVES: tuple[Half, Half] = ("fit", "judge")

MODULES = (
    "argparse ast configparser difflib inspect json.decoder textwrap random".split(),
    "tarfile http.client logging.handlers email.message shutil unittest.mock dataclasses csv".split(),
)
NOUNS = (
    """user order item cart price token session request response handler buffer stream parser node tree index cache store
message context window budget result summary config option route widget panel layout color event listener timer queue worker
job task status error retry limit offset cursor page table column row field value schema model""".split(),
    """account invoice customer product payment address channel device sensor metric region cluster volume backup snapshot
commit branch author review comment thread folder image album track player score level match team role policy secret key
plugin theme dialog menu form input label button slider chart point vector matrix pixel frame""".split(),
)
VERBS = (
    """get set load save fetch send parse build render update create delete find merge split clear open close start stop
check apply resolve handle compute format encode decode push pop bind emit""".split(),
    """list add remove insert read write copy move rename sort filter group count sum scan watch wait retry cancel connect
flush lock sign verify upload download convert draw select toggle register validate attach collect""".split(),
)
FOLDERS = (
    "src lib app tests docs scripts packages core server client utils models views api config assets".split(),
    "cmd internal pkg include examples tools web admin mobile shared services storage auth build public vendor".split(),
)
SUFFIXES = "py ts tsx js json md txt yml css html go rs sh".split()
PEOPLE = ("root root", "builder staff"), ("Jan", "Mar", "Aug", "Nov"), ("Feb", "May", "Sep", "Dec")
EMOJI = (
    "😀 😂 🎉 🚀 ✅ ❌ ⚠️ 🔥 👍 👨‍👩‍👧 🇩🇪 💡 📦 🐛 🤖 ✨ 🧪 📝 🔧 ❤️".split(),
    "🙂 😭 🎯 ⏳ ☑️ 🚫 ℹ️ 💥 👀 👩‍💻 🇫🇷 📌 🗑️ 🐍 🌍 ⭐ 🔍 📊 🔒 💬".split(),
)


class Draw(random.Random):
    """Chance with a fixed seed, and the words of one half."""

    def __init__(self, seed: str, half: Half) -> None:
        super().__init__(seed)
        self.half = HALVES.index(half)

    def noun(self) -> str:
        """A noun of this half."""
        return self.choice(NOUNS[self.half])

    def verb(self) -> str:
        """A verb of this half."""
        return self.choice(VERBS[self.half])

    def folder(self) -> str:
        """A folder of this half."""
        return self.choice(FOLDERS[self.half])

    def camel(self) -> str:
        """A name such as ``loadUserOrder``."""
        return self.verb() + "".join(self.noun().capitalize() for _ in range(self.randint(1, 2)))


@cache
def _source(name: str) -> str:
    return inspect.getsource(importlib.import_module(name))


def _sources(draw: Draw) -> list[str]:
    return [_source(name) for name in MODULES[draw.half]]


def _english(draw: Draw) -> str:
    texts = sorted(topics.topics.values(), key=len)[-60:][draw.half :: 2]
    return _filled(lambda: textwrap.dedent(draw.choice(texts)[:6_000]))


def _python(draw: Draw) -> str:
    return _filled(lambda: _slice(draw, draw.choice(_sources(draw)), 6_000))


def _typescript(draw: Draw) -> str:
    return _filled(lambda: programs.typescript(draw, draw.half))


def _diff(draw: Draw) -> str:
    def piece() -> str:
        old = _slice(draw, draw.choice(_sources(draw)), 3_000).splitlines()
        new = [line.replace("self", "this") if draw.random() < 0.1 else line for line in old if draw.random() > 0.03]
        path = f"{draw.folder()}/{draw.noun()}_{draw.noun()}.py"
        head = f"diff --git a/{path} b/{path}\nindex {draw.getrandbits(28):07x}..{draw.getrandbits(28):07x} 100644\n"
        return head + "\n".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")) + "\n"

    return _filled(piece)


def _minified(draw: Draw) -> str:
    return _filled(lambda: programs.minified(draw, draw.half))


def _logs(draw: Draw) -> str:
    def stamp() -> str:
        day, clock = f"2026-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}", f"{draw.randint(0, 23):02d}:{draw.randint(0, 59):02d}"
        return f"{day}T{clock}:{draw.randint(0, 59):02d}.{draw.randint(0, 999):03d}Z"

    def one() -> dict[str, object]:
        return {
            "ts": stamp(), "level": draw.choice(("info", "warn", "error", "debug")), "trace_id": f"{draw.getrandbits(128):032x}",
            "span": f"{draw.getrandbits(64):016x}", "msg": f"{draw.verb()} {draw.noun()} {draw.choice(('ok', 'failed', 'timeout'))}",
            "duration_ms": round(draw.random() * 1000, 3), "status": draw.choice((200, 201, 404, 500)), "user_id": draw.randint(1, 10**7),
        }  # fmt: skip

    def other() -> dict[str, object]:
        return {
            "time": stamp(), "severity": draw.choice(("INFO", "WARNING", "ERROR")), "service": f"{draw.noun()}-{draw.noun()}",
            "request": {"id": f"{draw.getrandbits(96):024x}", "method": draw.choice(("GET", "POST")), "path": f"/{draw.noun()}/{draw.randint(1, 9999)}"},
            "bytes": draw.randint(100, 10**6), "elapsed": round(draw.random() * 10, 4), "node": f"{draw.noun()}-{draw.getrandbits(40):010x}",
        }  # fmt: skip

    return _filled(lambda: json.dumps(other() if draw.half else one()) + "\n")


def _listing(draw: Draw) -> str:
    months = PEOPLE[1 + draw.half]

    def piece() -> str:
        lines = [f"./{draw.folder()}/{draw.noun()}:", f"total {draw.randint(4, 900)}"]
        for _ in range(12):
            lines.append(
                f"{draw.choice(('-rw-r--r--', '-rwxr-xr-x', 'drwxr-xr-x'))} {draw.randint(1, 9)} {PEOPLE[0][draw.half]} {draw.randint(20, 999999):>8} "
                f"{draw.choice(months)} {draw.randint(1, 28):>2} {draw.randint(0, 23):02d}:{draw.randint(0, 59):02d} "
                f"{draw.noun()}{draw.choice('_-.')}{draw.noun()}.{draw.choice(SUFFIXES)}"
            )
        return "\n".join(lines) + "\n\n"

    return _filled(piece)


def _csv(draw: Draw) -> str:
    def number() -> str:
        size, places = 10 ** draw.randint(0, 5), draw.randint(0, 6)
        return f"{draw.random() * size:.{places}f}" if not draw.half else f"{draw.gauss(0, size):.{max(1, places - 1)}f}"

    return _filled(lambda: ",".join(number() for _ in range(12 if draw.half else 8)) + "\n")


def _hexadecimal(draw: Draw) -> str:
    width = 40 if draw.half else 64
    return _filled(lambda: f"{draw.getrandbits(4 * width):0{width}x}\n")


def _base64(draw: Draw) -> str:
    if draw.half:
        return _filled(lambda: base64.b64encode(draw.randbytes(1_200)).decode() + "\n")
    return _filled(lambda: base64.encodebytes(draw.randbytes(570)).decode())


def _sentences(halves: tuple[tuple[str, ...], tuple[str, ...]], *, gap: str) -> Callable[[Draw], str]:
    return lambda draw: _filled(lambda: draw.choice(halves[draw.half]) + (gap if draw.random() < 0.8 else "\n"))


def _mixed(draw: Draw) -> str:
    scripts, emoji = sentences.SCRIPTS[draw.half], EMOJI[draw.half]
    return _filled(lambda: f"{draw.choice(scripts)} {draw.choice(emoji)} " if draw.random() < 0.8 else draw.choice(emoji) * 2 + "\n")


def _report(draw: Draw) -> str:
    return _filled(lambda: programs.report(draw, draw.half, suffixes=SUFFIXES))


def _numbered(draw: Draw) -> str:
    """A file as a tool shows it, every line with its number."""
    form = "{:>6}\t{}\n" if draw.half else "{:>6}→{}\n"

    def piece() -> str:
        start = draw.randint(1, 900)
        lines = _slice(draw, draw.choice(_sources(draw)), 3_000).splitlines()
        return "".join(form.format(start + place, line) for place, line in enumerate(lines))

    return _filled(piece)


def _edits(draw: Draw) -> str:
    """Calls that edit files: source code as JSON writes it, half of it indented with tabs."""

    def piece() -> str:
        old, new = (_slice(draw, draw.choice(_sources(draw)), draw.randint(200, 1_500)) for _ in range(2))
        if draw.random() < 0.5:
            old, new = old.replace("    ", "\t"), new.replace("    ", "\t")
        path = f"/home/me/{draw.folder()}/{draw.noun()}_{draw.noun()}.{draw.choice(SUFFIXES)}"
        names = ("path", "old_text", "new_text") if draw.half else ("file_path", "old_string", "new_string")
        return json.dumps(dict(zip(names, (path, old, new), strict=True))) + "\n"

    return _filled(piece)


def _pretty(draw: Draw) -> str:
    def value(depth: int) -> object:
        if depth == 0:
            return draw.choice(
                (draw.noun(), draw.randint(0, 999), True, None, f"{draw.verb()} the {draw.noun()}", f"{draw.folder()}/{draw.noun()}.py")
            )
        return (
            {draw.noun() if draw.half else draw.camel(): value(depth - 1) for _ in range(3)}
            if draw.random() < 0.7
            else [value(0) for _ in range(3)]
        )

    return _filled(lambda: json.dumps(value(3), indent=2) + "\n")


def _console(draw: Draw) -> str:
    return _filled(lambda: programs.console(draw, draw.half))


def _constants(draw: Draw) -> str:
    return _filled(lambda: programs.constants(draw, draw.half))


def _filled(piece: Callable[[], str]) -> str:
    pieces: list[str] = []
    while sum(map(len, pieces)) < SIZE:
        pieces.append(piece())
    return "".join(pieces)[:SIZE]


def _slice(draw: Draw, text: str, size: int) -> str:
    start = draw.randrange(max(1, len(text) - size))
    return text[start : start + size]


KINDS: dict[str, Callable[[Draw], str]] = {
    "English docs": _english,
    "Python": _python,
    "TypeScript": _typescript,
    "git diff": _diff,
    "minified JS": _minified,
    "JSON logs": _logs,
    "ls -lR": _listing,
    "CSV of numbers": _csv,
    "hex": _hexadecimal,
    "base64": _base64,
    "Chinese": _sentences(sentences.CHINESE, gap=""),
    "Japanese, mixed": _sentences(sentences.JAPANESE, gap=""),
    "Korean, mixed": _sentences(sentences.KOREAN, gap=" "),
    "emoji + scripts": _mixed,
    "Russian": _sentences(sentences.RUSSIAN, gap=" "),
    "agent prose": _report,
}
"""Kind -> how to make it: what the bar is held on."""
MORE: dict[str, Callable[[Draw], str]] = {
    "numbered source": _numbered,
    "edits as JSON": _edits,
    "pretty JSON": _pretty,
    "console": _console,
    "capitals": _constants,
}
"""What agents read besides; fitted and judged too, outside the bar."""


def texts(*, seed: int, half: Half = "judge", kinds: dict[str, Callable[[Draw], str]] = KINDS) -> dict[str, str]:
    """One sample of every kind."""
    return {kind: make(Draw(f"{seed}:{kind}", half)) for kind, make in kinds.items()}
