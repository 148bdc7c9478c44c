"""One request over http or https: to the machine whose address was checked, bounded in size and time."""

from __future__ import annotations

import socket
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from sostenuto.errors import ToolFailed
from sostenuto.tools._addresses import Address, Resolver, address, machines
from sostenuto.tools._tool import Context

if TYPE_CHECKING:
    from http.client import HTTPResponse

LARGEST = 5 * 1024 * 1024
"""Bytes of an answer that are read, and that come out of a packed one."""
CONNECT_S = 15.0
"""Seconds to reach a machine, and seconds of silence after which it is given up."""
PATIENCE_S = 120.0
"""Seconds one request may take with all its redirections."""
MOST_REDIRECTIONS = 5
_PIECE = 1 << 16
_OURS = frozenset(["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "te", "trailer"])
_SECRET = frozenset(["authorization", "cookie", "proxy-authorization", "x-api-key"])
_MOVED = frozenset([301, 302, 303, 307, 308])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for."""

    where: Address
    method: str = "GET"
    headers: Mapping[str, str] | None = None
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: from which address in the end, the status, the headers (names in lower case), the bytes, and whether they are all."""

    url: str
    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True


def received(wanted: Wanted, *, context: Context, resolver: Resolver) -> Received:
    """The answer to a request, redirections followed as long as each leads where the first could have led.

    Raises:
        ToolFailed: no answer, or a redirection that is not followed; the text says why.
    """
    end = monotonic() + PATIENCE_S
    for _ in range(MOST_REDIRECTIONS + 1):
        found = _once(wanted, context=context, resolver=resolver, end=end)
        onward = found.headers.get("location")
        if found.status not in _MOVED or not onward:
            return found
        wanted = _moved(wanted, address(onward, base=wanted.where.url), found.status)
    raise ToolFailed(f"more than {MOST_REDIRECTIONS} redirections, the last to {wanted.where.url[:200]}; that is a circle or a trap")


def _moved(wanted: Wanted, where: Address, status: int) -> Wanted:
    """The request at its new place: only reading goes to another host, and no secrets go along."""
    method, body = ("GET", None) if status == 303 or (status in (301, 302) and wanted.method == "POST") else (wanted.method, wanted.body)
    same = (where.scheme, where.host, where.port) == (wanted.where.scheme, wanted.where.host, wanted.where.port)
    if not same and method not in ("GET", "HEAD"):
        raise ToolFailed(f"the answer sends this {method} on to {where.url[:200]}, another host; ask there yourself if that is right")
    headers = {name: value for name, value in (wanted.headers or {}).items() if same or name.lower() not in _SECRET}
    return Wanted(where, method, headers, body)


def _once(wanted: Wanted, *, context: Context, resolver: Resolver, end: float) -> Received:
    from http.client import HTTPConnection, HTTPException  # brings in encryption, which takes its time to load

    where = wanted.where
    connection = HTTPConnection(where.host, where.port, timeout=CONNECT_S)
    try:
        connection.sock = _connected(where, machines(where, resolver=resolver, granted=context.granted))
        headers = {"Host": where.authority, "User-Agent": "sostenuto", "Accept": "*/*", "Accept-Encoding": "gzip", "Connection": "close"}
        headers |= {name: value for name, value in (wanted.headers or {}).items() if name.lower() not in _OURS}
        connection.request(wanted.method, where.target, body=wanted.body, headers=headers)
        with connection.getresponse() as answer:  # which owns the socket from here on
            body, whole = _body(answer, context=context, end=end)
            held = {name.lower(): value for name, value in answer.getheaders()}
            return Received(where.url, answer.status, answer.reason, held, body, whole)
    except (OSError, HTTPException, ValueError) as error:  # ValueError: a header that cannot be
        why = getattr(error, "strerror", None) or str(error)[:200] or type(error).__name__
        raise ToolFailed(f"{where.url[:200]} cannot be fetched ({why})") from None
    finally:
        connection.close()


def _connected(where: Address, numbers: list[str]) -> socket.socket:
    """A connection to the first of the machines that takes one."""
    for number in numbers:
        try:
            plain = socket.create_connection((number, where.port), timeout=CONNECT_S)
            break
        except OSError:
            if number == numbers[-1]:
                raise
    if where.scheme == "http":
        return plain
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=where.host)
    except BaseException:
        plain.close()
        raise


def _body(answer: HTTPResponse, *, context: Context, end: float) -> tuple[bytes, bool]:
    """The bytes of an answer, unpacked, and whether they are all."""
    packed = answer.getheader("Content-Encoding", "").strip().lower()
    if packed not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise ToolFailed(f"the answer is packed as {packed[:40]!r}, which was not asked for")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed not in ("", "identity") else None
    body = bytearray()
    try:
        while piece := answer.read1(_PIECE):
            body += unpacker.decompress(piece, LARGEST + 1 - len(body)) if unpacker else piece
            if len(body) > LARGEST:
                return bytes(body[:LARGEST]), False
            if context.stopped.is_set() or monotonic() > end:
                return bytes(body), False
    except zlib.error as error:
        raise ToolFailed(f"the answer cannot be unpacked ({error})") from None
    expected = answer.headers.get("Content-Length", "")
    return bytes(body), unpacker is not None or not expected.isdecimal() or answer.length in (0, None)
