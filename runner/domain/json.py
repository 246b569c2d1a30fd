"""JSON values, and the one spelling of them that digests and the ledger rest on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, Json]


def canonical_json(value: Json) -> bytes:
    """Spell a value so that equal values give equal bytes: sorted keys, no spaces, ASCII.

    Raises:
        ValueError: If the value holds NaN or an infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def compact_json(value: Json) -> bytes:
    """Spell a value in its own key order, as it is sent over the wire and kept in the ledger.

    Raises:
        ValueError: If the value holds NaN or an infinity.
    """
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def digest_bytes(data: bytes) -> str:
    """Give the SHA-256 of some bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest_json(value: Json) -> str:
    """Give the digest of a value's canonical spelling."""
    return digest_bytes(canonical_json(value))
