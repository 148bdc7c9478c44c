"""One reply of the model, with one recovery when the request was too long (origin 6.9, D19)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sostenuto.agent._event import Telling
from sostenuto.agent._nudging import nudged
from sostenuto.agent._setup import Setup
from sostenuto.agent._stop import raced
from sostenuto.engine import Request
from sostenuto.errors import ContextOverflow, FixedPartTooLarge, ModelFailed, RequestRefused, TooLong, UnusableInput
from sostenuto.messages import Message, Text
from sostenuto.protocols import Codec, Raw, Spoken


class Speaking:
    """Sends requests of one run. `partial` is what was heard of a reply that did not come to its end."""

    def __init__(self, setup: Setup, *, codec: Codec, definitions: list[Any], telling: Telling, told: Callable[[Request], None]) -> None:
        self._setup = setup
        self._codec = codec
        self._definitions = definitions
        self._telling = telling
        self._told = told
        self._pieces: list[str] = []

    @property
    def heard(self) -> str:
        """The words of a reply that is not complete yet."""
        return "".join(self._pieces)

    @property
    def partial(self) -> list[Raw]:
        """The same as a message of the assistant; none where there are no words."""
        text = self.heard
        return [self._codec.encode(Message("assistant", (Text(text),)))] if text.strip() else []

    def forget(self) -> None:
        """What was heard is not partial any more."""
        self._pieces.clear()

    async def reply(self, request: Request, lines: tuple[str, ...], *, alternating: bool) -> Spoken:
        """The reply to a request and these nudges; where it is refused as too long or broken off at the window's end, to a smaller one.

        Raises:
            Stopped: see `raced`.
            ModelFailed: there was no reply; after a recovery the error of the second try.
        """
        try:
            spoken = await self._once(request, lines, alternating=alternating)
        except (TooLong, RequestRefused) as error:
            return await self._again(error, lines, alternating=alternating)
        if spoken.finish == "window" or (spoken.finish == "length" and not spoken.text.strip() and not spoken.calls):
            return await self._instead(spoken, lines, alternating=alternating)
        return spoken

    async def _again(self, error: ModelFailed, lines: tuple[str, ...], *, alternating: bool) -> Spoken:
        smaller = await raced(self._recovered(error), self._setup.stop)
        return await self._once(smaller, lines, alternating=alternating)

    async def _recovered(self, error: ModelFailed) -> Request:
        context = self._setup.context
        try:
            try:
                return await context.recover_async(error)
            except UnusableInput:
                if not isinstance(error, TooLong):
                    raise  # the request is wrong in another way, and no shorter one is right
                return await context.recover_async()
        except (UnusableInput, ContextOverflow, FixedPartTooLarge):
            raise error from None

    async def _instead(self, spoken: Spoken, lines: tuple[str, ...], *, alternating: bool) -> Spoken:
        """The reply to a smaller request, where this one had no room for its answer; the reply as it is where that is not so."""
        evidence = None if spoken.finish == "window" else {"finish_reason": "length", "usage": spoken.usage}
        try:
            smaller = await raced(self._setup.context.recover_async(evidence), self._setup.stop)
        except (UnusableInput, ContextOverflow, FixedPartTooLarge):
            return spoken
        return await self._once(smaller, lines, alternating=alternating)

    async def _once(self, request: Request, lines: tuple[str, ...], *, alternating: bool) -> Spoken:
        self._told(request)
        self.forget()
        setup = self._setup
        arguments = nudged(request, lines, codec=self._codec, alternating=alternating)
        asked = setup.model.speak(
            arguments,
            tools=self._definitions,
            max_output=request.max_output,
            thinking=not request.thinking_off,
            heard=self._hear if setup.streaming else None,
        )
        try:
            spoken = await raced(asked, setup.stop)
        except BaseException as error:
            if self._pieces or not isinstance(error, ModelFailed):
                setup.purse.pay(setup.model.name, None)  # something of it may be billed, and nobody said how much
            raise
        self._paid(spoken)
        return spoken

    def _hear(self, kind: Literal["text", "reasoning"], words: str) -> None:
        if kind == "text":
            self._pieces.append(words)
        self._telling.tell(kind, text=words)

    def _paid(self, spoken: Spoken) -> None:
        """Book the reply and say what it cost."""
        purse, name = self._setup.purse, self._setup.model.name
        reported, dollars = purse.pay(name, spoken.usage)
        known = {"input": reported.input, "output": reported.output, "cached": reported.cached} if reported is not None else {}
        spent = purse.spent
        self._telling.tell(
            "usage",
            model=spoken.model or name,
            finish=spoken.finish,
            **known,
            cost_usd=dollars,
            total_tokens=spent.tokens,
            total_usd=round(spent.total_usd, 9),
            cost_known=spent.cost_known,
        )
