"""A request's body, spelled once: what is recorded is what is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.domain import JsonObject, compact_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked.

    Attributes:
        model: The model's name.
        max_tokens: The most that it may answer, thinking included.
        parameters: All else in the body (``system``, ``tools``, …) but for the messages.
        messages: The history, each message as compact JSON.
    """

    model: str
    max_tokens: int
    parameters: JsonObject
    messages: Sequence[bytes]

    @property
    def recorded_parameters(self) -> JsonObject:
        """Give the body without its messages."""
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            **self.parameters,
            "stream": True,
        }

    def body(self) -> bytes:
        """Give the body as it goes over the wire."""
        parameters = compact_json(self.recorded_parameters)
        return b'%s,"messages":[%s]}' % (parameters[:-1], b",".join(self.messages))
