"""What a scripted server would charge: a file of its own, forced to disk before each answer."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from pydantic import JsonValue

from runner.domain import Price, Usage, cost_nusd
from runner.testing.messages_rules import MessagesRequest
from runner.testing.messages_script import Reply


class Bill:
    """JSON lines, one for each request.

    Args:
        path: Where they are appended, or None to keep them in memory only.
        price: What the tokens cost.
    """

    def __init__(self, path: Path | None, *, price: Price) -> None:
        self._path = path
        self._price = price
        self._lines: list[dict[str, JsonValue]] = []

    def add(self, raw: bytes, *, request: MessagesRequest, reply: Reply, request_id: str) -> None:
        """Append a line and force it to disk; call it before answering."""
        usage = _usage(reply) if reply.costs else Usage(input_tokens=0, output_tokens=0)
        line: dict[str, JsonValue] = {
            "request_id": request_id,
            "request_sha256": hashlib.sha256(raw).hexdigest(),
            "model": request.model,
            "status": reply.status,
            "turn": request.turn,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_5m_tokens": usage.cache_write_5m_tokens,
            "cache_write_1h_tokens": usage.cache_write_1h_tokens,
            "cost_nusd": cost_nusd(usage, self._price),
        }
        self._lines.append(line)
        if self._path is None:
            return
        with self._path.open("a", encoding="ascii") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def lines(self) -> list[dict[str, JsonValue]]:
        """Give the lines that this server wrote."""
        return list(self._lines)


def _usage(reply: Reply) -> Usage:
    counts = reply.usage
    return Usage(
        input_tokens=counts.input_tokens,
        output_tokens=counts.output_tokens,
        cache_read_tokens=counts.cache_read_input_tokens,
        cache_write_5m_tokens=counts.cache_creation.ephemeral_5m_input_tokens,
        cache_write_1h_tokens=counts.cache_creation.ephemeral_1h_input_tokens,
    )
