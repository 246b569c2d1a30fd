"""The key to a service: needed or not, usable or not, and never shown."""

from __future__ import annotations

from runner.errors import UsageError
from runner.models.messages.endpoint import Endpoint

DUMMY_KEY = "no-key-on-loopback"


def usable_key(api_key: str | None, *, endpoint: Endpoint) -> str:
    """Give the key to send: the given one, or a dummy where a service on loopback needs none.

    Raises:
        UsageError: If a key is needed and missing, or cannot be one.
    """
    key = (api_key or "").strip()
    if not key:
        if endpoint.loopback:
            return DUMMY_KEY
        msg = f"there is no API key for {endpoint.recorded}"
        raise UsageError(msg, hint="Set ANTHROPIC_API_KEY in the environment.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        # Said here, because the HTTP library's own error would quote the key.
        raise UsageError(
            "the API key holds characters that no key has",
            hint="Set ANTHROPIC_API_KEY to the key alone.",
        )
    return key
