"""A models.dev catalogue that somebody names: a file, or an address on the web. Nothing is fetched unless it is named."""

from __future__ import annotations

import os

from sostenuto.catalogues._reading import LARGEST, Listing, is_address, listing
from sostenuto.errors import UnusableInput, reason

__all__ = ["Listing", "fetch", "read"]

TIMEOUT_S = 30.0
"""Seconds to wait for an answer, and between two pieces of it."""
PATIENCE_S = 120.0
"""Seconds for the whole of it."""


def read(path: str | os.PathLike[str]) -> Listing:
    """The catalogue in a file. Raises UnusableInput for one that cannot be read or holds none."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise UnusableInput(f"{name}: no such file; name a models.dev api.json, or an address that begins with https://") from None
    except OSError as error:
        raise UnusableInput(f"{name}: cannot be read ({reason(error)}); name a models.dev api.json") from None
    return listing(data, name=name)


def fetch(address: str, *, timeout_s: float = TIMEOUT_S, patience_s: float = PATIENCE_S) -> Listing:
    """The catalogue at an http or https address; redirections are followed to such addresses only.

    Args:
        timeout_s: seconds to wait for an answer, and between two pieces of it.
        patience_s: seconds for the whole of it.

    Raises UnusableInput for another scheme, no answer in time, an answer that is an error, too large, or no catalogue.
    """
    if not is_address(address):
        raise UnusableInput(f"{address}: only http:// and https:// addresses are fetched; or name a file")
    from sostenuto.catalogues._web import fetched  # loading it takes longer than everything that needs no address

    return listing(fetched(address, timeout_s=timeout_s, patience_s=patience_s), name=address)
