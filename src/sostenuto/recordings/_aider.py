"""aider's chat history (Markdown) as an OpenAI chat history.

The file is a log of a terminal: ``####`` lines are what the person typed, ``>`` lines are the program's, prose is the model's (how they are
told apart is in `_aider_blocks`). One file holds all chats ever held in a folder. A recording is one conversation: the chat with the most
text is taken, the last among equals, and the others are named.

A line with a command for the program (``/add``, ``/commit``) never reached the model, unless the model answered it. The output of ``/run``
did if the person agreed to add it: it becomes a call of ``bash`` and its result (D56), and so does a command the model proposed, as a call
of its reply. The call of a ``/run`` is no reply and has no exchange. ``/ask`` and its like carry a request. ``/clear`` is a boundary: what
came before was not sent again. What the program sends back to the model by itself (an edit that failed) is a request between two replies.
The files, the map of the repository and the prompts that aider sends along are not in the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sostenuto.recordings._aider_blocks import Block, blocks, chats
from sostenuto.recordings._chat import call, result
from sostenuto.recordings._recording import Exchange, Raw, Recording, Skipped, TextLine, first_model, model_name

READER = "aider"

_START = "# aider chat started at "
_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s+|$)")
_CARRIES_A_REQUEST = frozenset({"ask", "code", "architect", "help", "context"})
_RUNS = frozenset({"run", "test"})
_FORGETS = frozenset({"clear", "reset"})
_BLANK = "<blank>"
_MODEL = re.compile(r"(?:Main model|Models?): (\S+) with ")
# Rounded counts (4.1k) are no report.
_TOKENS = re.compile(r"Tokens: ([0-9][0-9,]*) sent, (?:[^,]*, )*?([0-9][0-9,]*) received\b")
_RUNNING = "Running "
_QUESTION = "output to the chat?"
_FREE = "(y/n/instructions)"
# What the program says to the person only.
_SAYINGS = r"Added .{1,300} to the chat\.|You can use /undo|Tokens: |Cost: |Commit [0-9a-f]{7}|Committing |Applied edit to "
_STATUS = re.compile(_SAYINGS + r"|.{0,300}\((?:Y\)es|y/n)")
_REPLY_IS_OVER = "Tokens: "
_SHELL = "bash"


def recognises(lines: Sequence[str]) -> bool:
    """Whether a chat starts in these first lines of a text."""
    return any(line.startswith(_START) for line in lines)


def read(lines: Iterable[TextLine], *, source: str) -> Recording:
    """The recording behind a chat history; its records are the blocks of lines of one kind of the chat taken, and the other chats."""
    found = chats(lines)
    taken = max(reversed(found), key=lambda chat: chat.size, default=None)
    reading = _Reading()
    for request, answer in _turns(blocks(taken) if taken else []):
        reading.take(request, answer)
    for chat in found:
        if chat is not taken:
            name = chat.title.removeprefix("# ")[:80] or "what stands before the first chat"
            reading.skip(chat.line, "chat", f"{name}: another chat is longer; a recording is one conversation")
    return Recording(
        reader=READER,
        format="openai_chat",
        messages=tuple(reading.messages),
        exchanges=tuple(reading.exchanges),
        system=None,
        tools=None,
        model=first_model(reading.exchanges),
        used=reading.used,
        meta=reading.meta,
        skipped=tuple(reading.skipped),
        source=source,
    )


def _turns(found: Sequence[Block]) -> list[tuple[Block | None, list[Block]]]:
    """What the person typed, each with everything up to the next; first, what stands before anything was typed."""
    turns: list[tuple[Block | None, list[Block]]] = [(None, [])]
    for block in found:
        if block.kind == "user":
            turns.append((block, []))
        else:
            turns[-1][1].append(block)
    return turns


@dataclass(slots=True)
class _Run:
    """A command that was run, and what is known of its output: printed before the question whether to add it, and logged after a yes."""

    command: str
    line: int
    by_person: bool
    printed: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    consoles: int = 0
    added: bool = False
    instruction: str = ""


@dataclass(slots=True)
class _Reading:
    messages: list[Raw] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    used: int = 0
    meta: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    _model: str | None = None
    _boundary: int = 0
    _run: _Run | None = None
    _proposer: int | None = None

    def skip(self, line: int, kind: str, reason: str) -> None:
        self.skipped.append(Skipped(line=line, kind=kind, reason=reason))

    def take(self, request: Block | None, answer: Sequence[Block]) -> None:
        asked = next((at for at, block in enumerate(answer) if block.kind == "tool" and _QUESTION in block.text), -1)
        if request is not None:
            later = answer[asked:] if asked >= 0 else answer
            added = asked >= 0 and any(_is_yes(line) for line in answer[asked].text.split("\n"))
            self._count(self._request(request, answered=added or any(block.kind == "prose" for block in later)))
        by_person, replied = self._run is not None, False
        for at, block in enumerate(answer):
            if block.kind == "tool":
                goes_on = replied and at + 1 < len(answer)
                self._count(self._program(block) or (goes_on and self._sent_back(block)))
            elif self._run is not None and by_person and at < asked:
                self._run.printed.append(block.text)
                self._run.consoles += 1
                self._count(False)
            elif request is None:
                self.skip(block.line, "console", "text before anything was typed")
            else:
                self._reply(block)
                replied = True
        self._settle()

    def _count(self, used: bool) -> None:
        self.used, self.meta = self.used + used, self.meta + (not used)

    def _request(self, request: Block, *, answered: bool) -> bool:
        """What the person typed; whether it is in the history."""
        typed = request.text.strip()
        named = _COMMAND.match(typed)
        name = "run" if typed.startswith("!") else named[1] if named else ""
        rest = typed[named.end() if named else name == "run" :].strip()
        if name in _FORGETS:
            self._boundary = len(self.messages)
        if name in _RUNS and rest:
            self._run = _Run(rest, request.line, by_person=True)
        spoken = rest if name in _CARRIES_A_REQUEST and rest else typed
        if spoken in ("", _BLANK) or (name and not answered):
            return False
        self.messages.append({"role": "user", "content": spoken})
        self._proposer = None
        return True

    def _reply(self, block: Block) -> None:
        self._settle()
        self._count(True)
        self.exchanges.append(
            Exchange(upto=len(self.messages), boundary=self._boundary, preface=(), reported=None, output=None, model=self._model)
        )
        self._proposer = len(self.messages)
        self.messages.append({"role": "assistant", "content": block.text})

    def _program(self, block: Block) -> bool:
        """Lines of the program; whether some of them are output that was added to the chat."""
        held = False
        for line in block.text.split("\n"):
            if line.startswith(_RUNNING) and not (self._run and self._run.by_person):
                self._settle()
                self._run = _Run(line.removeprefix(_RUNNING).strip(), block.line, by_person=False)
            elif self._run is None:
                self._status(line)
            elif _QUESTION in line or _FREE in line:
                self._answer(line)
            elif self._run.added and _STATUS.match(line):
                self._status(line)
            elif self._run.added:
                self._run.logged.append(line)
                held = True
            else:
                self._run.printed.append(line)
        return held

    def _sent_back(self, block: Block) -> bool:
        """Lines between two replies to one request: what the program answered the model by itself, such as an edit that failed."""
        if _REPLY_IS_OVER not in block.text or self._run is not None:
            return False
        spoken = "\n".join(line for line in block.text.split("\n") if not _STATUS.match(line)).strip()
        if spoken:
            self.messages.append({"role": "user", "content": spoken})
            self._proposer = None
        return bool(spoken)

    def _status(self, line: str) -> None:
        model, tokens = _MODEL.match(line), _TOKENS.match(line)
        if model:
            self._model = model_name(model[1])
        if tokens and self.exchanges and self.exchanges[-1].reported is None:
            sent, received = (int(count.replace(",", "")[:12]) for count in tokens.groups())
            self.exchanges[-1] = replace(self.exchanges[-1], reported=sent or None, output=received or None)

    def _answer(self, line: str) -> None:
        """What the person said to the question whether to add the output; an instruction goes with it."""
        said, run = _said(line), self._run
        if run is None or not said:
            return
        if _is_yes(line):
            run.added = True
            run.instruction = said if _FREE in line and said.lower() not in ("y", "yes") else ""
        else:
            self._run = None

    def _settle(self) -> None:
        """The run is over: what was added of it goes into the history."""
        run, self._run = self._run, None
        if run is None or not run.added:
            return
        output = "\n".join(run.logged or run.printed).strip()
        if output:
            if not run.logged:
                self.used, self.meta = self.used + run.consoles, self.meta - run.consoles
            name = f"run_{run.line}_{len(self.messages)}"
            made = call(_SHELL, {"command": run.command}, id=name)
            if run.by_person or self._proposer is None:
                self.messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
                self._proposer = None
            else:
                self.messages[self._proposer].setdefault("tool_calls", []).append(made)
            self.messages.append(result(name, output))
        if run.instruction:
            self.messages.append({"role": "user", "content": run.instruction})
            self._proposer = None


def _said(line: str) -> str:
    """The answer on a line with a question, or on the line of its choices."""
    if _FREE in line:
        return line.partition(_FREE)[2].strip()
    return line.rpartition("]:")[2].rpartition(_QUESTION)[2].strip() if _QUESTION in line else ""


def _is_yes(line: str) -> bool:
    """Whether the output was added; where a person may write anything, all but a no is a yes."""
    said = _said(line).lower()
    return said not in ("", "n", "no") if _FREE in line else said[:1] in ("y", "a")
