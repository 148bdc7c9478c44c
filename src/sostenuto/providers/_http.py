"""One endpoint over HTTP: one client for all its requests, patience with it, and typed errors for everything that can go wrong.

``httpx`` and ``stamina`` come with the extra ``run`` and are loaded with the first request. Who wants to see or to forbid the waiting
uses `stamina`'s own switches (``stamina.instrumentation``, ``stamina.set_testing``, ``stamina.set_active``).
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from sostenuto.errors import EndpointFailed, ModelFailed, RateLimited, RequestRefused, UnknownSetting
from sostenuto.providers._errors import Asked, NobodyThere, failure

if TYPE_CHECKING:
    import asyncio

    import httpx

T = TypeVar("T")
Read = Callable[["httpx.Response"], Awaitable[T]]
"""Makes a reply of an answer whose body is still to be read."""

_NEEDED: Final = ("httpx", "stamina")
_LOOPBACK: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_CONNECT_S: Final = 10.0
_LARGEST_ERROR: Final = 1 << 20  # bytes of an error's body that are read


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an endpoint is waited for (origin 13: 900 s with retries, 10 of them, at most 30 s between two).

    Attributes:
        timeout_s: seconds for one reply, everything included.
        retries: times that a request is sent again after a failure that may pass.
        first_wait_s: seconds before the first retry where the endpoint names none; doubled each time.
        longest_wait_s: the most seconds between two tries, whatever the endpoint asks for.
        look_s: seconds for a look at what the endpoint serves.
    """

    timeout_s: float = 900.0
    retries: int = 10
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    look_s: float = 3.0

    def wait(self, error: Exception) -> bool | float:
        """Whether to try again after this error: no, yes, or yes after so many seconds."""
        if isinstance(error, RateLimited) and error.retry_after_s is not None:
            return min(error.retry_after_s, self.longest_wait_s) if error.retry_after_s <= self.timeout_s else False
        return isinstance(error, RateLimited | EndpointFailed) and not isinstance(error, NobodyThere)


def check_installed() -> None:
    """Raises UnknownSetting where what requests are made with is not installed: told when a model is made, not when it is asked."""
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise UnknownSetting(f'talking to a model needs {" and ".join(missing)}; install the extra: pip install "sostenuto[run]"')


async def repeated(once: Callable[[], Awaitable[T]], *, asked: Asked, patience: Patience) -> T:
    """What `once` returns, tried again after failures that may pass.

    Raises:
        ModelFailed: the last failure, or one that does not pass; EndpointFailed where the time is up.
    """
    import asyncio

    import stamina

    # without a handler its notes about waiting would land on the standard error of a program that set up no logging
    if not (notes := logging.getLogger("stamina")).handlers:
        notes.addHandler(logging.NullHandler())
    tries = stamina.AsyncRetryingCaller(
        attempts=patience.retries + 1,
        timeout=None,
        wait_initial=patience.first_wait_s,
        wait_max=patience.longest_wait_s,
        wait_jitter=min(1.0, patience.first_wait_s),
    )
    last: list[ModelFailed] = []

    async def attempted() -> T:
        try:
            return await once()
        except ModelFailed as error:
            last.append(error)
            raise

    try:
        async with asyncio.timeout(patience.timeout_s):
            return await tries(patience.wait, attempted)
    except TimeoutError:
        why = f"; the last failure was: {last[-1]}" if last else "; is the server busy, or the model too slow?"
        raise EndpointFailed(f"{asked.model} at {asked.address} did not answer within {patience.timeout_s:g} s{why}") from None


class Endpoint:
    """One server at one address.

    Args:
        base_url: where its paths begin, with or without a slash at the end.
        asked: who is asked, for the words of errors.
        headers: sent with every request.
        patience: see `Patience`.

    Raises:
        UnknownSetting: the address is none of http or https, or the extra ``run`` is not installed.
    """

    def __init__(self, base_url: str, *, asked: Asked, headers: Mapping[str, str] | None = None, patience: Patience | None = None) -> None:
        check_installed()
        try:
            parts = urlsplit(base_url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UnknownSetting(f"base URL {base_url!r} is no http or https address; give one such as http://127.0.0.1:8080/v1")
        self.base_url = base_url.rstrip("/")
        self.asked = asked
        self.patience = patience or Patience()
        self._headers = dict(headers or {})
        self._is_near, self._was_reached = parts.hostname in _LOOPBACK, False
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def root(self) -> str:
        """The address without a version at its end, where servers keep what is not of the wire."""
        return self.base_url.removesuffix("/v1")

    async def ask(self, path: str, body: Mapping[str, Any], *, read: Read[T]) -> T:
        """What `read` makes of the answer to a request, tried again with patience.

        Raises:
            ModelFailed: one of its kinds.
        """
        content = written(body, asked=self.asked)

        async def once() -> T:
            async with self._answer(f"{self.base_url}{path}", content) as answer:
                return await read(answer)

        return await repeated(once, asked=self.asked, patience=self.patience)

    async def look(self, address: str, *, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON at an address of the server (POST with a `body`), None if there is none within a short time. Never raises."""
        try:
            client = self._ready()
            content = None if body is None else json.dumps(body)
            sent = client.build_request("GET" if body is None else "POST", address, content=content, timeout=self.patience.look_s)
            answer = await client.send(sent)
            return answer.json() if answer.is_success else None
        except Exception:  # whatever a server does: that it does not say what it serves is no failure
            return None

    async def aclose(self) -> None:
        """Let go of the connections; a later request makes new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    @asynccontextmanager
    async def _answer(self, address: str, content: bytes) -> AsyncIterator[httpx.Response]:
        client = self._ready()
        import httpx

        try:
            async with client.stream("POST", address, content=content) as answer:
                self._was_reached = True
                if not answer.is_success:
                    raise failure(self.asked, await _error_body(answer), status=answer.status_code, headers=answer.headers)
                yield answer
        except httpx.HTTPError as error:
            raise self._unreached(error) from error
        except httpx.InvalidURL as error:
            raise RequestRefused(f"{self.asked.model}: the address {self.base_url!r} cannot be used ({error}); check it") from None

    def _unreached(self, error: httpx.HTTPError) -> EndpointFailed:
        import httpx

        why = str(error) or type(error).__name__
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            remedy = "is the server running? start it, or check the address" if self._is_near else "check the network and the address"
            kind = NobodyThere if self._is_near and not self._was_reached else EndpointFailed
            return kind(f"nobody answers at {self.asked.address} for {self.asked.model} ({why}); {remedy}")
        return EndpointFailed(f"{self.asked.model} at {self.asked.address}: the connection failed ({why}); try again later")

    def _ready(self) -> httpx.AsyncClient:
        """The client of the running loop: connections live no longer than the loop they were made in."""
        import asyncio

        import httpx

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = httpx.AsyncClient(
                headers={"Content-Type": "application/json", "User-Agent": "sostenuto", **self._headers},
                timeout=httpx.Timeout(None, connect=_CONNECT_S),  # the whole is bounded by patience: a long prompt takes its time
                verify=self.base_url.startswith("https:"),  # loading certificates costs more than a request to a local server
                trust_env=not self._is_near,  # no proxy stands between a machine and itself
            )
            self._loop = loop
        return self._client


def written(body: Mapping[str, Any], *, asked: Asked) -> bytes:
    """The JSON of a request; half a surrogate pair, which no server takes, becomes a replacement character.

    Raises:
        RequestRefused: something in it is no JSON.
    """
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestRefused(f"{asked.model}: the request is no JSON ({error}); messages and tools must be plain values") from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _plain(value: object) -> object:
    """A client library's own object as a mapping."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


async def _error_body(answer: httpx.Response) -> object:
    """The body of an error: parsed where it is JSON, else its text, None where there is none."""
    pieces: list[bytes] = []
    size = 0
    async for piece in answer.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST_ERROR:
            break
    text = b"".join(pieces).decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text if text.strip() else None


async def arriving(answer: httpx.Response, *, broken: Callable[[], EndpointFailed]) -> AsyncGenerator[bytes]:
    """The bytes of an answer as they come. Raises what `broken` makes where the connection is lost."""
    import httpx

    try:
        async for piece in answer.aiter_bytes():
            yield piece
    except httpx.HTTPError as error:
        raise broken() from error


async def json_body(answer: httpx.Response, *, asked: Asked) -> dict[str, Any]:
    """The object that an answer is.

    Raises:
        EndpointFailed: it is none; ModelFailed of another kind: it says, behind a 200, what went wrong.
    """
    data = await answer.aread()
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = data[:80].decode("utf-8", "replace")
        raise EndpointFailed(f"{asked.model} at {asked.address} answered what is no JSON object ({shown!r}); check the address")
    return _without_error(found, asked)


def object_in(text: str, *, asked: Asked) -> dict[str, Any]:
    """The object in one piece of a stream.

    Raises:
        EndpointFailed: the piece is malformed; ModelFailed of another kind: it says what went wrong.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise EndpointFailed(f"{asked.model} at {asked.address} sent a malformed piece in its stream ({text[:80]!r}); try again later")
    return _without_error(found, asked)


def _without_error(found: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """The object itself, if it is no error: wrapped as most servers do, or flat as vLLM and SGLang have it."""
    if found.get("error") or "error" in (found.get("object"), found.get("type")):
        raise failure(asked, found)
    return found
