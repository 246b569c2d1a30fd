"""The conversation so far, each message spelled once and sent back as it was."""

from __future__ import annotations

from collections.abc import Sequence

from runner.agents.claude.tool import Told
from runner.domain import Json, JsonObject, compact_json
from runner.models.messages import RAW_INPUT, Answer

#: How tool input that is no JSON object is shown to the model that wrote it.
INVALID_INPUT = "INVALID_JSON"


class History:
    """A conversation.

    Args:
        instruction: The task's words, verbatim in the first user message.
        keep_thinking: Whether thinking blocks go back; where thinking is off a service refuses
            them.
    """

    def __init__(self, instruction: str, *, keep_thinking: bool) -> None:
        self._keep_thinking = keep_thinking
        self.messages: list[bytes] = []
        self.say(instruction)

    def say(self, text: str) -> None:
        """Add a user message."""
        self._add("user", [{"type": "text", "text": text}])

    def add_answer(self, answer: Answer) -> None:
        """Add what the model said; an empty answer adds nothing."""
        blocks = [self._kept(block) for block in answer.blocks]
        kept = [block for block in blocks if block is not None]
        if kept:
            self._add("assistant", kept)

    def add_results(self, results: Sequence[tuple[str, Told]]) -> None:
        """Add the results of the tool calls of the answer before, in their order."""
        self._add("user", [_result(id_, told) for id_, told in results])

    def _add(self, role: str, content: Sequence[Json]) -> None:
        self.messages.append(compact_json({"role": role, "content": content}))

    def _kept(self, block: JsonObject) -> JsonObject | None:
        match block.get("type"):
            case "text":
                text = block.get("text")
                return block if isinstance(text, str) and text.strip() else None
            case "tool_use":
                raw = block.get(RAW_INPUT)
                given = block.get("input") if raw is None else {INVALID_INPUT: raw}
                return {
                    "type": "tool_use",
                    "id": block.get("id"),
                    "name": block.get("name"),
                    "input": given,
                }
            case "thinking" | "redacted_thinking":
                return block if self._keep_thinking else None
            case _:
                return block


def _result(id_: str, told: Told) -> JsonObject:
    result: JsonObject = {"type": "tool_result", "tool_use_id": id_, "content": told.text}
    return {**result, "is_error": True} if told.is_error else result
