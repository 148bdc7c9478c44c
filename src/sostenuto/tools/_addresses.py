"""Which machines an address of the web leads to, and whether they are anybody's or somebody's own."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from sostenuto.errors import ToolFailed
from sostenuto.tools._calling import in_thread
from sostenuto.tools._tool import Assessed, Risk

Resolver = Callable[[str, int], Sequence[str]]
"""From a host and a port to the numeric addresses of the machines behind it. Raises OSError where there are none."""

LONGEST = 8_000
"""Characters of an address."""
_PORTS = {"http": 80, "https": 443}
_PATH_LETTERS = "/%:@!$&'()*+,;=~-._"
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Address:
    """An address of the web, taken apart: where to connect, and what to ask for there."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def url(self) -> str:
        """The address as one writes it."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        """Host and port, the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def grant(self) -> str:
        """What has to be allowed before a tool goes there, if the machine is somebody's own."""
        return f"address:{self.host}:{self.port}"


def address(url: str, *, base: str = "") -> Address:
    """An http or https address, relative to `base` where that is given.

    Raises:
        ToolFailed: it is none; the text says what is wrong.
    """
    whole = urljoin(base, url.strip()) if base else url.strip()
    shown = ascii(whole[:200])
    if len(whole) > LONGEST:
        raise ToolFailed(f"the address has {len(whole):,} characters; at most {LONGEST:,} are taken")
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname or "", parts.port
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError as error:  # a wrong port, a bracket too many, a host that cannot be written
        raise ToolFailed(f"{shown} is no address ({str(error)[:100]})") from None
    if parts.scheme not in _PORTS:
        raise ToolFailed(f"{shown} is no http or https address; nothing else is fetched (files: read_file)")
    if not host or any(letter <= " " or letter in "/\\@" for letter in host):
        raise ToolFailed(f"{shown} names no host")
    if parts.username is not None or parts.password is not None:
        raise ToolFailed("the address holds a user name or password; leave it out, and use a header if it is needed")
    target = quote(parts.path or "/", safe=_PATH_LETTERS) + (f"?{quote(parts.query, safe=_PATH_LETTERS + '?')}" if parts.query else "")
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], target)


def resolved(host: str, port: int) -> list[str]:
    """The numeric addresses of a host, as this machine finds them.

    Raises:
        OSError: there is no such host.
    """
    return list(dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_public(number: str) -> bool:
    """Whether a numeric address is one of the open internet: not of this machine, of a private network, of a link, nor reserved."""
    try:
        found = ipaddress.ip_address(number.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast


def machines(where: Address, *, resolver: Resolver, granted: frozenset[str]) -> list[str]:
    """The numeric addresses to connect to. Asked at the moment of connecting, so that a name that has moved since is noticed.

    Raises:
        ToolFailed: there is no such host, or one of its machines is somebody's own and was not allowed.
    """
    try:
        found = list(resolver(where.host, where.port))
    except (OSError, UnicodeError) as error:
        raise ToolFailed(f"the host {where.host[:100]} is not found ({getattr(error, 'strerror', None) or error})") from None
    private = [number for number in found if not is_public(number)]
    if private and where.grant not in granted:
        raise ToolFailed(
            f"{_own(where, private[0])}, and going there was not allowed. "
            f"Nothing was sent there; if it is needed, ask for {where.url} by itself, and the person decides"
        )
    if not found:
        raise ToolFailed(f"the host {where.host[:100]} has no address")
    return found


async def assessed_address(arguments: Mapping[str, Any], *, risk: Risk, resolver: Resolver) -> Assessed:
    """How dangerous it is to go to the address of a call: high where its machine is not of the open internet.

    Raises:
        ToolFailed: it is no address.
    """
    where = address(str(arguments.get("url", "")))
    try:
        found = await in_thread(lambda: resolver(where.host, where.port))
    except (OSError, UnicodeError):
        return Assessed(risk)  # it is not found a second time either, and then the answer says so
    private = [number for number in found if not is_public(number)]
    if not private:
        return Assessed(risk)
    return Assessed("high-risk", _own(where, private[0]), frozenset([where.grant]))


def _own(where: Address, number: str) -> str:
    named = where.host if where.host == number else f"{where.host} ({number})"
    return f"{named} is an address of this machine or of a private network"
