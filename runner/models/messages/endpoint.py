"""Where a model is served."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from runner.errors import UsageError

DEFAULT_BASE_URL = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A service's address.

    Attributes:
        base_url: As the client uses it.
        recorded: Scheme and host; a port or a path says nothing of what is under test.
        loopback: Whether it is on this machine, where no key is needed and no proxy is in between.
        headers: What the service needs in each request beside the API's own headers.
    """

    base_url: str
    recorded: str
    loopback: bool
    headers: Mapping[str, str]


def parse_endpoint(base_url: str, *, headers: Mapping[str, str] | None = None) -> Endpoint:
    """Read a base URL.

    Raises:
        UsageError: If it is not an HTTP address, or has a password in it.
    """
    try:
        parts = urlsplit(base_url)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if host is None or parts.scheme not in {"http", "https"}:
        msg = f"base_url {base_url!r} is not an http or https address"
        raise UsageError(msg, hint="Write it like https://api.anthropic.com.")
    if parts.username is not None:
        raise UsageError(
            "base_url holds a user name or password",
            hint="Give the key in the environment; a suite file is kept in the ledger.",
        )
    name = f"[{host}]" if ":" in host else host
    return Endpoint(
        base_url=base_url,
        recorded=f"{parts.scheme}://{name}",
        loopback=_is_loopback(host),
        headers=headers or {},
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
