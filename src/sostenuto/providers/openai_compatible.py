"""Whatever speaks chat completions: OpenAI, llama.cpp, vLLM, SGLang, LM Studio, and any other address that does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sostenuto.errors import NotAuthorised, RequestRefused
from sostenuto.protocols import Heard, Spoken
from sostenuto.providers._chat import Question, reply
from sostenuto.providers._errors import Asked
from sostenuto.providers._http import Endpoint, Patience
from sostenuto.providers._windows import Card, listed_models, listed_window, llamacpp_window, lmstudio_window, only_model

__all__ = ["SERVERS", "OpenAICompatible", "Patience", "Server"]


@dataclass(frozen=True, slots=True)
class Server:
    """A kind of server.

    Attributes:
        base_url: where it listens if nobody says otherwise.
        key_variable: the environment variable that usually holds the key; "" where none is needed.
        window: how it is asked for the window it serves.
        output_field: what it calls the most tokens of output.
        is_single: it serves one model, whose id may be left out.
        is_templated: it renders a chat template, which may be told not to let the model think.
    """

    base_url: str
    key_variable: str = ""
    window: Callable[[Endpoint, str], Awaitable[int | None]] = listed_window
    output_field: str = "max_tokens"
    is_single: bool = False
    is_templated: bool = False


SERVERS: Final[Mapping[str, Server]] = {
    "llamacpp": Server("http://127.0.0.1:8080/v1", window=llamacpp_window, is_single=True, is_templated=True),
    "lmstudio": Server("http://127.0.0.1:1234/v1", window=lmstudio_window),
    "openai": Server("https://api.openai.com/v1", "OPENAI_API_KEY", output_field="max_completion_tokens"),
    "sglang": Server("http://127.0.0.1:30000/v1", is_single=True, is_templated=True),
    "vllm": Server("http://127.0.0.1:8000/v1", is_single=True, is_templated=True),
}
"""Kinds of servers by the name a model is given with; any other name is a server of which nothing is known but its address."""


class OpenAICompatible:
    """A model behind chat completions.

    Args:
        model: its id; "" takes the one that a server of a single model (llama.cpp, vLLM, SGLang) serves.
        server: one of `SERVERS`, or any name for another server, which then needs a `base_url`.
        base_url: default: where such a server listens by itself.
        key: sent as a bearer token; None for servers that want none.
        options: further fields of every request (``temperature``, ``reasoning_effort``, ...).
        window: tokens known or pinned, to tell an answer that met the window's end; default: what the server says.
        patience: how long it is waited for.

    Raises:
        UnknownSetting: the address is none.
        NotAuthorised: this kind of server takes nobody without a key, and there is none.
    """

    format = "openai_chat"

    def __init__(
        self,
        model: str,
        *,
        server: str = "openai",
        base_url: str | None = None,
        key: str | None = None,
        options: Mapping[str, Any] | None = None,
        window: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._server = SERVERS.get(server) or Server(base_url or "")
        self.name = f"{server}:{model}"
        if self._server.key_variable and not key and base_url is None:
            raise NotAuthorised(f"{self.name} needs a key; set {self._server.key_variable}, or name another base URL")
        address = base_url or self._server.base_url
        if server in SERVERS and address.rstrip("/").count("/") == 2:
            address = f"{address.rstrip('/')}/v1"  # where all of them keep it
        self._endpoint = Endpoint(
            address,
            asked=Asked(self.name, address, self._server.key_variable),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            patience=patience,
        )
        self._model, self._options, self._pinned = model, dict(options or {}), window

    async def window(self) -> int | None:
        """Tokens the server says it serves now; None where it does not say. Never raises."""
        return await self._server.window(self._endpoint, self._model)

    async def served(self) -> tuple[Card, ...]:
        """The models the server lists; none where it does not say. Never raises."""
        return await listed_models(self._endpoint)

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply (see `sostenuto.protocols.Model`).

        A reply that breaks off is asked for again; who hears it is then told a line break and the whole reply anew.
        """
        body: dict[str, Any] = {"model": await self._id(), **self._options, **arguments}
        if tools:
            body["tools"] = list(tools)
        if max_output is not None:
            body[self._server.output_field] = max_output
        if not thinking and self._server.is_templated:
            body["chat_template_kwargs"] = {**body.get("chat_template_kwargs", {}), "enable_thinking": False}
        return await reply(self._endpoint, Question(body, max_output, self._known_window), heard=heard)

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._endpoint.aclose()

    async def _id(self) -> str:
        """The model's id; where none was named, the first that a server of a single model lists, or a word if it lists none."""
        if not self._model and not self._server.is_single:
            raise RequestRefused(f"{self.name} names no model; write {self.name}ID")
        self._model = self._model or await only_model(self._endpoint)
        return self._model or "default"

    async def _known_window(self) -> int | None:
        served = await self.window()
        return min(served, self._pinned) if served and self._pinned else served or self._pinned
