"""Models before fake servers, as the checks of `sostenuto.testing` want them: answered by a script, without a second try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sostenuto.protocols import Model
from sostenuto.providers.anthropic import Anthropic
from sostenuto.providers.ollama import Ollama
from sostenuto.providers.openai_compatible import SERVERS, OpenAICompatible, Patience
from sostenuto.testing import FakeServer, Script, ScriptedModel, Staged

ONCE = Patience(retries=0, timeout_s=30)
"""No second try."""
QUICK = Patience(retries=3, timeout_s=30)
KEY = "key-of-the-tests"


def made(server: FakeServer, *, patience: Patience = ONCE, window: int | None = None) -> Model:
    """The provider of ours that speaks to a server of this kind."""
    if server.kind == "ollama":
        return Ollama(server.model, base_url=server.base_url, key=KEY, patience=patience, window=window)
    if server.kind == "anthropic":
        return Anthropic(server.model, base_url=server.base_url, key=KEY, patience=patience)
    assert server.kind in SERVERS
    return OpenAICompatible(server.model, server=server.kind, base_url=server.base_url, key=KEY, patience=patience, window=window)


def before(kind: str, *, piece: int = 0, make: Callable[[FakeServer], Model] = made) -> Staged:
    """Makes models before a fake server of a kind, whose streams come in pieces of so many bytes."""

    @contextmanager
    def staged(script: Script) -> Iterator[Model]:
        with FakeServer(kind, script, key=KEY, piece=piece) as server:
            yield make(server)

    return staged


def scripted(format: str) -> Staged:
    """Makes scripted models of a wire."""

    @contextmanager
    def staged(script: Script) -> Iterator[Model]:
        yield ScriptedModel(script, format=format, window=8_192)

    return staged
