"""Bytes from an http or https address: bounded in time and size, and redirected to nothing else."""

from __future__ import annotations

from http.client import HTTPException, HTTPMessage, HTTPResponse
from time import monotonic
from typing import IO
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from sostenuto.catalogues._reading import LARGEST, is_address
from sostenuto.errors import UnusableInput

_PIECE = 1 << 16
_HEADERS = {"User-Agent": "sostenuto", "Accept": "application/json", "Accept-Encoding": "gzip"}


class _Redirections(HTTPRedirectHandler):
    """To http and https only: the usual handler would also follow one to ftp."""

    def redirect_request(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str) -> Request | None:
        if not is_address(newurl):
            fp.close()
            raise UnusableInput(f"{req.full_url}: redirected to {newurl[:200]!r}, which is no http or https address; name a file")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetched(address: str, *, timeout_s: float, patience_s: float) -> bytes:
    """The body at an address. Raises UnusableInput with what went wrong and the remedy."""
    opener = OpenerDirector()
    # put together by hand: the usual opener also reads files and data addresses
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), HTTPErrorProcessor(), _Redirections(), HTTPDefaultErrorHandler()):
        opener.add_handler(handler)
    try:
        with opener.open(Request(address, headers=_HEADERS), timeout=timeout_s) as answer:
            return _body(answer, name=address, patience_s=patience_s)
    except HTTPError as error:
        with error:
            raise UnusableInput(f"{address}: the server answered {error.code} {error.reason}; check the address, or name a file") from None
    except (OSError, HTTPException, ValueError) as error:
        why = str(getattr(error, "reason", "") or error) or type(error).__name__
        raise UnusableInput(f"{address}: cannot be fetched ({why}); check the address and the network, or name a file") from None


def _body(answer: HTTPResponse, *, name: str, patience_s: float) -> bytes:
    pieces: list[bytes] = []
    total, end = 0, monotonic() + patience_s
    while piece := answer.read1(_PIECE):
        pieces.append(piece)
        total += len(piece)
        if total > LARGEST:
            raise UnusableInput(f"{name}: larger than {LARGEST:,} bytes, which is no catalogue; name a models.dev api.json")
        if monotonic() > end:
            raise UnusableInput(f"{name}: not complete after {patience_s:g} seconds; try again, or name a file")
    expected = answer.headers.get("Content-Length", "")
    if expected.isdecimal() and total < int(expected):
        raise UnusableInput(f"{name}: the answer ends after {total:,} of {int(expected):,} bytes; fetch it again")
    return b"".join(pieces)
