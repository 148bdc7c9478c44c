"""Every other provider, through ``pydantic-ai-slim``'s direct model API: its way of speaking to them, none of its agents.

Histories are held as OpenAI chat messages. A reply that is sent again unchanged goes back as the very response object it came from, so
sealed thinking, its order and its ids are what the provider wrote; after a restart it is made anew of the message, which holds the
seals too (``thinking_blocks``).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sostenuto.errors import EndpointFailed, ModelFailed, NotAuthorised, RequestRefused, UnknownSetting
from sostenuto.protocols import Finish, Heard, Spoken
from sostenuto.providers._errors import Asked, failure
from sostenuto.providers._heard import Arrived, Telling
from sostenuto.providers._http import Patience, check_installed, repeated

if TYPE_CHECKING:
    import asyncio

    from pydantic_ai import messages as theirs
    from pydantic_ai.models import Model as TheirModel

__all__ = ["Patience", "PydanticAI"]

EXTRA: Final = 'install it with: pip install "sostenuto[run,pydantic-ai]"'
_KEPT: Final = 4_096
"""Responses that are kept beside the messages made of them, the newest."""
_FINISHES: Final[Mapping[str, Finish]] = {"stop": "stop", "tool_call": "calls", "length": "length", "content_filter": "filtered"}
_VARIABLE: Final = re.compile(r"\b[A-Z][A-Z0-9_]*_(?:API_KEY|API_TOKEN|TOKEN|KEY)\b")
_BROKEN: Final = ("Remote", "Connect", "Read", "Protocol", "Timeout", "Network", "Stream", "JSON", "Validation", "Unexpected", "Payload")
"""In the names of exceptions that say a connection broke or brought nonsense: libraries of providers raise their own."""


class PydanticAI:
    """A model behind any provider that ``pydantic-ai`` knows.

    Args:
        model: ``provider:id`` in its spelling.
        base_url, key: handed to its provider; default: what that provider finds in the environment.
        settings: its model settings for every request (``temperature``, ``thinking``, ...).
        patience: how long it is waited for; the provider's library tries once each time.

    Raises:
        UnknownSetting: the extra is not installed, or the provider is not known.
        NotAuthorised: there is no key.
    """

    format = "openai_chat"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        settings: Mapping[str, Any] | None = None,
        patience: Patience | None = None,
    ) -> None:
        check_installed()
        self.name = model
        self._given = {name: value for name, value in (("base_url", base_url), ("api_key", key)) if value is not None}
        self._settings, self._patience = dict(settings or {}), patience or Patience()
        self._asked = Asked(model, base_url or model.partition(":")[0])
        self._known: OrderedDict[str, theirs.ModelResponse] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._model: TheirModel[Any] | None = self._made()  # now, so that a missing key is told now

    async def window(self) -> int | None:
        """None: providers of this kind do not say; the catalogue does."""
        return None

    async def speak(
        self, arguments: Mapping[str, Any], /, *, tools: Sequence[Any] = (), max_output: int | None = None, thinking: bool = True,
        heard: Heard | None = None,
    ) -> Spoken:  # fmt: skip
        """One reply (see `sostenuto.protocols.Model`).

        A reply that breaks off is asked for again; who hears it is then told a line break and the whole reply anew.
        """
        from pydantic_ai.models import ModelRequestParameters

        from sostenuto.providers._pydantic_history import as_theirs, definitions

        history = as_theirs(arguments.get("messages", ()), self._known)
        wishes: dict[str, Any] = {**self._settings}
        if max_output is not None:
            wishes["max_tokens"] = max_output
        if not thinking:
            wishes["thinking"] = False
        parameters = ModelRequestParameters(function_tools=definitions(tools), allow_text_output=True)
        telling = Telling(heard)

        async def once() -> theirs.ModelResponse:
            telling.begin()
            try:
                return await self._answered(history, wishes, parameters, telling if heard is not None else None)
            except ModelFailed:
                raise
            except Exception as error:
                raise self._failure(error) from error

        return self._spoken(await repeated(once, asked=self._asked, patience=self._patience))

    async def aclose(self) -> None:
        """Let go of connections; a later request makes new ones."""
        import asyncio

        model, self._model = self._model, None
        if model is not None and self._loop is asyncio.get_running_loop() and (close := _closing(model)) is not None:
            await close()
        self._loop = None

    async def _answered(self, history: Any, wishes: Any, parameters: Any, telling: Telling | None) -> theirs.ModelResponse:
        from pydantic_ai.direct import model_request, model_request_stream

        model = self._current()
        if telling is None:
            return await model_request(model, history, model_settings=wishes, model_request_parameters=parameters)
        arrived = Arrived()
        try:
            async with model_request_stream(model, history, model_settings=wishes, model_request_parameters=parameters) as stream:
                async for event in stream:
                    _tell(event, telling, arrived)
                response = stream.get()
        except Exception as error:
            found = self._failure(error)
            raise arrived.broken(self._asked) if type(found) is EndpointFailed and found.status is None else found from error
        if response.finish_reason is None and not response.parts:
            raise arrived.broken(self._asked)
        return response

    def _spoken(self, response: theirs.ModelResponse) -> Spoken:
        from sostenuto.providers._pydantic_history import as_ours, mark

        raw, text, calls = as_ours(response)
        if raw is not None:
            self._known[mark(raw)] = response
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        said = (response.provider_details or {}).get("finish_reason")
        finish = _FINISHES.get(response.finish_reason or "", "other")
        if said == "model_context_window_exceeded":
            finish = "window"
        elif calls and finish in ("stop", "other"):
            finish = "calls"
        usage = response.usage
        counted = {
            name: getattr(usage, name) for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
        }  # fmt: skip
        return Spoken(
            (raw,) if raw is not None else (), text, calls, finish, counted if usage.input_tokens else None, response.model_name or ""
        )

    def _current(self) -> TheirModel[Any]:
        """The model of the running loop: connections live no longer than the loop they were made in."""
        import asyncio

        loop = asyncio.get_running_loop()
        if self._model is None or self._loop not in (None, loop):
            self._model = self._made()
        self._loop = loop
        return self._model

    def _made(self) -> TheirModel[Any]:
        try:
            from pydantic_ai.exceptions import UserError
            from pydantic_ai.models import infer_model
            from pydantic_ai.providers import infer_provider, infer_provider_class
        except ImportError:
            raise UnknownSetting(f'{self.name} needs the extra "pydantic-ai"; {EXTRA}') from None

        def provider(name: str) -> Any:
            return infer_provider_class(name)(**self._given)

        try:
            model = infer_model(self.name, provider_factory=provider if self._given else infer_provider)
        except ImportError as error:
            raise UnknownSetting(f"{self.name}: {' '.join(str(error).split())}") from None
        except (UserError, ValueError, TypeError) as error:
            raise self._unusable(error) from None
        client: Any = getattr(model, "client", None)
        if hasattr(client, "max_retries"):
            client.max_retries = 0  # patience is ours, and says why it waits
        return model

    def _unusable(self, error: Exception) -> Exception:
        words = " ".join(str(error).split())
        if (variable := _VARIABLE.search(words)) is not None:
            return NotAuthorised(f"{self.name} needs a key; set {variable.group()}")
        return UnknownSetting(f"{self.name} cannot be used: {words}")

    def _failure(self, error: Exception) -> ModelFailed:
        """An error of ours for one of theirs, or of the provider's own library."""
        from pydantic_ai import exceptions

        if isinstance(error, exceptions.ModelHTTPError):
            return failure(self._asked, error.body, status=error.status_code, headers=error.headers)
        if isinstance(error, exceptions.UserError):
            return RequestRefused(f"{self.name}: {_words(error)}")
        status = getattr(error, "status_code", getattr(error, "code", None))
        if isinstance(status, int) and 400 <= status < 600:
            return failure(self._asked, getattr(error, "body", None) or str(error), status=status)
        if _is_passing(error):
            return EndpointFailed(f"{self.name}: the connection failed or brought nonsense ({_words(error)}); try again later")
        return RequestRefused(f"{self.name}: {type(error).__name__}: {_words(error)}")


def _is_passing(error: BaseException) -> bool:
    """A lost connection, a timeout, an answer that is none; also as the cause of what was raised."""
    from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior

    seen = 0
    found: BaseException | None = error
    while found is not None and seen < 8:
        if isinstance(found, ModelAPIError | UnexpectedModelBehavior | OSError | TimeoutError):
            return True
        if any(word in type(found).__name__ for word in _BROKEN):
            return True
        found, seen = found.__cause__ or found.__context__, seen + 1
    return False


def _tell(event: Any, telling: Telling, arrived: Arrived) -> None:
    """Tell what an event of the stream brings: a part that begins, or a piece of one."""
    part = getattr(event, "part", None) if getattr(event, "event_kind", "") == "part_start" else getattr(event, "delta", None)
    kind = getattr(part, "part_kind", None) or getattr(part, "part_delta_kind", "")
    words = getattr(part, "content", None) or getattr(part, "content_delta", None)
    if kind == "tool-call":
        arrived.calls += 1
    if not isinstance(words, str):
        return
    if kind == "text":
        arrived.text.append(words)
        telling.tell("text", words)
    elif kind == "thinking":
        arrived.reasoning.append(words)
        telling.tell("reasoning", words)


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def _closing(model: Any) -> Callable[[], Any] | None:
    """How the connections of a model are closed: by its library's client."""
    client = getattr(model, "client", None)
    return getattr(getattr(client, "aio", None), "aclose", None) or getattr(client, "close", None)
