"""A witness of one conversation: it sees every request and says what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

from sostenuto.engine import Request, State
from sostenuto.ladder import History
from sostenuto.manager import ContextManager
from sostenuto.messages import Call, Media, Message, Part, Text, parse_key
from sostenuto.protocols import Codec, Raw
from sostenuto.tokens import Measure, ruler
from tests.engine.conversing import CODECS, Quarters, anonymous, faults

SHORTER = frozenset({"clip", "clear", "compact", "trim", "strip", "flatten", "recover", "fork", "rewritten", "absent"})
RULER = ruler("", weigher=Quarters())


class Witness:
    """Watches the requests of one manager. `sound` histories must also keep their prefix."""

    def __init__(self, manager: ContextManager, *, format: str, sound: bool = True) -> None:
        self.manager, self.format, self.sound = manager, format, sound
        self.codec: Codec = CODECS[format]
        self.keys: set[str] = set()
        self.before: list[Raw] | None = None
        self.levels: dict[tuple[int, int], int] = {}
        self.start = 0

    def see(self, handed: Sequence[Raw], request: Request) -> None:
        """Check one request for the whole raw history `handed`."""
        out: list[Raw] = request.arguments[self.codec.field]
        for event in request.events:
            self.keys.update(event.keys)
        assert faults(request.arguments, format=self.format, handed=handed) == [] or not out
        self._fits(request, out)
        self._nothing_lost(handed, out)
        self._requests_present(handed, out)
        self._levels_rise()
        self._prefix(request, out)

    @property
    def history(self) -> History:
        """The history behind the manager."""
        return self.state.history

    @property
    def state(self) -> State:
        """The engine's state."""
        engine = self.manager._driver.engine
        assert engine is not None
        return engine.state

    def _fits(self, request: Request, out: list[Raw]) -> None:
        counted = RULER.tokens(sum((RULER.measure(self.codec.decode(raw)) for raw in out), start=Measure()))
        assert counted <= request.tokens <= request.window

    def _nothing_lost(self, handed: Sequence[Raw], out: list[Raw]) -> None:
        """What is not sent as it came has a key, and the key gives the original back."""
        lead = self.codec.split_system(handed)
        identical = {id(raw) for raw in out}
        present = [anonymous(part) for raw in out for part in self.codec.decode(raw).parts]
        for ordinal, raw in enumerate(handed[lead:]):
            if id(raw) in identical:
                continue
            for index, part in enumerate(self.codec.decode(raw).parts):
                if anonymous(part) not in present:
                    self._recalled(ordinal, index, part)

    def _recalled(self, ordinal: int, index: int, part: Part) -> None:
        covering = [key for key in self.keys if _covers(key, ordinal, index)]
        assert covering, f"m{ordinal}.{index} is not sent and has no key: {part}"
        for key in covering[:3]:
            assert said(part) in self.manager.recall(key)[0].text

    def _requests_present(self, handed: Sequence[Raw], out: list[Raw]) -> None:
        """First and newest user text are there, whole or as head and tail with their key."""
        users = [self.history.units[number] for number in self.history.users]
        texts = [part.text for raw in out for part in self.codec.decode(raw).parts if isinstance(part, Text)]
        for unit in (users[0], users[-1]) if users else ():
            for place in unit.parts:
                if not isinstance(place.part, Text) or not place.part.text.strip():
                    continue
                whole = place.part.text in texts
                cut = f"m{place.ordinal}.{place.index}" in self.keys
                headed = cut and any(text[:20] == place.part.text[:20] and "left out here" in text for text in texts)
                assert whole or headed, f"the request {place.key} is missing"

    def _levels_rise(self) -> None:
        view = self.state.view
        in_view = {(place.ordinal, place.index) for unit in self.history.units[view.start :] for place in unit.parts}
        for place, level in self.levels.items():
            assert place not in in_view or view.levels.get(place, 0) >= level
        assert view.start >= self.start
        self.levels, self.start = dict(view.levels), view.start

    def _prefix(self, request: Request, out: list[Raw]) -> None:
        """Without an edit of what was sent before, the request extends the one before it."""
        if self.sound and self.before is not None and not SHORTER & {event.rung for event in request.events}:
            assert out[: len(self.before)] == self.before
        self.before = out[: len(out) - self.state.sent.nudges]


def said(part: Part) -> str:
    """The words of a part as recall gives them."""
    if isinstance(part, Call):
        return part.arguments
    if isinstance(part, Media):
        return part.label or part.kind
    return part.text


def _covers(key: str, ordinal: int, index: int) -> bool:
    address = parse_key(key)
    if address is None:
        return False
    first, part, last = address
    if part is not None:
        return (first, part) == (ordinal, index)
    return first <= ordinal <= (first if last is None else last)


def user_words(message: Message) -> str:
    """All text of a message."""
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))
